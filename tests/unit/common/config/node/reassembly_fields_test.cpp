// SPDX-License-Identifier: Apache-2.0
#include "common/config/node/reassembly_fields.hpp"

#include <gtest/gtest.h>

#include "common/config/node/load_node_config.hpp"

namespace farlink::config::reassembly_fields_test {
namespace {

Result<NodeConfig, ConfigErrors> node_with(const std::string &reassembly) {
    return parse_node_config(
        R"({"myNodeId": 10, "inductsConfig": [{"url": "stcp://h:1"}],
            "storageConfig": {"storeFilePath": "store", "reassembly": )" +
            reassembly + "}}",
        "/etc/farlink");
}

TEST(ReassemblyFields, EveryLimitArrives) {
    const auto config = node_with(
        R"({"largestBundleBytes": 1, "setsPerSource": 2, "fragmentsPerSource": 3,
            "payloadBytesPerSource": 4})");
    ASSERT_TRUE(config) << config.error().to_string();
    const ReassemblyConfig &limits = config->storage.reassembly;
    EXPECT_EQ(limits.largest_bundle_bytes, 1U);
    EXPECT_EQ(limits.sets_per_source, 2U);
    EXPECT_EQ(limits.fragments_per_source, 3U);
    EXPECT_EQ(limits.bytes_per_source, 4U);
}

TEST(ReassemblyFields, WithoutTheSectionTheDefaultsApply) {
    const auto config = node_with("{}");
    ASSERT_TRUE(config) << config.error().to_string();
    const ReassemblyConfig &limits = config->storage.reassembly;
    EXPECT_EQ(limits.largest_bundle_bytes, 256U << 20U);
    EXPECT_EQ(limits.sets_per_source, 10'000U);
    EXPECT_EQ(limits.fragments_per_source, 1'000'000U);
    EXPECT_EQ(limits.bytes_per_source, std::uint64_t{4} << 30U);
}

TEST(ReassemblyFields, ALimitOfZeroIsRefused) {
    for (const char *wrong :
         {R"({"largestBundleBytes": 0})", R"({"setsPerSource": 0})", R"({"fragmentsPerSource": 0})",
          R"({"payloadBytesPerSource": 0})", R"({"setsPerSource": 1000001})", R"({"sets": 1})"})
        EXPECT_FALSE(node_with(wrong)) << wrong;
}

}  // namespace
}  // namespace farlink::config::reassembly_fields_test
