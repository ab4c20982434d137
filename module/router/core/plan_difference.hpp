// SPDX-License-Identifier: Apache-2.0
// The difference of two contact plans: the part between their common beginning and common end.
// A plain function; borrows both plans. Any thread.
// A change of one contact is found exactly; several changes include the contacts between them.
#pragma once

#include <algorithm>
#include <span>

#include "common/bus/messages.hpp"

namespace farlink::router {

struct PlanDifference {
    std::span<const bus::Contact> removed;
    std::span<const bus::Contact> added;
};

[[nodiscard]] inline PlanDifference difference(std::span<const bus::Contact> before,
                                               std::span<const bus::Contact> after) {
    const std::size_t most = std::min(before.size(), after.size());
    std::size_t head = 0;
    while (head < most && before[head] == after[head]) ++head;
    std::size_t tail = 0;
    while (tail < most - head && before[before.size() - 1 - tail] == after[after.size() - 1 - tail])
        ++tail;
    return {before.subspan(head, before.size() - head - tail),
            after.subspan(head, after.size() - head - tail)};
}

}  // namespace farlink::router
