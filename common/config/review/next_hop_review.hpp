// SPDX-License-Identifier: Apache-2.0
// Next hops that the configuration and the contact plan name and that no link leads to.
// Plain values.
// Any thread.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "common/config/node/node_config.hpp"
#include "common/plan/contact_plan.hpp"

namespace farlink::config {

/// The nodes to which links may lead: by an outduct, or by a session that an induct accepts.
class LinkReach {
public:
    void add(const OutductConfig &outduct) { nodes_.insert(outduct.next_hop); }
    void add(const InductConfig &induct);
    [[nodiscard]] bool includes(NodeNumber node) const { return any_ || nodes_.contains(node); }

private:
    std::set<NodeNumber> nodes_;
    bool any_ = false;
};
/// For people: no link may lead to the node.
[[nodiscard]] std::string no_link_text(NodeNumber node);

/// A line for each gateway, static route, path of a policy and contact of this node whose next
/// hop has no link: no outduct, and no induct whose sessions may be that node's. Each node is named
/// once for the plan. `plan` may be null.
[[nodiscard]] std::vector<std::string> review_next_hops(const NodeConfig &config,
                                                        const ContactPlan *plan);

}  // namespace farlink::config
