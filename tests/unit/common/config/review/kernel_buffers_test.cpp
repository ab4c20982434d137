// SPDX-License-Identifier: Apache-2.0
#include "common/config/review/kernel_buffers.hpp"

#include <gtest/gtest.h>

#include "common/config/node/load_node_config.hpp"

namespace farlink::config::kernel_buffers_test {
namespace {

constexpr std::uint64_t kReceiveBuffer = 6 << 20;

/// Of a node with an induct of this scheme.
std::vector<std::string> review(const std::string &node, const std::string &scheme,
                                const std::string &induct = "") {
    const auto config =
        parse_node_config(R"({"myNodeId": 1, )" + node + R"("inductsConfig": [{"url": ")" + scheme +
                          R"(://127.0.0.1:4556")" + induct + "}]}");
    EXPECT_TRUE(config) << config.error().to_string();
    return config ? review_kernel_buffers(*config, kReceiveBuffer) : std::vector<std::string>{};
}

TEST(KernelBuffers, MustFitTheMemoryWithoutAcknowledgements) {
    const std::string small = R"("bufferBytes": 1048576, )";
    for (const char *scheme : {"stcp", "mtcp"}) {
        EXPECT_TRUE(review("", scheme).empty()) << "by default they do";
        EXPECT_TRUE(review(small, scheme).empty()) << "small buffers are requested";
        const auto lines = review(small, scheme, R"(, "socketBufferBytes": 0)");
        ASSERT_EQ(lines.size(), 1U);
        EXPECT_TRUE(
            lines[0].starts_with("inductsConfig[0]: the kernel may hold 6291456 bytes of "
                                 "each connection, and 4 have more than"))
            << lines[0];
    }
    EXPECT_TRUE(review(small, "tcpclv4").empty());
}

TEST(KernelBuffers, MayBeLimited) {
    const std::string small = R"("bufferBytes": 1048576, )";
    EXPECT_TRUE(review(small, "stcp", R"(, "socketBufferBytes": 131072)").empty());
    EXPECT_EQ(review(small, "stcp", R"(, "socketBufferBytes": 131073)").size(), 1U);
    EXPECT_TRUE(
        review(small, "stcp", R"(, "socketBufferBytes": 524288, "maxSessions": 1)").empty());
}

}  // namespace
}  // namespace farlink::config::kernel_buffers_test
