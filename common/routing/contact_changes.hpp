// SPDX-License-Identifier: Apache-2.0
// Removes contacts from a contact plan and adds others.
// A plain function on values; any thread.
// Supervisor, scheduler and router apply each change to their own copy of the plan, so that a small
// change is a small message.
#pragma once

#include <algorithm>
#include <span>
#include <type_traits>
#include <vector>

#include "common/bus/messages.hpp"

namespace farlink::routing {

/// Removes the contacts that equal one of `removed`, in one pass over the plan. `Contact`: that of
/// the bus, or of a plan with periodic contacts.
template <class Contact>
void change_contacts(std::vector<Contact> &plan,
                     std::type_identity_t<std::span<const Contact>> removed,
                     std::type_identity_t<std::span<const Contact>> added) {
    std::vector<Contact> gone(removed.begin(), removed.end());
    std::ranges::sort(gone, {}, &Contact::id);
    std::erase_if(plan, [&](const Contact &contact) {
        const auto alike = std::ranges::equal_range(gone, contact.id, {}, &Contact::id);
        return std::ranges::find(alike, contact) != alike.end();
    });
    plan.insert(plan.end(), added.begin(), added.end());
}

}  // namespace farlink::routing
