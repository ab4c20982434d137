// SPDX-License-Identifier: Apache-2.0
#include "common/config_import/ion/route_assembly.hpp"

#include <algorithm>
#include <optional>
#include <set>
#include <string>

#include "common/bp/eid/eid.hpp"
#include "common/config/fields/config_error.hpp"

namespace farlink::config {
namespace {

using Json = nlohmann::ordered_json;

/// A wider exit becomes the default gateway; static routes name single nodes.
constexpr std::uint64_t kMostNodesOfExit = 1000;

std::uint64_t width_of(const ExitDraft &exit) {
    return exit.last - exit.first;  // one less than its nodes, which may be 2^64
}

/// "ipn:41.*"
std::string all_of_node(std::uint64_t node) {
    std::string text = bp::Eid(node, 0).to_string();
    text.back() = '*';
    return text;
}

class RouteAssembly {
public:
    RouteAssembly(const NodeDraft &draft, const ImportedLinks &links, CommandVerdicts &verdicts)
        : draft_(draft), links_(links), verdicts_(verdicts), statics_(links.static_routes) {
        for (const auto &[node, outduct] : links.neighbours) routed_.insert(node);
        for (const Json &route : statics_)
            if (route.contains("destinationNodeId"))
                routed_.insert(route["destinationNodeId"].get<std::uint64_t>());
        if (draft.node) routed_.insert(*draft.node);
    }

    Json run() {
        std::vector<const ExitDraft *> exits;
        for (const ExitDraft &exit : draft_.exits) exits.push_back(&exit);
        std::ranges::stable_sort(exits, {}, [](const ExitDraft *exit) { return width_of(*exit); });
        for (const ExitDraft *const exit : exits) add_exit(*exit);
        add_policies();
        Json routing = Json::object();
        if (gateway_) routing["defaultGateway"] = *gateway_;
        if (!statics_.empty()) routing["staticRoutes"] = std::move(statics_);
        if (!policies_.empty()) routing["policies"] = std::move(policies_);
        if (!links_.node_endpoints.empty()) routing["nodeEndpoints"] = links_.node_endpoints;
        return routing;
    }

private:
    void add_exit(const ExitDraft &exit) {
        const auto node = gateway_of(exit.gateway);
        if (!node)
            return verdicts_.refused(exit.command, "the gateway " + in_quotes(exit.gateway) +
                                                       " is not a neighbour with an outduct");
        if (width_of(exit) >= kMostNodesOfExit) return add_wide(exit, *node);
        std::size_t added = 0;
        for (std::uint64_t at = exit.first;; ++at) {
            if (routed_.insert(at).second) {
                statics_.push_back({{"destinationNodeId", at}, {"nextHopNodeId", *node}});
                ++added;
            }
            if (at == exit.last) break;
        }
        if (added == 0)
            return verdicts_.noted(exit.command,
                                   "all of its nodes belong to narrower exits or have links");
        verdicts_.mapped(exit.command, std::to_string(added) +
                                           (added == 1 ? " static route" : " static routes") +
                                           " by neighbour " + std::to_string(*node));
    }

    void add_wide(const ExitDraft &exit, std::uint64_t node) {
        if (gateway_ && *gateway_ != node)
            return verdicts_.refused(exit.command, "more than " + std::to_string(kMostNodesOfExit) +
                                                       " nodes in addition to another exit of this "
                                                       "width: farlink has one default gateway");
        gateway_ = node;
        verdicts_.changed(exit.command, "defaultGateway " + std::to_string(node) +
                                            ", for all destinations without another route");
    }

    [[nodiscard]] std::optional<std::uint64_t> gateway_of(const std::string &id) const {
        std::optional<std::uint64_t> node = ipn_node_of(id);
        if (const auto name = dtn_name_of(id)) {
            const auto found = links_.dtn_neighbours.find(*name);
            if (found != links_.dtn_neighbours.end()) node = found->second;
        }
        return node && links_.neighbours.contains(*node) ? node : std::nullopt;
    }

    /// Those for fewer bundles come first, as ION chooses them.
    void add_policies() {
        std::vector<OverrideDraft> overrides = draft_.overrides;
        std::ranges::stable_sort(overrides, {}, [](const OverrideDraft &each) {
            return (each.destination == 0 ? 2 : 0) + (each.source == 0 ? 1 : 0);
        });
        for (const OverrideDraft &each : overrides) add_policy(each);
    }

    void add_policy(const OverrideDraft &made) {
        Json policy = Json::object();
        if (made.source != 0) policy["sourceNodeId"] = made.source;
        if (made.destination != 0) policy["destination"] = all_of_node(made.destination);
        if (made.neighbour == 0) {
            constexpr const char *kPriorities[]{"bulk", "normal", "expedited"};
            policy["assignPriority"] = kPriorities[made.priority];
            verdicts_.mapped(made.command, item_path("routing.policies", policies_.size()));
            policies_.push_back(std::move(policy));
            return;
        }
        if (!links_.neighbours.contains(made.neighbour))
            return verdicts_.refused(made.command, "node " + std::to_string(made.neighbour) +
                                                       " is not a neighbour with an outduct");
        Json path = Json::object();
        path["nextHopNodeId"] = made.neighbour;
        policy["paths"] = Json::array({path});
        verdicts_.mapped(made.command, item_path("routing.policies", policies_.size()));
        policies_.push_back(std::move(policy));
    }

    const NodeDraft &draft_;
    const ImportedLinks &links_;
    CommandVerdicts &verdicts_;
    Json statics_;
    Json policies_ = Json::array();
    std::set<std::uint64_t> routed_;  ///< nodes that have a route already
    std::optional<std::uint64_t> gateway_;
};

}  // namespace

Json assemble_routes(const NodeDraft &draft, const ImportedLinks &links,
                     CommandVerdicts &verdicts) {
    return RouteAssembly(draft, links, verdicts).run();
}

}  // namespace farlink::config
