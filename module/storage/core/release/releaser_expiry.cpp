// SPDX-License-Identifier: Apache-2.0
// What the releaser deletes, and whom it tells.
#include "module/storage/core/release/releaser.hpp"

namespace farlink::storage {

void Releaser::expire(EntryIndex index) {
    Entry &entry = context_.inventory.entry(index);
    switch (entry.state) {
        case EntryState::kWaiting:
            return remove(index, StorageCounter::kExpired, kReasonLifetimeExpired);
        case EntryState::kInCustody:
        case EntryState::kExceedsContacts:
            context_.inventory.give_back(index);
            return expire(index);
        case EntryState::kCritical:
            return end_critical(index, StorageCounter::kExpired, kReasonLifetimeExpired);
        case EntryState::kQuarantined:
            context_.erase_records(index);
            context_.inventory.remove(index);
            return;
        default:
            return;  // whoever has it now looks at its lifetime when it comes back
    }
}

void Releaser::evict(EntryIndex index) {
    if (context_.inventory.entry(index).state == EntryState::kExceedsContacts)
        context_.inventory.give_back(index);
    remove(index, StorageCounter::kDeletedToMakeRoom, kReasonDepletedStorage);
}

// RFC 5050 section 5.13 wants a report of a bundle that is deleted in custody, whoever asked for
// it: those have the request with them.
Releaser::Removal Releaser::remove_by_operator(EntryIndex index, bool force) {
    const Entry &entry = context_.inventory.entry(index);
    switch (entry.state) {
        case EntryState::kQuarantined:
            expire(index);
            return Removal::kDone;
        case EntryState::kWaiting:
        case EntryState::kInCustody:
        case EntryState::kExceedsContacts:
            if (entry.in_custody() && !force) return Removal::kInCustody;
            if (entry.state != EntryState::kWaiting) context_.inventory.give_back(index);
            remove(index, StorageCounter::kDeletedByOperator, kReasonTransmissionCancelled);
            return Removal::kDone;
        case EntryState::kCritical:
            if (context_.critical.any(index, CriticalCopy::State::kLent)) return Removal::kBusy;
            if (custodian_.holds(index) && !force) return Removal::kInCustody;
            end_critical(index, StorageCounter::kDeletedByOperator, kReasonTransmissionCancelled);
            return Removal::kDone;
        default:
            return Removal::kBusy;
    }
}

void Releaser::remove(EntryIndex index, StorageCounter why, std::uint8_t reason) {
    const bool published =
        reports_wanted_ && (context_.inventory.entry(index).requests & kReportDeletion) != 0;
    if (!published) return context_.discard(index, why);
    context_.inventory.doom(index);
    reports_.push_back({context_.inventory.entries().handle_of(index), why, reason});
}

/// One at a time: reports are rare, and a bundle may be large.
void Releaser::queue_report() {
    if (reports_.empty() || report_reading_) return;
    reported_ = reports_.pop_front();
    const auto index = context_.inventory.entries().find(reported_.handle);
    FARLINK_INVARIANT(index.has_value());
    Fetch fetch;
    add_record(fetch, *index);
    std::array<DiskRequestPtr, kMaxDisks> parts = std::move(fetch.parts);
    place_buffers(parts);
    for (std::size_t disk = 0; disk < kMaxDisks; ++disk) {
        if (parts[disk] == nullptr) continue;
        parts[disk]->tag = kReportTag;
        context_.volume(static_cast<DiskIndex>(disk)).reads.push_back(std::move(parts[disk]));
        ++fetch.missing;
        ++reading_;
    }
    reported_parts_ = std::move(fetch);
    report_reading_ = true;
}

void Releaser::take_report_part(DiskIndex disk, DiskRequestPtr part) {
    Fetch &fetch = reported_parts_;
    fetch.parts[disk] = std::move(part);
    if (--fetch.missing > 0) return;
    report_reading_ = false;
    if (fetch.striped) fetch.join();
    fetch.for_each([this](const DiskRequest &, const DiskRecord &record) { report(record); });
    for (DiskRequestPtr &each : fetch.parts)
        if (each != nullptr) context_.requests.recycle(std::move(each));
}

void Releaser::report(const DiskRecord &record) {
    if (record.status == DiskStatus::kOk) {
        if (const auto view = bp::parse({&record.octets, 1})) {
            const ByteView head = record.octets.first(view->head_end);
            context_.send(
                bus::AgentId::kIngress,
                bus::ReportRequest{bus::ReportEvent::kDeleted, reported_.reason,
                                   Bytes(head.begin(), head.end()), view->payload_length});
        }
    }
    context_.discard(record.entry, reported_.why);
}

}  // namespace farlink::storage
