// SPDX-License-Identifier: Apache-2.0
// What a request would change of the running contact plan: contacts replaced, added, changed or
// removed.
// Plain functions on values, any thread.
// The outcome has been checked as a whole, like a plan file: what was asked for by itself, and
// against the running contacts that it meets. What is wrong names the asker's own contacts by their
// place in the request.
#pragma once

#include <nlohmann/json.hpp>
#include <vector>

#include "module/control/core/contact_json.hpp"

namespace farlink::app {

using Contacts = std::vector<bus::Contact>;

/// What sets two plans apart, by the numbers of contacts.
struct PlanDifference {
    Contacts added;
    Contacts removed;
    Contacts changed;  ///< as they are now
    Contacts before;   ///< the same contacts as they were

    [[nodiscard]] bool empty() const { return added.empty() && removed.empty() && changed.empty(); }
    [[nodiscard]] std::size_t size() const {
        return added.size() + removed.size() + changed.size();
    }
    /// What a plan loses and gets.
    [[nodiscard]] Contacts gone() const;
    [[nodiscard]] Contacts come() const;
};

using EditResult = Result<PlanDifference, config::ConfigErrors>;

/// `contacts`: the whole new plan.
[[nodiscard]] EditResult replace_contacts(const Contacts &plan,
                                          const nlohmann::ordered_json &contacts, DtnTime now);
/// `contacts`: further ones.
[[nodiscard]] EditResult add_contacts(const Contacts &plan, const nlohmann::ordered_json &contacts,
                                      DtnTime now);
/// `contacts`: each names its `contact` and what changes of it.
[[nodiscard]] EditResult change_contacts(const Contacts &plan,
                                         const nlohmann::ordered_json &contacts, DtnTime now);
/// `contacts`: numbers.
[[nodiscard]] EditResult remove_contacts(const Contacts &plan,
                                         const nlohmann::ordered_json &contacts);

}  // namespace farlink::app
