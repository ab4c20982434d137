// SPDX-License-Identifier: Apache-2.0
// A contact plan from which some contacts are taken, and to which others are added.
// A plain function on values; any thread.
// Supervisor, scheduler and router each do this to the plan that they keep, so that a change of one
// contact never moves the others between them.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "common/bus/messages.hpp"

namespace farlink::routing {

/// Takes out the contacts that equal one of `removed`; one look at each contact of the plan.
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
