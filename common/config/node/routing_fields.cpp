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
        "A route to endpoints to which no contact of the plan leads. If several match, one for an "
        "endpoint precedes one for a node, which precedes the first of the other patterns.",
        {
            {node_field("destinationNodeId", "Destination node of the bundles.", false),
             &StaticRoute::destination},
            {{.key = "destination",
              .kind = FieldKind::kText,
              .help = "Instead of a node: an endpoint or a pattern of either scheme: `ipn:40.1`, "
                      "`ipn:40.*`, `ipn:*.7`, `dtn://mars/**`, `dtn://mars/inbox`, `dtn:**`."},
             &StaticRoute::endpoints},
            {node_field("nextHopNodeId", "Neighbour that forwards the bundles.", true),
             &StaticRoute::next_hop},
        }};
    return table;
}

const Table<NodeEndpoints> &node_endpoints_table() {
    static const Table<NodeEndpoints> table{
        "nodeEndpoints[]",
        "Endpoints of the dtn scheme that belong to a node: the contact plan, static routes to the "
        "node and operators' holds apply to them as to its `ipn` endpoints. A policy with a "
        "`destination` applies only if that matches the dtn endpoint.",
        {
            {node_field("nodeId", "The node, by its number in contact plans.", true),
             &NodeEndpoints::node},
            {{.key = "endpoints",
              .kind = FieldKind::kTexts,
              .required = true,
              .help = "Endpoints and patterns: `dtn://mars/**` is all endpoints of a node."},
             &NodeEndpoints::endpoints},
        }};
    return table;
}

const Table<PolicyPath> &policy_path_table() {
    static const Table<PolicyPath> table{
        "paths[]",
        "A neighbour through which bundles may leave.",
        {
            {node_field("nextHopNodeId", "The neighbour.", true), &PolicyPath::next_hop},
            {{.key = "weight",
              .kind = FieldKind::kInteger,
              .minimum = 1,
              .maximum = 1000,
              .fallback = std::uint64_t{1},
              .help = "Share of the bundles relative to the other paths, with `spread`."},
             &PolicyPath::weight},
        }};
    return table;
}

std::vector<Field<RoutingPolicy>> policy_conditions() {
    return {
        {node_field("sourceNodeId",
                    "Source node of the bundles; a source of the dtn scheme does not match; "
                    "default: any.",
                    false),
         &RoutingPolicy::source},
        {{.key = "destination",
          .kind = FieldKind::kText,
          .help = "Destination endpoint, or a pattern of either scheme: `ipn:40.1`, `ipn:40.*`, "
                  "`dtn://mars/**`; default: any."},
         &RoutingPolicy::destination},
        {{.key = "service",
          .kind = FieldKind::kInteger,
          .help = "Service number of the destination, on any node; default: any."},
         &RoutingPolicy::service},
        {{.key = "priority",
          .kind = FieldKind::kChoice,
          .choices = {"bulk", "normal", "expedited"},
          .help = "Priority of the bundles; default: any."},
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
          .help = "Priority assigned to BPv7 bundles, which have none of their own and are "
                  "otherwise `normal`, also for the `priority` of this policy. The assigned one "
                  "counts for the `priority` of policies with `paths` or `critical`."},
         [](RoutingPolicy &to, const Value &value) {
             to.assign_priority = priority_named(value.as<std::string>());
         }},
        {{.key = "critical",
          .kind = FieldKind::kBoolean,
          .fallback = false,
          .help = "Matching BPv7 bundles are sent to every neighbour through which they can arrive "
                  "in time, like BPv6 bundles that are marked critical in their extended class of "
                  "service block."},
         &RoutingPolicy::critical},
        {{.key = "paths",
          .kind = FieldKind::kList,
          .section = &policy_path_table().info(),
          .help = "Neighbours in order of preference. The first whose link is up is used; if none "
                  "is, the routes of the plan apply."},
         [](RoutingPolicy &to, const Value &value) {
             to.paths = policy_path_table().build_all(value.as<List>());
         }},
        {{.key = "spread",
          .kind = FieldKind::kBoolean,
          .fallback = false,
          .help = "Distribute the bundles over all paths whose link is up, by `weight`. Bundles of "
                  "one source and destination stay on one path, to keep their order."},
         &RoutingPolicy::spread},
    };
}

const Table<RoutingPolicy> &policy_table() {
    static const Table<RoutingPolicy> table = [] {
        std::vector<Field<RoutingPolicy>> fields = policy_conditions();
        append_fields(fields, policy_actions());
        return Table<RoutingPolicy>{
            "policies[]",
            "Rules that apply to matching bundles in place of the plan. The first matching policy "
            "with paths applies; for `assignPriority` the first matching policy that has it, and "
            "for `critical` any that matches. Policies also apply to stored bundles.",
            std::move(fields)};
    }();
    return table;
}

void check_pattern(const std::string &pattern, const std::string &path,
                   std::vector<ConfigError> &errors) {
    if (!bp::EidPattern::parse(pattern))
        errors.push_back(
            {path,
             "found \"" + pattern + '"',
             "an endpoint such as ipn:10.1, or a pattern such as ipn:10.* or dtn://name/**",
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
                {place, "found an endpoint that contains its node", "one of the dtn scheme", {}});
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
        "Routes in addition to the contact plan. For each bundle the first of these that yields a "
        "next hop applies: a policy, the plan, a static route, the default gateway.",
        {
            {node_field("defaultGateway",
                        "Neighbour for bundles to which no other rule applies. While its link is "
                        "up, also for bundles of a static route whose link is down.",
                        false),
             &RoutingConfig::default_gateway},
            {{.key = "returnToSender",
              .kind = FieldKind::kBoolean,
              .fallback = false,
              .help = "Whether a bundle may be returned to the neighbour from which it arrived."},
             &RoutingConfig::return_to_sender},
            {{.key = "hopLimit",
              .kind = FieldKind::kInteger,
              .minimum = 0,
              .maximum = 255,
              .fallback = std::uint64_t{64},
              .help = "Hop limit of BPv7 bundles that this node creates (status reports, echoes, "
                      "pings); 0: no limit."},
             &RoutingConfig::hop_limit},
            {{.key = "addHopLimit",
              .kind = FieldKind::kInteger,
              .minimum = 0,
              .maximum = 255,
              .fallback = std::uint64_t{64},
              .help =
                  "Hop limit of the hop count block that is added to a BPv7 bundle without one, "
                  "if on its arrival the next hop comes from a policy, a static route, the "
                  "default gateway or a detour, or there is none; 0: no block is added."},
             &RoutingConfig::add_hop_limit},
            {{.key = "staticRoutes",
              .kind = FieldKind::kList,
              .section = &static_route_table().info(),
              .help = "Routes to nodes that the plan does not reach."},
             [](RoutingConfig &to, const Value &value) {
                 to.statics = static_route_table().build_all(value.as<List>());
             }},
            {{.key = "policies",
              .kind = FieldKind::kList,
              .section = &policy_table().info(),
              .help = "Rules that precede the routes of the plan."},
             [](RoutingConfig &to, const Value &value) {
                 to.policies = policy_table().build_all(value.as<List>());
             }},
            {{.key = "reassembleInTransit",
              .kind = FieldKind::kTexts,
              .help = "Destinations whose fragments are joined at this node, endpoints or "
                      "patterns: for nodes that cannot join them themselves. Other routes must "
                      "not carry a part of the fragments past this node."},
             &RoutingConfig::reassemble},
            {{.key = "nodeEndpoints",
              .kind = FieldKind::kList,
              .section = &node_endpoints_table().info(),
              .help = "The node to which endpoints of the dtn scheme belong. The `peerNodeId` of a "
                      "link belongs to its neighbour without an entry here."},
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
    for (std::size_t at = 0; at < routing.reassemble.size(); ++at)
        check_pattern(routing.reassemble[at], item_path("routing.reassembleInTransit", at), errors);
    for (std::size_t at = 0; at < routing.policies.size(); ++at)
        check_policy(routing.policies[at], node, item_path("routing.policies", at), errors);
}

}  // namespace farlink::config
