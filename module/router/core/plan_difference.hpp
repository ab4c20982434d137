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
