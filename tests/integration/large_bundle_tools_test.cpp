// SPDX-License-Identifier: Apache-2.0
// bpgen sends bundles to bpsink that are larger than the memory of both: in pieces.
#include <gtest/gtest.h>
#include <poll.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "tests/support/tool_programs.hpp"

namespace farlink::test::large_bundle_tools_test {
namespace {

constexpr std::uint64_t kBundleBytes = 300'000'000;
constexpr int kBundles = 2;
/// Of each program; sanitizers keep a shadow of what is used.
constexpr std::uint64_t kMostMemory = 150'000'000;

/// The most memory that each program has had, when all have ended.
std::uint64_t peak_until_the_end(std::initializer_list<ChildProcess *> programs) {
    std::uint64_t peak = 0;
    for (bool running = true; running;) {
        std::vector<pollfd> polled;
        running = false;
        for (ChildProcess *program : programs) {
            if (program->ended()) continue;
            running = true;
            peak = std::max(peak, program->peak_memory());
            program->take_output();
            program->add_streams(polled);
        }
        (void)::poll(polled.data(), polled.size(), 5);
    }
    return peak;
}

struct Way {
    const char *scheme;
    const char *version;
};

class LargeBundles : public testing::TestWithParam<Way> {};

TEST_P(LargeBundles, NeedLittleMemory) {
    SinkProgram sink(loopback_url(GetParam().scheme, 0), {"--until-complete"});
    GeneratorProgram generator(loopback_url(GetParam().scheme, sink.port()),
                               {"--bundles", std::to_string(kBundles), "--bundle-size",
                                std::to_string(kBundleBytes), "--bp-version", GetParam().version});
    const std::uint64_t peak = peak_until_the_end({&sink, &generator});
    EXPECT_EQ(generator.wait(), 0) << generator.unread(ChildProcess::kErr);
    EXPECT_EQ(sink.wait(), 0) << sink.unread(ChildProcess::kErr);
    const nlohmann::json report = sink.report();
    EXPECT_EQ(report["received"], kBundles) << report;
    EXPECT_EQ(report["payloadBytes"], kBundles * kBundleBytes) << report;
    EXPECT_EQ(report["connections"], 1) << report;
    EXPECT_EQ(generator.report()["acknowledgedBundles"], kBundles);
    EXPECT_GT(peak, 0U);
    EXPECT_LT(peak, kMostMemory);
}

INSTANTIATE_TEST_SUITE_P(Ways, LargeBundles,
                         testing::Values(Way{"tcpclv4", "7"}, Way{"tcpclv4", "6"},
                                         Way{"tcpclv3", "7"}, Way{"stcp", "7"}, Way{"mtcp", "7"}),
                         [](const auto &way) {
                             return std::string(way.param.scheme) + "Bpv" + way.param.version;
                         });

}  // namespace
}  // namespace farlink::test::large_bundle_tools_test
