// SPDX-License-Identifier: Apache-2.0
#include "module/storage/core/release/remover.hpp"

namespace farlink::storage {

void Remover::expire(EntryIndex index) {
    constexpr std::uint8_t kReason = DeletionReporter::kReasonLifetimeExpired;
    const Entry &entry = context_.inventory.entry(index);
    if (entry.joined && !entry.spooled)
        return remove_joined(index, StorageCounter::kExpired, kReason);
    switch (entry.state()) {
        case EntryState::kWaiting:
            return reporter_.remove(index, StorageCounter::kExpired, kReason);
        case EntryState::kInCustody:
        case EntryState::kExceedsContacts:
            context_.inventory.give_back(index);
            return reporter_.remove(index, StorageCounter::kExpired, kReason);
        case EntryState::kCritical:
            return critical_.end(index, StorageCounter::kExpired, kReason);
        case EntryState::kGathered:
            return expire_fragment(index);
        case EntryState::kQuarantined:
            context_.erase_records(index);
            context_.inventory.remove(index);
            return;
        default:
            return;  // its lifetime is checked when it comes back
    }
}

// A bundle that is read or lent is looked at when it comes back.
void Remover::remove_joined(EntryIndex index, StorageCounter why, std::uint8_t reason) {
    const EntryState state = context_.inventory.entry(index).state();
    if (state != EntryState::kWaiting && state != EntryState::kExceedsContacts) return;
    const std::vector<EntryIndex> fragments = context_.fragments.of(index);
    context_.disjoin(index);
    for (const EntryIndex fragment : fragments) {
        context_.leave_set(fragment);
        reporter_.remove(fragment, why, reason);
    }
}

// A set ends with its last fragment: all of them expire with the bundle.
void Remover::expire_fragment(EntryIndex index) {
    const EntryIndex whole = context_.fragments.whole_of(index);
    if (whole != kNoEntry) return expire(whole);
    const Entry &entry = context_.inventory.entry(index);
    if (entry.spooled) return context_.drop_spool(entry.next);  // ingress has the bundle yet
    const FragmentSets &sets = context_.fragments.sets();
    if (sets[entry.next].pieces.size() == 1)
        context_.counters.increment(StorageCounter::kSetsExpired);
    context_.leave_set(index);
    reporter_.remove(index, StorageCounter::kExpired, DeletionReporter::kReasonLifetimeExpired);
}

void Remover::evict(EntryIndex index) {
    const Entry &entry = context_.inventory.entry(index);
    if (entry.joined && !entry.spooled)
        return remove_joined(index, StorageCounter::kDeletedToMakeRoom,
                             DeletionReporter::kReasonDepletedStorage);
    if (entry.state() == EntryState::kExceedsContacts) context_.inventory.give_back(index);
    reporter_.remove(index, StorageCounter::kDeletedToMakeRoom,
                     DeletionReporter::kReasonDepletedStorage);
}

// RFC 5050 section 5.13 requires a report when a bundle is deleted in custody, whether or not the
// bundle requests one: such bundles carry the request in their entry.
Remover::Removal Remover::remove_by_operator(EntryIndex index, bool force) {
    constexpr std::uint8_t kReason = DeletionReporter::kReasonTransmissionCancelled;
    const Entry &entry = context_.inventory.entry(index);
    switch (entry.state()) {
        case EntryState::kQuarantined:
            expire(index);
            return Removal::kDone;
        case EntryState::kWaiting:
        case EntryState::kInCustody:
        case EntryState::kExceedsContacts:
            if (entry.in_custody() && !force) return Removal::kInCustody;
            if (entry.state() != EntryState::kWaiting) context_.inventory.give_back(index);
            reporter_.remove(index, StorageCounter::kDeletedByOperator, kReason);
            return Removal::kDone;
        case EntryState::kGathered:
            if (entry.in_custody() && !force) return Removal::kInCustody;
            if (is_read(index)) return Removal::kBusy;
            context_.leave_set(index);
            reporter_.remove(index, StorageCounter::kDeletedByOperator, kReason);
            return Removal::kDone;
        case EntryState::kCritical:
            if (context_.critical.any(index, CriticalCopy::State::kLent)) return Removal::kBusy;
            if (custodian_.holds(index) && !force) return Removal::kInCustody;
            critical_.end(index, StorageCounter::kDeletedByOperator, kReason);
            return Removal::kDone;
        default:
            return Removal::kBusy;
    }
}

/// The bundle that the fragment belongs to is being read, or is lent.
bool Remover::is_read(EntryIndex fragment) const {
    const EntryIndex whole = context_.fragments.whole_of(fragment);
    if (whole == kNoEntry) return context_.fragments.is_read(fragment);
    const EntryState state = context_.inventory.entry(whole).state();
    return state != EntryState::kWaiting && state != EntryState::kExceedsContacts;
}

}  // namespace farlink::storage
