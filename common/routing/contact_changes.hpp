// SPDX-License-Identifier: Apache-2.0
// Removes contacts from a contact plan and adds others.
// A plain function on values; any thread.
// Supervisor, scheduler and router apply each change to their own copy of the plan, so that a small
// change is a small message.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "common/bus/messages.hpp"

namespace farlink::routing {

/// Removes the contacts that equal one of `removed`, in one pass over the plan.
inline void change_contacts(std::vector<bus::Contact> &plan, std::span<const bus::Contact> removed,
                            std::span<const bus::Contact> added) {
    std::vector<bus::Contact> gone(removed.begin(), removed.end());
    std::ranges::sort(gone, {}, &bus::Contact::id);
    std::erase_if(plan, [&](const bus::Contact &contact) {
        const auto alike = std::ranges::equal_range(gone, contact.id, {}, &bus::Contact::id);
        return std::ranges::find(alike, contact) != alike.end();
    });
    plan.insert(plan.end(), added.begin(), added.end());
}

}  // namespace farlink::routing
