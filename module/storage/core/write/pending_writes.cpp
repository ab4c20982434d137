// SPDX-License-Identifier: Apache-2.0
#include "module/storage/core/write/pending_writes.hpp"

#include <algorithm>
#include <utility>

namespace farlink::storage {

void PendingWrites::add(PendingBatch &pending, DiskIndex disk, const DiskRecord &record) {
    BatchPart &part = part_on(disk, pending);
    part.bytes += record_bytes(record.label.size(), record.head.size);
    part.request->records.push_back(record);
}

void PendingWrites::queue(PendingBatch pending) {
    pending.unflushed = pending.parts.size();
    for (BatchPart &part : pending.parts) {
        part.request->tag = first_tag_ + pending_.size();
        Volume &volume = context_.volume(part.disk);
        volume.add_load(part.bytes);
        volume.appends.push_back(std::move(part.request));
    }
    pending_.push_back(std::move(pending));
}

DiskRequestPtr PendingWrites::poll_append(DiskIndex disk) {
    Volume &volume = context_.volume(disk);
    if (volume.appends.empty()) return nullptr;
    DiskRequestPtr request = volume.appends.pop_front();
    part_on(disk, pending_[request->tag - first_tag_]).state = PartState::kAtDisk;
    return request;
}

void PendingWrites::handle_append_done(DiskIndex disk, DiskRequestPtr request) {
    const std::uint64_t place = request->tag - first_tag_;
    FARLINK_INVARIANT(place < pending_.size());
    part_on(disk, pending_[place]).request = std::move(request);
}

void PendingWrites::handle_flush(DiskIndex disk) {
    for (std::size_t at = 0; at < pending_.size(); ++at)
        for (BatchPart &part : pending_[at].parts)
            if (part.disk == disk && part.state == PartState::kAtDisk)
                part.state = PartState::kCovered;
}

void PendingWrites::handle_flush_done(DiskIndex disk, bool good, TimePoint now) {
    std::uint64_t bytes = 0;
    bool full = false;  ///< now: what was written before is no sign of room
    for (std::size_t at = 0; at < pending_.size(); ++at) {
        for (BatchPart &part : pending_[at].parts) {
            full |= part.disk == disk && part.state != PartState::kFlushed && part.request &&
                    part.request->status == DiskStatus::kNoSpace;
            if (part.disk != disk || part.state != PartState::kCovered) continue;
            // The disk answers in order: an append that a flush covers has been executed.
            FARLINK_INVARIANT(part.request != nullptr);
            part.state = PartState::kFlushed;
            part.good = good && part.request->status == DiskStatus::kOk;
            bytes += part.bytes;
            if (part.good) context_.volume(disk).handle_success();
            --pending_[at].unflushed;
        }
    }
    if (full) context_.volume(disk).handle_full(now);
    context_.volume(disk).handle_written(bytes, now);
}

// A batch that consists of twins only follows the writes that it waits for.
std::optional<PendingBatch> PendingWrites::poll_complete() {
    if (pending_.empty() || pending_.front().unflushed > 0) return std::nullopt;
    ++first_tag_;
    return pending_.pop_front();
}

void PendingWrites::recycle(std::vector<BatchPart> parts) {
    const bool used = !parts.empty();
    for (BatchPart &part : parts) context_.requests.recycle(std::move(part.request));
    parts.clear();
    if (used) spare_parts_.push_back(std::move(parts));
}

void PendingWrites::abandon(std::size_t instance) {
    for (std::size_t at = 0; at < pending_.size(); ++at)
        pending_[at].abandoned |= pending_[at].batch->instance == instance;
}

BatchPart &PendingWrites::part_on(DiskIndex disk, PendingBatch &pending) {
    for (BatchPart &part : pending.parts)
        if (part.disk == disk) return part;
    if (pending.parts.empty() && !spare_parts_.empty()) {
        pending.parts = std::move(spare_parts_.back());
        spare_parts_.pop_back();
    }
    BatchPart &part = pending.parts.emplace_back();
    part.disk = disk;
    part.request = context_.requests.acquire(DiskVerb::kAppend);
    return part;
}

std::optional<WrittenFragment> PendingWrites::find_fragment(EntryIndex entry,
                                                            const PendingBatch &current) const {
    const auto find_in = [entry](const PendingBatch &batch) -> std::optional<WrittenFragment> {
        const auto found = std::ranges::find(batch.fragments, entry, &WrittenFragment::entry);
        if (found == batch.fragments.end()) return std::nullopt;
        return *found;
    };
    if (auto found = find_in(current)) return found;
    for (std::size_t at = pending_.size(); at-- > 0;)
        if (auto found = find_in(pending_[at])) return found;
    return std::nullopt;
}

}  // namespace farlink::storage
