// SPDX-License-Identifier: Apache-2.0
// What a new contact plan has changed: the part between the contacts that both begin with and those
// that both end with.
// A plain function; borrows both plans. Any thread.
// A change of one contact is found as one, wherever it stands; several may take in what lies
// between them.
#pragma once

#include <algorithm>
#include <span>

#include "common/bus/messages.hpp"

namespace farlink::router {

struct PlanDifference {
    std::span<const bus::Contact> removed;
    std::span<const bus::Contact> added;
};

[[nodiscard]] inline bool equal_contacts(const bus::Contact &one, const bus::Contact &other) {
    return one.id == other.id && one.source == other.source &&
           one.destination == other.destination && one.start == other.start &&
           one.end == other.end && one.rate == other.rate && one.light_time == other.light_time;
}

[[nodiscard]] inline PlanDifference difference(std::span<const bus::Contact> before,
                                               std::span<const bus::Contact> after) {
    const std::size_t most = std::min(before.size(), after.size());
    std::size_t head = 0;
    while (head < most && equal_contacts(before[head], after[head])) ++head;
    std::size_t tail = 0;
    while (tail < most - head &&
           equal_contacts(before[before.size() - 1 - tail], after[after.size() - 1 - tail]))
        ++tail;
    return {before.subspan(head, before.size() - head - tail),
            after.subspan(head, after.size() - head - tail)};
}

}  // namespace farlink::router
