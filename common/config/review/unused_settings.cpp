// SPDX-License-Identifier: Apache-2.0
#include "common/config/review/unused_settings.hpp"

#include "common/bp/eid/eid_pattern.hpp"
#include "common/bp/eid/reserved.hpp"
#include "common/config/fields/config_error.hpp"

namespace farlink::config {
namespace {

/// Bundles for the null endpoint are deleted, those for the local node stay here (RFC 9758).
bool is_never_forwarded(const bp::EidView &endpoint) {
    return bp::leads_nowhere(endpoint) || bp::is_local_node(endpoint);
}

bool matches_no_forwarded(const std::string &text) {
    const auto pattern = bp::EidPattern::parse(text);
    if (!pattern) return false;
    if (pattern->is_endpoint()) return is_never_forwarded(pattern->endpoint());
    const auto node = pattern->ipn_node();
    return node && is_never_forwarded(bp::ipn_eid(node->value(), 1));
}

std::string no_effect_text(const std::string &path, const std::string &destination) {
    return path + ": found " + destination +
           ", which matches no bundle: bundles for the null endpoint (dtn:none, ipn:0.S) are "
           "deleted, and those for the local node (ipn:!.S) are not forwarded";
}

}  // namespace

std::vector<std::string> review_unused_settings(const NodeConfig &config) {
    std::vector<std::string> lines;
    for (std::size_t at = 0; at < config.inducts.size(); ++at) {
        const InductConfig &induct = config.inducts[at];
        if (induct.on_no_resources == NoResources::kDisconnect && induct.url.scheme == "ltp")
            lines.push_back(item_path("inductsConfig", at) +
                            ".onNoResources: found disconnect, which acts as refuse with LTP");
    }
    const RoutingConfig &routing = config.routing;
    for (std::size_t at = 0; at < routing.statics.size(); ++at) {
        const StaticRoute &route = routing.statics[at];
        const std::string path = item_path("routing.staticRoutes", at);
        if (matches_no_forwarded(route.endpoints))
            lines.push_back(no_effect_text(path + ".destination", route.endpoints));
        else if (route.destination == NodeNumber{bp::kLocalNodeNumber})
            lines.push_back(no_effect_text(path + ".destinationNodeId",
                                           std::to_string(route.destination.value())));
    }
    for (std::size_t at = 0; at < routing.policies.size(); ++at)
        if (const std::string &to = routing.policies[at].destination; matches_no_forwarded(to))
            lines.push_back(no_effect_text(item_path("routing.policies", at) + ".destination", to));
    return lines;
}

}  // namespace farlink::config
