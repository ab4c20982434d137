// SPDX-License-Identifier: Apache-2.0
#include "common/config/review/next_hop_review.hpp"

#include <set>

#include "common/config/fields/config_error.hpp"

namespace farlink::config {
namespace {

LinkReach reach_of(const NodeConfig &config) {
    LinkReach reach;
    for (const OutductConfig &outduct : config.outducts) reach.add(outduct);
    for (const InductConfig &induct : config.inducts) reach.add(induct);
    return reach;
}

class NextHopReview {
public:
    explicit NextHopReview(const NodeConfig &config) : config_(config), reach_(reach_of(config)) {}

    std::vector<std::string> run(const ContactPlan *plan) {
        review_routing(config_.routing);
        if (plan != nullptr) review_plan(*plan);
        return std::move(lines_);
    }

private:
    void review_routing(const RoutingConfig &routing) {
        if (routing.default_gateway != NodeNumber{})
            check("routing.defaultGateway", routing.default_gateway);
        for (std::size_t i = 0; i < routing.statics.size(); ++i)
            check(item_path("routing.staticRoutes", i), routing.statics[i].next_hop);
        for (std::size_t i = 0; i < routing.policies.size(); ++i) {
            const std::string paths = item_path("routing.policies", i) + ".paths";
            for (std::size_t at = 0; at < routing.policies[i].paths.size(); ++at)
                check(item_path(paths, at), routing.policies[i].paths[at].next_hop);
        }
    }
    void review_plan(const ContactPlan &plan) {
        std::set<NodeNumber> known;
        for (const PlanContact &contact : plan.contacts)
            if (contact.source == config_.node && known.insert(contact.destination).second)
                check("contact plan: contact " + std::to_string(contact.id), contact.destination);
    }
    void check(const std::string &path, NodeNumber node) {
        if (reach_.includes(node)) return;
        lines_.push_back(path + ": " + no_link_text(node));
    }

    const NodeConfig &config_;
    const LinkReach reach_;
    std::vector<std::string> lines_;
};

}  // namespace

void LinkReach::add(const InductConfig &induct) {
    if (!induct.url.scheme.starts_with("tcpcl") && induct.url.scheme != "ltp") return;
    // A certificate may prove any node id.
    any_ = any_ || induct.tls.mode != TlsMode::kNone;
    for (const NeighbourAddress &known : induct.neighbours) {
        any_ = any_ || known.node == NodeNumber{};
        nodes_.insert(known.node);
    }
}

std::string no_link_text(NodeNumber node) {
    return "no outduct leads to node " + std::to_string(node.value()) +
           ", and no induct has it as a neighbour: no bundle is forwarded to it; bundles without "
           "another route wait";
}

std::vector<std::string> review_next_hops(const NodeConfig &config, const ContactPlan *plan) {
    return NextHopReview(config).run(plan);
}

}  // namespace farlink::config
