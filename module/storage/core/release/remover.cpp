// SPDX-License-Identifier: Apache-2.0
#include "module/storage/core/release/remover.hpp"

namespace farlink::storage {

void Remover::expire(EntryIndex index) {
    constexpr std::uint8_t kReason = DeletionReporter::kReasonLifetimeExpired;
    switch (context_.inventory.entry(index).state()) {
        case EntryState::kWaiting:
            return reporter_.remove(index, StorageCounter::kExpired, kReason);
        case EntryState::kInCustody:
        case EntryState::kExceedsContacts:
            context_.inventory.give_back(index);
            return reporter_.remove(index, StorageCounter::kExpired, kReason);
        case EntryState::kCritical:
            return critical_.end(index, StorageCounter::kExpired, kReason);
        case EntryState::kQuarantined:
            context_.erase_records(index);
            context_.inventory.remove(index);
            return;
        default:
            return;  // its lifetime is checked when it comes back
    }
}

void Remover::evict(EntryIndex index) {
    if (context_.inventory.entry(index).state() == EntryState::kExceedsContacts)
        context_.inventory.give_back(index);
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
        case EntryState::kCritical:
            if (context_.critical.any(index, CriticalCopy::State::kLent)) return Removal::kBusy;
            if (custodian_.holds(index) && !force) return Removal::kInCustody;
            critical_.end(index, StorageCounter::kDeletedByOperator, kReason);
            return Removal::kDone;
        default:
            return Removal::kBusy;
    }
}

}  // namespace farlink::storage
