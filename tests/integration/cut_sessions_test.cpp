// SPDX-License-Identifier: Apache-2.0
// Sessions that are cut at any octet, on both sides of a node, while bundles flow: each bundle is
// delivered once, and repeated transfers are counted.
#include <gtest/gtest.h>

#include <optional>

#include "tests/support/cutting_proxy.hpp"
#include "tests/support/temp_folder.hpp"
#include "tests/support/tool_programs.hpp"

namespace farlink::test::cut_sessions_test {
namespace {

using Json = nlohmann::json;

constexpr int kCuts = 12;
constexpr int kBundles = 4000;

class CutSessions : public testing::TestWithParam<std::tuple<const char *, int>> {};

INSTANTIATE_TEST_SUITE_P(Seeds, CutSessions,
                         testing::Combine(testing::Values("tcpclv3", "tcpclv4"),
                                          testing::Range(1, 4)));

TEST_P(CutSessions, EveryBundleIsDeliveredOnce) {
    const auto &[scheme, seed] = GetParam();
    const TempFolder folder;
    SinkProgram sink(loopback_url(scheme, 0), {"--until-complete"});
    CuttingProxy behind(sink.port(), static_cast<std::uint64_t>(seed), kCuts, 150'000);

    Json config{{"myNodeId", 10}, {"storageConfig", {{"storeFilePath", "store"}}}};
    config["inductsConfig"] = Json::array({{{"url", loopback_url(scheme, 0)}}});
    config["outductsConfig"] = Json::array({{{"url", loopback_url(scheme, behind.port())},
                                             {"nextHopNodeId", 2},
                                             {"reconnectMinMilliseconds", 1},
                                             {"reconnectMaxMilliseconds", 50}}});
    folder.write("node.json", config.dump());
    ChildProcess node({program("farlink"), "--config", folder / "node.json", "--counters"});
    const Json ready = Json::parse(node.line(ChildProcess::kOut), nullptr, false);
    ASSERT_TRUE(ready.is_object() && ready.contains("ports")) << node.unread(ChildProcess::kErr);
    CuttingProxy before(ready["ports"][0].get<std::uint16_t>(),
                        static_cast<std::uint64_t>(seed) + 100, kCuts, 150'000);

    GeneratorProgram generator(
        loopback_url(scheme, before.port(),
                     "?reconnectMinMilliseconds=1&reconnectMaxMilliseconds=50"),
        {"--bundles", std::to_string(kBundles), "--bundle-size", "300"});
    EXPECT_EQ(generator.wait(), 0) << generator.unread(ChildProcess::kErr);
    (void)sink.wait();
    const Json report = sink.report();
    EXPECT_EQ(report["received"], kBundles) << report;
    EXPECT_EQ(report["lost"], 0) << report;
    EXPECT_EQ(report["corrupt"], 0) << report;
    EXPECT_EQ(report["malformed"], 0) << report;
    EXPECT_EQ(before.cuts(), kCuts);
    EXPECT_GT(behind.cuts(), 0);
    node.signal(SIGTERM);
    EXPECT_EQ(node.wait(), 0) << node.unread(ChildProcess::kErr);
}

}  // namespace
}  // namespace farlink::test::cut_sessions_test
