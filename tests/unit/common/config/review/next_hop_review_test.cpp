// SPDX-License-Identifier: Apache-2.0
#include "common/config/review/next_hop_review.hpp"

#include <gtest/gtest.h>

#include "common/config/node/load_node_config.hpp"

namespace farlink::config::next_hop_review_test {
namespace {

using Lines = std::vector<std::string>;

/// Of node 1 with an outduct to node 2; `induct` and `routing` are members of these.
Lines review(const std::string &induct, const std::string &routing,
             const ContactPlan *plan = nullptr) {
    const auto config = parse_node_config(
        R"({"myNodeId": 1, "inductsConfig": [{"url": "tcpclv4://127.0.0.1:0")" + induct +
        R"(}], "outductsConfig": [{"url": "stcp://127.0.0.1:1", "nextHopNodeId": 2}],
            "routing": {)" +
        routing + "}}");
    EXPECT_TRUE(config) << config.error().to_string();
    return config ? review_next_hops(*config, plan) : Lines{};
}

PlanContact contact(std::uint64_t id, std::uint64_t from, std::uint64_t to) {
    PlanContact made;
    made.id = id;
    made.source = NodeNumber{from};
    made.destination = NodeNumber{to};
    return made;
}

TEST(NextHopReview, NamesEveryNextHopThatNoLinkLeadsTo) {
    EXPECT_EQ(review("", R"("defaultGateway": 2)"), Lines{});
    const Lines lines = review("", R"("defaultGateway": 9,
                      "staticRoutes": [{"destinationNodeId": 5, "nextHopNodeId": 2},
                                       {"destinationNodeId": 6, "nextHopNodeId": 8}],
                      "policies": [{"paths": [{"nextHopNodeId": 2}, {"nextHopNodeId": 7}]}])");
    const std::string text =
        ", and no induct has it as a neighbour: no bundle is forwarded to it; bundles without "
        "another route wait";
    EXPECT_EQ(lines, (Lines{"routing.defaultGateway: no outduct leads to node 9" + text,
                            "routing.staticRoutes[1]: no outduct leads to node 8" + text,
                            "routing.policies[0].paths[1]: no outduct leads to node 7" + text}));
}

TEST(NextHopReview, ANeighbourOfAnInductIsReached) {
    const std::string gateway = R"("defaultGateway": 9)";
    EXPECT_EQ(review(R"(, "neighbours": [{"nodeId": 9, "address": "192.0.2.9"}])", gateway),
              Lines{});
    EXPECT_EQ(review(R"(, "neighbours": [{"address": "192.0.2.0/24"}])", gateway), Lines{})
        << "any node may come from there";
    EXPECT_EQ(review(R"(, "neighbours": [{"nodeId": 8, "address": "192.0.2.9"}])", gateway).size(),
              1U);
}

TEST(NextHopReview, AContactOfThisNodeNeedsALink) {
    ContactPlan plan;
    plan.contacts = {contact(1, 1, 2), contact(2, 1, 3), contact(3, 1, 3), contact(4, 4, 5)};
    const Lines lines = review("", "", &plan);
    ASSERT_EQ(lines.size(), 1U) << "a node is named once";
    EXPECT_TRUE(lines[0].starts_with("contact plan: contact 2: no outduct leads to node 3"))
        << lines[0];
}

}  // namespace
}  // namespace farlink::config::next_hop_review_test
