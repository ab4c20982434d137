// SPDX-License-Identifier: Apache-2.0
#include "module/storage/core/write/stored_copies.hpp"

namespace farlink::storage {

void StoredCopies::handle_flushed(EntryIndex index, std::uint64_t arrival,
                                  std::vector<FlowIndex> &offered) {
    CopyTable::Copy *const copy = context_.copies.find(arrival);
    FARLINK_INVARIANT(copy != nullptr);
    if (!copy->sent && !copy->kept) {
        copy->on_disk = true;
        return context_.inventory.take(index, EntryState::kReleased);
    }
    if (copy->sent)
        context_.discard(index, StorageCounter::kCopiesDropped);
    else
        offered.push_back(context_.inventory.entry(index).flow);
    context_.copies.erase(arrival);
}

EntryIndex StoredCopies::handle(const bus::CopyFate &outcome, std::size_t instance) {
    Inventory &inventory = context_.inventory;
    if (!outcome.sent) inventory.backlogs().take(outcome.flow, instance);
    CopyTable::Copy *const copy = context_.copies.find(outcome.arrival);
    if (copy == nullptr) {
        // Not stored after all, or equal to one that is: ingress waits for news of its flow.
        if (!outcome.sent) inventory.backlogs().set_outcome(outcome.flow);
        return kNoEntry;
    }
    return set_outcome(outcome.arrival, *copy, outcome.sent);
}

std::vector<EntryIndex> StoredCopies::end(std::size_t instance) {
    std::vector<EntryIndex> kept;
    for (const std::uint64_t arrival : context_.copies.open_of(instance)) {
        CopyTable::Copy *const copy = context_.copies.find(arrival);
        if (copy == nullptr) continue;  // it shared a record that is a bundle now
        if (const EntryIndex index = set_outcome(arrival, *copy, false); index != kNoEntry)
            kept.push_back(index);
    }
    return kept;
}

// For a copy that is on its way to the disk, handle_flushed() applies the outcome.
EntryIndex StoredCopies::set_outcome(std::uint64_t arrival, CopyTable::Copy &copy, bool sent) {
    Inventory &inventory = context_.inventory;
    copy.sent = sent;
    copy.kept = !sent;
    if (!copy.on_disk) return kNoEntry;
    const auto index = inventory.entries().find(copy.handle);
    FARLINK_INVARIANT(index.has_value());
    context_.copies.erase(arrival);
    if (inventory.entry(*index).shared) return set_shared_outcome(*index, arrival, sent);
    return set_single_outcome(*index, sent);
}

// No other copy needs the record.
EntryIndex StoredCopies::set_single_outcome(EntryIndex index, bool sent) {
    if (!sent) context_.count_if_returned(index);
    if (!sent) return index;
    if (context_.inventory.entry(index).take_return()) {
        // Two equal bundles came, and one of them is sent: this copy is the other one.
        context_.counters.increment(StorageCounter::kCopiesDropped);
        return index;
    }
    context_.discard(index, StorageCounter::kCopiesDropped);
    return kNoEntry;
}

// Other copies need the record as well. The first whose original is not sent makes it a bundle
// again.
EntryIndex StoredCopies::set_shared_outcome(EntryIndex index, std::uint64_t arrival, bool sent) {
    Entry &entry = context_.inventory.entry(index);
    const std::uint64_t handle = context_.inventory.entries().handle_of(index);
    const bool lent = context_.copies.is_lent(handle);
    if (!context_.copies.leave(entry, handle, arrival)) return set_single_outcome(index, sent);
    if (!sent && !lent) {
        context_.end_sharing(index, StorageCounter::kDuplicates);
        return set_single_outcome(index, false);
    }
    if (sent)
        context_.counters.increment(StorageCounter::kCopiesDropped);
    else if (entry.came_back)
        context_.counters.increment(StorageCounter::kDuplicates);
    else
        entry.came_back = true;
    return kNoEntry;
}

}  // namespace farlink::storage
