// SPDX-License-Identifier: Apache-2.0
// The contacts of the plan in which this node still sends: their end and volume by neighbour, for
// `status`.
// Owned by Commands; the control agent's thread only.
// Linear in those contacts; a plan is searched once.
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "module/control/core/plan_store.hpp"

namespace farlink::control {

class RemainingContacts {
public:
    explicit RemainingContacts(NodeNumber node) : node_(node) {}

    /// One object for each neighbour that the plan names: `neighbour`, `ends` (the last contact,
    /// also when it is over) and `remainingBytes` (absent: unlimited). Empty without a plan.
    [[nodiscard]] nlohmann::ordered_json to_json(const SharedPlan &plan, DtnTime now);

private:
    struct Neighbour {
        DtnTime ends = 0;
        std::vector<config::PlanContact> contacts{};  ///< by the ends of their last repeats
    };

    void search(const SharedPlan &plan);

    NodeNumber node_;
    SharedPlan plan_;  ///< the one that was searched
    std::map<NodeNumber, Neighbour> neighbours_;
};

/// When the contacts of the node ended, and how many there are; empty: one is left, or there is
/// none. Linear in the plan.
[[nodiscard]] std::string ended_plan_words(const SharedPlan &plan, NodeNumber node, DtnTime now);

/// Which contact before the destination a route from `node` may lack; empty: `node` itself has
/// contacts with it, or there is no plan. Linear in the plan.
[[nodiscard]] std::string missing_contact_words(const SharedPlan &plan, NodeNumber node,
                                                NodeNumber destination, DtnTime now);

}  // namespace farlink::control
