// SPDX-License-Identifier: Apache-2.0
#include "common/config/node/routing_fields.hpp"

#include <algorithm>

#include "common/bp/eid/eid_pattern.hpp"

namespace farlink::config {
namespace {

Priority priority_named(const std::string &name) {
    if (name == "bulk") return Priority::kBulk;
    return name == "expedited" ? Priority::kExpedited : Priority::kNormal;
}

FieldInfo node_field(std::string_view key, std::string_view help, bool required) {
    return {
        .key = key, .kind = FieldKind::kInteger, .required = required, .minimum = 1, .help = help};
}

const Table<StaticRoute> &static_route_table() {
    static const Table<StaticRoute> table{
        "staticRoutes[]",
        "A way to endpoints to which no contact of the plan leads. Of several that fit, one for an "
        "endpoint counts before one for a node, and that before the first of the other patterns.",
        {
            {node_field("destinationNodeId", "Node that the bundles go to.", false),
             [](StaticRoute &to, const Value &value) {
                 to.destination = NodeNumber{value.number<std::uint64_t>()};
             }},
            {{.key = "destination",
              .kind = FieldKind::kText,
              .help = "In its place: an endpoint or a pattern of either scheme: `ipn:40.1`, "
                      "`ipn:40.*`, `ipn:*.7`, `dtn://mars/**`, `dtn://mars/inbox`, `dtn:**`."},
             [](StaticRoute &to, const Value &value) { to.endpoints = value.as<std::string>(); }},
            {node_field("nextHopNodeId", "Neighbour that passes them on.", true),
             [](StaticRoute &to, const Value &value) {
                 to.next_hop = NodeNumber{value.number<std::uint64_t>()};
             }},
        }};
    return table;
}

const Table<NodeEndpoints> &node_endpoints_table() {
    static const Table<NodeEndpoints> table{
        "nodeEndpoints[]",
        "Endpoints of the dtn scheme that belong to a node: contact plan, policies' paths, static "
        "routes and what operators hold count for them as for the node's own.",
        {
            {node_field("nodeId", "The node, by the number that it has in contact plans.", true),
             [](NodeEndpoints &to, const Value &value) {
                 to.node = NodeNumber{value.number<std::uint64_t>()};
             }},
            {{.key = "endpoints",
              .kind = FieldKind::kTexts,
              .required = true,
              .help = "Endpoints and patterns: `dtn://mars/**` is all of a node."},
             [](NodeEndpoints &to, const Value &value) {
                 to.endpoints = value.as<std::vector<std::string>>();
             }},
        }};
    return table;
}

const Table<PolicyPath> &policy_path_table() {
    static const Table<PolicyPath> table{
        "paths[]",
        "A neighbour by which bundles may leave.",
        {
            {node_field("nextHopNodeId", "The neighbour.", true),
             [](PolicyPath &to, const Value &value) {
                 to.next_hop = NodeNumber{value.number<std::uint64_t>()};
             }},
            {{.key = "weight",
              .kind = FieldKind::kInteger,
              .minimum = 1,
              .maximum = 1000,
              .fallback = std::uint64_t{1},
              .help = "Its share of the bundles, compared with the other paths', with `spread`."},
             [](PolicyPath &to, const Value &value) { to.weight = value.number<std::uint32_t>(); }},
        }};
    return table;
}

std::vector<Field<RoutingPolicy>> policy_conditions() {
    return {
        {node_field("sourceNodeId", "Node that the bundles come from; any when not given.", false),
         [](RoutingPolicy &to, const Value &value) {
             to.source = NodeNumber{value.number<std::uint64_t>()};
         }},
        {{.key = "destination",
          .kind = FieldKind::kText,
          .help = "Endpoint that they go to, or a pattern of either scheme: `ipn:40.1`, "
                  "`ipn:40.*`, `dtn://mars/**`; any when not given."},
         [](RoutingPolicy &to, const Value &value) { to.destination = value.as<std::string>(); }},
        {{.key = "service",
          .kind = FieldKind::kInteger,
          .help = "Service number of the destination, on whatever node; any when not given."},
         [](RoutingPolicy &to, const Value &value) { to.service = value.number<std::uint64_t>(); }},
        {{.key = "priority",
          .kind = FieldKind::kChoice,
          .choices = {"bulk", "normal", "expedited"},
          .help = "Priority of the bundles; any when not given."},
         [](RoutingPolicy &to, const Value &value) {
             to.priority = priority_named(value.as<std::string>());
         }},
    };
}

std::vector<Field<RoutingPolicy>> policy_actions() {
    return {
        {{.key = "assignPriority",
          .kind = FieldKind::kChoice,
          .choices = {"bulk", "normal", "expedited"},
          .help = "BPv7 bundles have no priority of their own and are `normal`; these get this "
                  "one. It counts for the policies' `priority`, too."},
         [](RoutingPolicy &to, const Value &value) {
             to.assign_priority = priority_named(value.as<std::string>());
         }},
        {{.key = "critical",
          .kind = FieldKind::kBoolean,
          .fallback = false,
          .help = "BPv7 bundles that fit go by every neighbour that may bring them there in time, "
                  "as BPv6 bundles do whose extended class of service block asks for it."},
         [](RoutingPolicy &to, const Value &value) { to.critical = value.as<bool>(); }},
        {{.key = "paths",
          .kind = FieldKind::kList,
          .section = &policy_path_table().info(),
          .help = "Neighbours in the order of preference. The first whose link is up is taken; "
                  "when none is, the routes of the plan count."},
         [](RoutingPolicy &to, const Value &value) {
             to.paths = policy_path_table().build_all(value.as<List>());
         }},
        {{.key = "spread",
          .kind = FieldKind::kBoolean,
          .fallback = false,
          .help = "Share the bundles out among all paths whose link is up, by `weight`. Bundles "
                  "of one source and destination stay on one path, so that they stay in order."},
         [](RoutingPolicy &to, const Value &value) { to.spread = value.as<bool>(); }},
    };
}

const Table<RoutingPolicy> &policy_table() {
    static const Table<RoutingPolicy> table = [] {
        std::vector<Field<RoutingPolicy>> fields = policy_conditions();
        append_fields(fields, policy_actions());
        return Table<RoutingPolicy>{
            "policies[]",
            "What bundles that fit do instead of following the plan. The first policy that fits "
            "and has paths counts, of those with `assignPriority` the first that fits, and of "
            "those "
            "with `critical` any that fits. They hold for what waits in storage, too.",
            std::move(fields)};
    }();
    return table;
}

void check_pattern(const std::string &pattern, const std::string &path,
                   std::vector<ConfigError> &errors) {
    if (!bp::EidPattern::parse(pattern))
        errors.push_back({path,
                          "found \"" + pattern + '"',
                          "an endpoint like ipn:10.1, or a pattern like ipn:10.* or dtn://name/**",
                          {}});
}

void check_static(const StaticRoute &route, NodeNumber node, const std::string &path,
                  std::vector<ConfigError> &errors) {
    const bool by_number = route.destination != NodeNumber{};
    if (by_number != route.endpoints.empty())
        errors.push_back(
            {path,
             by_number ? "found both destinationNodeId and destination" : "no destination",
             "either destinationNodeId or destination",
             {}});
    if (!route.endpoints.empty()) check_pattern(route.endpoints, path + ".destination", errors);
    if (route.next_hop != NodeNumber{} && route.next_hop == node)
        errors.push_back({path + ".nextHopNodeId", "found this node", "a neighbour", {}});
}

void check_node_endpoints(const NodeEndpoints &known, const std::string &path,
                          std::vector<ConfigError> &errors) {
    for (std::size_t at = 0; at < known.endpoints.size(); ++at) {
        const std::string place = item_path(path + ".endpoints", at);
        check_pattern(known.endpoints[at], place, errors);
        if (known.endpoints[at].starts_with("ipn:"))
            errors.push_back(
                {place, "found an endpoint that says its node", "one of the dtn scheme", {}});
    }
}

void check_policy(const RoutingPolicy &policy, NodeNumber node, const std::string &path,
                  std::vector<ConfigError> &errors) {
    if (policy.paths.empty() && !policy.assign_priority && !policy.critical)
        errors.push_back({path, "no effect", "paths, assignPriority or critical", {}});
    if (!policy.destination.empty())
        check_pattern(policy.destination, path + ".destination", errors);
    for (std::size_t at = 0; at < policy.paths.size(); ++at) {
        const NodeNumber hop = policy.paths[at].next_hop;
        const std::string place = item_path(path + ".paths", at) + ".nextHopNodeId";
        if (hop != NodeNumber{} && hop == node)
            errors.push_back({place, "found this node", "a neighbour", {}});
        for (std::size_t before = 0; before < at; ++before)
            if (hop != NodeNumber{} && policy.paths[before].next_hop == hop)
                errors.push_back({place,
                                  "found " + std::to_string(hop.value()) + " again",
                                  "each neighbour once",
                                  {}});
    }
}

}  // namespace

const Table<RoutingConfig> &routing_table() {
    static const Table<RoutingConfig> table{
        "routing",
        "Routes beside the contact plan. For each bundle the first of these counts that knows a "
        "way: a policy, the plan, a static route, the default gateway.",
        {
            {node_field("defaultGateway",
                        "Neighbour that takes bundles to which nothing else leads.", false),
             [](RoutingConfig &to, const Value &value) {
                 to.default_gateway = NodeNumber{value.number<std::uint64_t>()};
             }},
            {{.key = "returnToSender",
              .kind = FieldKind::kBoolean,
              .fallback = false,
              .help = "Whether a bundle may leave by the neighbour that it came from."},
             [](RoutingConfig &to, const Value &value) { to.return_to_sender = value.as<bool>(); }},
            {{.key = "hopLimit",
              .kind = FieldKind::kInteger,
              .minimum = 0,
              .maximum = 255,
              .fallback = std::uint64_t{64},
              .help = "Nodes that a BPv7 bundle may pass which this node makes itself (status "
                      "reports, echoes, pings); 0: any number."},
             [](RoutingConfig &to, const Value &value) {
                 to.hop_limit = value.number<std::uint8_t>();
             }},
            {{.key = "addHopLimit",
              .kind = FieldKind::kInteger,
              .minimum = 0,
              .maximum = 255,
              .fallback = std::uint64_t{64},
              .help = "Hop limit of the hop count block that a BPv7 bundle without one gets when "
                      "it leaves by a static route or the default gateway; 0: it gets none."},
             [](RoutingConfig &to, const Value &value) {
                 to.add_hop_limit = value.number<std::uint8_t>();
             }},
            {{.key = "staticRoutes",
              .kind = FieldKind::kList,
              .section = &static_route_table().info(),
              .help = "Ways to nodes that the plan does not reach."},
             [](RoutingConfig &to, const Value &value) {
                 to.statics = static_route_table().build_all(value.as<List>());
             }},
            {{.key = "policies",
              .kind = FieldKind::kList,
              .section = &policy_table().info(),
              .help = "Ways that come before those of the plan."},
             [](RoutingConfig &to, const Value &value) {
                 to.policies = policy_table().build_all(value.as<List>());
             }},
            {{.key = "nodeEndpoints",
              .kind = FieldKind::kList,
              .section = &node_endpoints_table().info(),
              .help = "Which node endpoints of the dtn scheme belong to. What a link has as "
                      "`peerNodeId` belongs to its neighbour without being listed here."},
             [](RoutingConfig &to, const Value &value) {
                 to.nodes = node_endpoints_table().build_all(value.as<List>());
             }},
        }};
    return table;
}

void check_routing(const RoutingConfig &routing, NodeNumber node,
                   std::vector<ConfigError> &errors) {
    if (routing.default_gateway != NodeNumber{} && routing.default_gateway == node)
        errors.push_back({"routing.defaultGateway", "found this node", "a neighbour", {}});
    for (std::size_t at = 0; at < routing.statics.size(); ++at) {
        const StaticRoute &route = routing.statics[at];
        const std::string path = item_path("routing.staticRoutes", at);
        check_static(route, node, path, errors);
        for (std::size_t before = 0; before < at; ++before) {
            const StaticRoute &other = routing.statics[before];
            const bool by_number = route.destination != NodeNumber{};
            if (other.destination != route.destination || other.endpoints != route.endpoints)
                continue;
            errors.push_back({path + (by_number ? ".destinationNodeId" : ".destination"),
                              "found " +
                                  (by_number ? std::to_string(route.destination.value())
                                             : '"' + route.endpoints + '"') +
                                  " again",
                              "one route for each destination",
                              {}});
        }
    }
    for (std::size_t at = 0; at < routing.nodes.size(); ++at)
        check_node_endpoints(routing.nodes[at], item_path("routing.nodeEndpoints", at), errors);
    for (std::size_t at = 0; at < routing.policies.size(); ++at)
        check_policy(routing.policies[at], node, item_path("routing.policies", at), errors);
}

}  // namespace farlink::config
