// SPDX-License-Identifier: Apache-2.0
#include "module/storage/core/evictor.hpp"

namespace farlink::storage {

bool Evictor::make_room(const Shortage &shortage, TimePoint now) {
    if (policy_ != config::WhenFull::kMakeRoom || !worth_it(shortage)) return false;
    Inventory &inventory = shelf_.inventory;
    const DtnTime now_ms = shelf_.dtn_at(now);
    while (!has_room(shortage, now)) {
        const EntryIndex expired = inventory.pop_expired(now_ms);
        if (expired == kNoEntry) break;
        releaser_.expire(expired);
    }
    for (std::size_t priority = 0; priority <= static_cast<std::size_t>(shortage.priority);
         ++priority) {
        while (!has_room(shortage, now)) {
            const QuotaSet blocking = inventory.quotas().exceeded(shortage.quotas, shortage.bytes);
            const FlowIndex flow = oldest_flow(static_cast<Priority>(priority), blocking);
            if (flow == kNoFlow) break;
            releaser_.evict(
                inventory.destinations().flow(flow).queue.first_waiting(inventory.entries()));
        }
    }
    return has_room(shortage, now);
}

bool Evictor::has_room(const Shortage &shortage, TimePoint now) const {
    return shelf_.inventory.quotas().exceeded(shortage.quotas, shortage.bytes) == 0 &&
           shelf_.placement.choose(shortage.bytes, shortage.priority, {}, now).has_value();
}

/// Nothing is deleted for a bundle that gets no room even so.
bool Evictor::worth_it(const Shortage &shortage) const {
    std::uint64_t more_important = 0;
    for (auto at = static_cast<std::size_t>(shortage.priority) + 1; at < kPriorityCount; ++at)
        more_important += shelf_.inventory.priority_bytes(static_cast<Priority>(at));
    return shelf_.placement.limit_for(shortage.priority) >= more_important + shortage.bytes;
}

/// The flow whose oldest waiting bundle is the oldest of that priority. With `blocking` only flows
/// count that are in one of those quotas.
FlowIndex Evictor::oldest_flow(Priority priority, QuotaSet blocking) {
    Inventory &inventory = shelf_.inventory;
    FlowIndex found = kNoFlow;
    std::uint64_t least = ~std::uint64_t{0};
    inventory.destinations().for_each_flow([&](FlowIndex index) {
        Flow &flow = inventory.destinations().flow(index);
        if (flow.priority != priority || flow.queue.waiting() == 0) return;
        const QuotaSet quotas = inventory.destinations().quotas_of(index);
        if (blocking != 0 && (quotas & blocking) == 0) return;
        const EntryIndex first = flow.queue.first_waiting(inventory.entries());
        const std::uint64_t arrival = inventory.entry(first).arrival;
        if (arrival >= least) return;
        least = arrival;
        found = index;
    });
    return found;
}

}  // namespace farlink::storage
