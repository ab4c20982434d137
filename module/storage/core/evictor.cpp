// SPDX-License-Identifier: Apache-2.0
#include "module/storage/core/evictor.hpp"

namespace farlink::storage {

bool Evictor::make_room(const Shortage &shortage, TimePoint now) {
    if (policy_ != config::WhenFull::kMakeRoom || !worth_it(shortage)) return false;
    Inventory &inventory = shelf_.inventory;
    const DtnTime now_ms = shelf_.dtn_at(now);
    while (!shelf_.clock.expiry_suspended() && !has_room(shortage, now)) {
        const EntryIndex expired = inventory.pop_expired(now_ms);
        if (expired == kNoEntry) break;
        releaser_.expire(expired);
    }
    for (std::size_t priority = 0; priority <= static_cast<std::size_t>(shortage.priority);
         ++priority) {
        while (!has_room(shortage, now)) {
            const QuotaSet blocking = inventory.quotas().exceeded(shortage.quotas, shortage.bytes);
            const EntryIndex victim = oldest(static_cast<Priority>(priority), blocking);
            if (victim == kNoEntry) break;
            releaser_.evict(victim);
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

/// The oldest of that priority that may go; with `blocking` only of flows in one of those quotas.
EntryIndex Evictor::oldest(Priority priority, QuotaSet blocking) {
    Inventory &inventory = shelf_.inventory;
    EntryIndex found = kNoEntry;
    inventory.destinations().for_each_flow([&](FlowIndex index) {
        Flow &flow = inventory.destinations().flow(index);
        if (flow.priority != priority || flow.queue.waiting() == 0) return;
        const QuotaSet quotas = inventory.destinations().quotas_of(index);
        if (blocking != 0 && (quotas & blocking) == 0) return;
        const EntryIndex first = flow.queue.first_waiting_if(
            inventory.entries(), [](const Entry &entry) { return !entry.in_custody(); });
        if (first == kNoEntry) return;
        if (found == kNoEntry || inventory.entry(first).arrival < inventory.entry(found).arrival)
            found = first;
    });
    return found;
}

}  // namespace farlink::storage
