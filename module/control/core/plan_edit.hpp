// SPDX-License-Identifier: Apache-2.0
// Edits of the running contact plan: contacts are replaced, added, changed or removed.
// Plain functions on values, any thread.
// A result is checked like a plan file: the requested contacts by themselves, and against the
// running ones. Errors name contacts by their place in the request.
#pragma once

#include <nlohmann/json.hpp>
#include <vector>

#include "module/control/core/json/contact_json.hpp"

namespace farlink::control {

/// In DTN time; periodic contacts as one.
using Contacts = std::vector<config::PlanContact>;

/// The difference of two plans, by the numbers of contacts.
struct PlanDifference {
    Contacts added;
    Contacts removed;
    Contacts changed;  ///< as they are now
    Contacts before;   ///< the same contacts as they were

    [[nodiscard]] bool empty() const { return added.empty() && removed.empty() && changed.empty(); }
    [[nodiscard]] std::size_t size() const {
        return added.size() + removed.size() + changed.size();
    }
    /// The contacts that a plan loses and gets.
    [[nodiscard]] Contacts gone() const;
    [[nodiscard]] Contacts come() const;
};

using EditResult = Result<PlanDifference, config::ConfigErrors>;

/// What turns a valid plan into another one.
[[nodiscard]] PlanDifference difference(const Contacts &before, const Contacts &after);

/// `contacts`: the whole new plan.
[[nodiscard]] EditResult replace_contacts(const Contacts &plan,
                                          const nlohmann::ordered_json &contacts, DtnTime now);
/// `contacts`: further ones.
[[nodiscard]] EditResult add_contacts(const Contacts &plan, const nlohmann::ordered_json &contacts,
                                      DtnTime now);
/// `contacts`: each with its `contact` and the changed members.
[[nodiscard]] EditResult change_contacts(const Contacts &plan,
                                         const nlohmann::ordered_json &contacts, DtnTime now);
/// `contacts`: numbers.
[[nodiscard]] EditResult remove_contacts(const Contacts &plan,
                                         const nlohmann::ordered_json &contacts);

}  // namespace farlink::control
