// SPDX-License-Identifier: Apache-2.0
#include "module/storage/core/write/overlap_check.hpp"

#include <algorithm>
#include <utility>

#include "common/bp/base/slices.hpp"
#include "common/bp/parse.hpp"

namespace farlink::storage {
namespace {

/// Octets of a bundle in slices, from a place on.
struct Stretch {
    std::span<const ByteView> slices;
    std::uint64_t from = 0;
};

bool equal(const Stretch &a, const Stretch &b, std::uint64_t length) {
    bool same = true;
    std::uint64_t done = 0;
    bp::for_each_piece(a.slices, a.from, a.from + length, [&](ByteView piece) {
        const std::uint64_t from = b.from + done;
        done += piece.size();
        bp::for_each_piece(b.slices, from, from + piece.size(), [&](ByteView other) {
            same = same && std::ranges::equal(other, piece.first(other.size()));
            piece = piece.subspan(other.size());
        });
    });
    return same;
}

/// Whether flushed pieces have all octets of the extent; `pieces` come by offset.
bool covered(const std::vector<FragmentPiece> &pieces, const bp::FragmentExtent &extent) {
    std::uint64_t until = extent.offset;
    for (const FragmentPiece &piece : pieces) {
        if (!piece.flushed) continue;
        if (piece.offset > until) return false;
        until = std::max(until, piece.end);
    }
    return until >= extent.offset + extent.length;
}

}  // namespace

OverlapVerdict OverlapCheck::judge(const ReceivedFragment &fragment, const PendingWrites &pending,
                                   const PendingBatch &current) {
    const FragmentSets &sets = context_.fragments.sets();
    const SetIndex set = sets.find(fragment.label.set);
    if (set == kNoSet) return OverlapVerdict::kNone;
    const bp::FragmentExtent &extent = fragment.label.extent;
    const std::vector<FragmentPiece> pieces = sets.overlapping(set, extent);
    if (pieces.empty()) return OverlapVerdict::kNone;
    if (pieces.size() > kMostPieces) return OverlapVerdict::kTooMany;
    std::vector<FragmentPiece> unread;
    std::uint64_t bytes = 0;
    for (const FragmentPiece &piece : pieces) {
        Stored stored;
        if (!find(piece, pending, current, stored)) {
            unread.push_back(piece);
            bytes += context_.inventory.record_bytes_of(piece.entry);
            continue;
        }
        const std::uint64_t from = std::max(piece.offset, extent.offset);
        const std::uint64_t end = std::min(piece.end, extent.offset + extent.length);
        const Stretch mine{fragment.slices, fragment.payload_offset + from - extent.offset};
        const Stretch other{stored.slices, stored.payload_offset + from - piece.offset};
        if (!equal(mine, other, end - from)) return OverlapVerdict::kContradicts;
    }
    if (bytes > kMostBytes) return OverlapVerdict::kTooMany;
    if (!unread.empty()) {
        read(set, unread);
        return OverlapVerdict::kReading;
    }
    return covered(pieces, extent) ? OverlapVerdict::kKnown : OverlapVerdict::kNone;
}

bool OverlapCheck::find(const FragmentPiece &piece, const PendingWrites &pending,
                        const PendingBatch &current, Stored &stored) const {
    if (!piece.flushed) {
        const auto written = pending.find_fragment(piece.entry, current);
        FARLINK_INVARIANT(written.has_value());
        stored = {written->slices, written->payload_offset};
        return true;
    }
    const auto known = octets_.find(context_.inventory.entries().handle_of(piece.entry));
    if (known == octets_.end()) return false;
    const auto view = bp::parse_again({&known->second, 1});
    FARLINK_INVARIANT(view.has_value());
    stored = {{&known->second, 1}, view->payload_offset};
    return true;
}

/// One request for each disk. The records stay where they are meanwhile: Compactor looks at
/// FragmentSet::readers.
void OverlapCheck::read(SetIndex set, const std::vector<FragmentPiece> &pieces) {
    const Inventory &inventory = context_.inventory;
    FragmentSet &read = context_.fragments.sets()[set];
    set_ = read.key;
    ++read.readers;
    for (const FragmentPiece &piece : pieces) {
        inventory.for_each_record(piece.entry, [&](const StoredRecord &stored) {
            DiskRequestPtr &request = queued_[stored.disk];
            if (request == nullptr) {
                request = context_.requests.acquire(DiskVerb::kRead);
                request->tag = kTag;
                ++reading_;
            }
            DiskRecord record;
            record.entry = piece.entry;
            record.at = stored.at;
            record.buffer = {static_cast<std::uint8_t *>(nullptr), stored.bytes};
            request->records.push_back(record);
        });
    }
    for (const DiskRequestPtr &request : queued_) {
        if (request == nullptr) continue;
        std::uint64_t bytes = 0;
        for (const DiskRecord &record : request->records) bytes += record.buffer.size();
        request->slab = context_.slabs.acquire_sized(static_cast<std::uint32_t>(bytes));
        std::uint8_t *at = request->slab->data;
        for (DiskRecord &record : request->records) {
            record.buffer = {at, record.buffer.size()};
            at += record.buffer.size();
        }
    }
}

DiskRequestPtr OverlapCheck::poll_read(DiskIndex disk) {
    return std::exchange(queued_[disk], nullptr);
}

bool OverlapCheck::handle_read_done(DiskIndex disk, DiskRequestPtr read) {
    for (const DiskRecord &record : read->records) take(disk, record);
    done_.push_back(std::move(read));
    if (--reading_ > 0) return false;
    FragmentSets &sets = context_.fragments.sets();
    const SetIndex set = sets.find(set_);
    if (set != kNoSet && sets[set].readers > 0) --sets[set].readers;
    return true;
}

/// A fragment that the disk cannot read counts no more. It may also have gone meanwhile, and
/// another bundle have its entry.
void OverlapCheck::take(DiskIndex disk, const DiskRecord &record) {
    const Inventory &inventory = context_.inventory;
    const Entry &entry = inventory.entries()[record.entry];
    const bool held = entry.state() == EntryState::kGathered &&
                      inventory.record_on(disk, record.entry).at.number == record.at.number;
    if (!held) return;
    if (record.status == DiskStatus::kOk)
        octets_.emplace(inventory.entries().handle_of(record.entry), record.octets);
    else
        context_.quarantine(record.entry);
}

void OverlapCheck::forget() {
    if (done_.empty()) return;
    octets_.clear();
    for (DiskRequestPtr &request : done_) context_.requests.recycle(std::move(request));
    done_.clear();
}

}  // namespace farlink::storage
