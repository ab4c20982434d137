// SPDX-License-Identifier: Apache-2.0
#include "common/config/node/routing_fields.hpp"

#include <gtest/gtest.h>

#include "common/config/node/load_node_config.hpp"

namespace farlink::config::routing_fields_test {
namespace {

Result<NodeConfig, ConfigErrors> node_with(std::string_view routing) {
    return parse_node_config(R"({"myNodeId": 10, "inductsConfig": [{"url": "stcp://h:1"}],
                                 "routing": )" +
                             std::string(routing) + "}");
}

/// The one error of a section.
std::string error_of(std::string_view routing) {
    const auto config = node_with(routing);
    if (config || config.error().errors.size() != 1) return "not one error";
    return config.error().errors[0].to_string();
}

TEST(RoutingFields, NothingIsSaidByDefault) {
    const auto config = node_with("{}");
    ASSERT_TRUE(config) << config.error().to_string();
    EXPECT_EQ(config->routing.default_gateway, NodeNumber{});
    EXPECT_FALSE(config->routing.return_to_sender);
    EXPECT_EQ(config->routing.hop_limit, 64U);
    EXPECT_EQ(config->routing.add_hop_limit, 64U);
    EXPECT_TRUE(config->routing.statics.empty());
    EXPECT_TRUE(config->routing.policies.empty());
}

TEST(RoutingFields, EverySettingArrives) {
    const auto config = node_with(R"({
        "defaultGateway": 2, "returnToSender": true, "hopLimit": 20, "addHopLimit": 0,
        "staticRoutes": [{"destinationNodeId": 40, "nextHopNodeId": 3},
                         {"destination": "dtn://mars/**", "nextHopNodeId": 4}],
        "nodeEndpoints": [{"nodeId": 50, "endpoints": ["dtn://venus/**"]}],
        "policies": [{"sourceNodeId": 7, "destination": "ipn:50.*", "service": 6,
                      "priority": "bulk", "assignPriority": "expedited", "spread": true,
                      "critical": true,
                      "paths": [{"nextHopNodeId": 3, "weight": 5}, {"nextHopNodeId": 4}]}]})");
    ASSERT_TRUE(config) << config.error().to_string();
    const RoutingConfig &routing = config->routing;
    EXPECT_EQ(routing.default_gateway, NodeNumber{2});
    EXPECT_TRUE(routing.return_to_sender);
    EXPECT_EQ(routing.hop_limit, 20U);
    EXPECT_EQ(routing.add_hop_limit, 0U);
    ASSERT_EQ(routing.statics.size(), 2U);
    EXPECT_EQ(routing.statics[1].destination, NodeNumber{});
    EXPECT_EQ(routing.statics[1].endpoints, "dtn://mars/**");
    ASSERT_EQ(routing.nodes.size(), 1U);
    EXPECT_EQ(routing.nodes[0].node, NodeNumber{50});
    EXPECT_EQ(routing.nodes[0].endpoints, std::vector<std::string>{"dtn://venus/**"});
    EXPECT_EQ(routing.statics[0].destination, NodeNumber{40});
    EXPECT_EQ(routing.statics[0].next_hop, NodeNumber{3});
    ASSERT_EQ(routing.policies.size(), 1U);
    const RoutingPolicy &policy = routing.policies[0];
    EXPECT_EQ(policy.source, NodeNumber{7});
    EXPECT_EQ(policy.destination, "ipn:50.*");
    EXPECT_EQ(policy.service, 6U);
    EXPECT_EQ(policy.priority, Priority::kBulk);
    EXPECT_EQ(policy.assign_priority, Priority::kExpedited);
    EXPECT_TRUE(policy.spread);
    EXPECT_TRUE(policy.critical);
    ASSERT_EQ(policy.paths.size(), 2U);
    EXPECT_EQ(policy.paths[0].weight, 5U);
    EXPECT_EQ(policy.paths[1].next_hop, NodeNumber{4});
    EXPECT_EQ(policy.paths[1].weight, 1U);
}

TEST(RoutingFields, ErrorsNameTheirPlace) {
    EXPECT_EQ(error_of(R"({"defaultGateway": 10})"),
              "routing.defaultGateway: found this node; expected a neighbour");
    EXPECT_EQ(error_of(R"({"policies": [{"destination": "ipn:4.*"}]})"),
              "routing.policies[0]: no effect; expected paths, assignPriority or critical");
    EXPECT_EQ(error_of(R"({"policies": [{"destination": "ipn:4*", "assignPriority": "bulk"}]})"),
              "routing.policies[0].destination: found \"ipn:4*\"; expected an endpoint such as "
              "ipn:10.1, or a pattern such as ipn:10.* or dtn://name/**");
    EXPECT_EQ(
        error_of(R"({"policies": [{"paths": [{"nextHopNodeId": 3}, {"nextHopNodeId": 3}]}]})"),
        "routing.policies[0].paths[1].nextHopNodeId: found 3 again; expected each neighbour "
        "once");
    EXPECT_EQ(error_of(R"({"staticRoutes": [{"destinationNodeId": 4, "nextHopNodeId": 10}]})"),
              "routing.staticRoutes[0].nextHopNodeId: found this node; expected a neighbour");
    EXPECT_EQ(error_of(R"({"staticRoutes": [{"destinationNodeId": 4, "nextHopNodeId": 2},
                                            {"destinationNodeId": 4, "nextHopNodeId": 3}]})"),
              "routing.staticRoutes[1].destinationNodeId: found 4 again; expected one route for "
              "each destination");
    EXPECT_EQ(error_of(R"({"staticRoutes": [{"nextHopNodeId": 2}]})"),
              "routing.staticRoutes[0]: no destination; expected either destinationNodeId or "
              "destination");
    EXPECT_EQ(error_of(R"({"staticRoutes": [{"destination": "dtn://a", "nextHopNodeId": 2}]})"),
              "routing.staticRoutes[0].destination: found \"dtn://a\"; expected an endpoint such "
              "as ipn:10.1, or a pattern such as ipn:10.* or dtn://name/**");
    EXPECT_EQ(error_of(R"({"nodeEndpoints": [{"nodeId": 4, "endpoints": ["ipn:4.1"]}]})"),
              "routing.nodeEndpoints[0].endpoints[0]: found an endpoint that contains its node; "
              "expected one of the dtn scheme");
}

TEST(RoutingFields, ANeighboursNameIsItsNodes) {
    const auto config = parse_node_config(R"({"myNodeId": 10,
        "outductsConfig": [{"url": "tcpclv4://h:1", "nextHopNodeId": 20,
                            "peerNodeId": "dtn://mars/"}]})");
    ASSERT_TRUE(config) << config.error().to_string();
    ASSERT_EQ(config->routing.nodes.size(), 1U);
    EXPECT_EQ(config->routing.nodes[0].node, NodeNumber{20});
    EXPECT_EQ(config->routing.nodes[0].endpoints, std::vector<std::string>{"dtn://mars/**"});
}

}  // namespace
}  // namespace farlink::config::routing_fields_test
