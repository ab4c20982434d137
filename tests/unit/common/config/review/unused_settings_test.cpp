// SPDX-License-Identifier: Apache-2.0
#include "common/config/review/unused_settings.hpp"

#include <gtest/gtest.h>

#include "common/config/node/load_node_config.hpp"

namespace farlink::config::unused_settings_test {
namespace {

/// Of node 1 with an induct of this scheme and an outduct to node 2.
std::vector<std::string> review(const std::string &scheme, const std::string &routing,
                                const std::string &induct = "") {
    const auto config = parse_node_config(
        R"({"myNodeId": 1, "inductsConfig": [{"url": ")" + scheme + R"(://127.0.0.1:4556")" +
        induct + R"(}], "outductsConfig": [{"url": "stcp://127.0.0.1:1", "nextHopNodeId": 2}],
            "routing": {)" +
        routing + "}}");
    EXPECT_TRUE(config) << config.error().to_string();
    return config ? review_unused_settings(*config) : std::vector<std::string>{};
}

TEST(UnusedSettings, ARuleForAReservedDestinationMatchesNothing) {
    for (const char *reserved : {"ipn:!.5", "dtn:none", "ipn:0.*", "ipn:0.7"}) {
        const std::string to = std::string("\"destination\": \"") + reserved + "\"";
        const auto lines = review("tcpclv4", "\"staticRoutes\": [{" + to +
                                                 ", \"nextHopNodeId\": 2}], \"policies\": [{" + to +
                                                 ", \"paths\": [{\"nextHopNodeId\": 2}]}]");
        ASSERT_EQ(lines.size(), 2U) << reserved;
        EXPECT_TRUE(lines[0].starts_with("routing.staticRoutes[0].destination: found "))
            << lines[0];
        EXPECT_TRUE(lines[1].starts_with("routing.policies[0].destination: found ")) << lines[1];
    }
}

TEST(UnusedSettings, OtherRulesAreUsed) {
    EXPECT_TRUE(review("tcpclv4", R"("staticRoutes": [
                    {"destination": "dtn://mars/**", "nextHopNodeId": 2},
                    {"destination": "ipn:5.*", "nextHopNodeId": 2},
                    {"destinationNodeId": 6, "nextHopNodeId": 2}],
                    "policies": [{"paths": [{"nextHopNodeId": 2}]},
                                 {"destination": "*:**", "paths": [{"nextHopNodeId": 2}]}])")
                    .empty());
}

TEST(UnusedSettings, LtpHasNoSessionToDisconnect) {
    const std::string disconnect = R"(, "onNoResources": "disconnect")";
    EXPECT_TRUE(review("tcpclv4", "", disconnect).empty());
    const std::string ltp = R"(, "thisLtpEngineId": 1)";
    EXPECT_TRUE(review("ltp", "", ltp).empty());
    const auto lines = review("ltp", "", ltp + disconnect);
    ASSERT_EQ(lines.size(), 1U);
    EXPECT_EQ(lines[0],
              "inductsConfig[0].onNoResources: found disconnect, which acts as refuse with LTP");
}

}  // namespace
}  // namespace farlink::config::unused_settings_test
