// SPDX-License-Identifier: Apache-2.0
#include "module/storage/core/release/deletion_reporter.hpp"

#include <utility>

#include "common/bp/parse.hpp"
#include "module/storage/core/state/first_piece.hpp"

namespace farlink::storage {

void DeletionReporter::remove(EntryIndex index, StorageCounter why, std::uint8_t reason) {
    const bool reported =
        reports_wanted_ && (context_.inventory.entry(index).requests & kReportDeletion) != 0;
    if (!reported && !is_recorded(index)) {
        context_.history.add_unrecorded(1);
        return context_.discard(index, why);
    }
    if (context_.inventory.entry(index).spooled) index = keep_head(index, why);
    context_.inventory.doom(index);
    pending_.push_back({context_.inventory.entries().handle_of(index), why, reason, reported});
}

bool DeletionReporter::is_recorded(EntryIndex index) const {
    return context_.history.on() && pending_.size() < kMostRecorded &&
           !context_.inventory.entry(index).spooled &&
           context_.inventory.record_bytes_of(index) <= kMostRecordedBytes;
}

/// Of a bundle in pieces only the first one is kept, which has the head.
EntryIndex DeletionReporter::keep_head(EntryIndex whole, StorageCounter why) {
    const EntryIndex first = context_.fragments.piece_at(whole, 0);
    for (const EntryIndex piece : context_.take_apart(whole, why))
        if (piece != first) context_.remove_piece(piece);
    return first;
}

void DeletionReporter::queue_read() {
    if (pending_.empty() || reading_) return;
    current_ = pending_.pop_front();
    const auto index = context_.inventory.entries().find(current_.handle);
    FARLINK_INVARIANT(index.has_value());
    parts_ = Fetch{};
    requests_.add(parts_, *index);
    requests_.queue_report(parts_);
    reading_ = true;
}

void DeletionReporter::handle_read_done(DiskIndex disk, DiskRequestPtr part, TimePoint now) {
    parts_.parts[disk] = std::move(part);
    if (--parts_.missing > 0) return;
    reading_ = false;
    if (parts_.striped) parts_.join();
    parts_.for_each([&](const DiskRequest &, const DiskRecord &record) { conclude(record, now); });
    for (DiskRequestPtr &each : parts_.parts)
        if (each != nullptr) context_.requests.recycle(std::move(each));
}

void DeletionReporter::conclude(const DiskRecord &record, TimePoint now) {
    if (record.status == DiskStatus::kOk) {
        // The disk has verified the checksum of the record.
        const bool piece = context_.inventory.entry(record.entry).spooled;
        const auto view =
            piece ? read_first_piece(record.octets) : bp::parse_again({&record.octets, 1});
        if (view) {
            this->record(*view, now);
            if (current_.reported) report(*view, record.octets.first(view->head_end));
        }
    }
    context_.discard(record.entry, current_.why);
}

void DeletionReporter::report(const bp::BundleView &view, ByteView head) {
    context_.send(bus::AgentId::kIngress,
                  bus::ReportRequest{bus::ReportEvent::kDeleted, current_.reason,
                                     Bytes(head.begin(), head.end()), view.payload_length});
}

void DeletionReporter::record(const bp::BundleView &view, TimePoint now) {
    const auto ending = current_.why == StorageCounter::kExpired ? history::Ending::kExpired
                                                                 : history::Ending::kDeleted;
    context_.history.add(view, {.ending = ending,
                                .reason = current_.reason,
                                .size = view.size,
                                .time = context_.dtn_at(now)});
}

}  // namespace farlink::storage
