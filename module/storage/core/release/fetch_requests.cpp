// SPDX-License-Identifier: Apache-2.0
#include "module/storage/core/release/fetch_requests.hpp"

#include <algorithm>
#include <utility>

namespace farlink::storage {

void FetchRequests::add(Fetch &fetch, EntryIndex index) {
    const Entry &entry = context_.inventory.entry(index);
    fetch.bytes += entry.bytes();
    if (!entry.joined) return add_records(fetch, index);
    fetch.joined = index;
    for (const EntryIndex fragment : context_.fragments.of(index)) add_records(fetch, fragment);
}

void FetchRequests::add_records(Fetch &fetch, EntryIndex index) {
    DiskRecord record;
    record.entry = index;
    record.place = fetch.records++;
    fetch.striped = context_.inventory.entry(index).striped();
    context_.inventory.for_each_record(index, [&](const StoredRecord &stored) {
        DiskRequestPtr &part = fetch.parts[stored.disk];
        if (part == nullptr) part = context_.requests.acquire(DiskVerb::kRead);
        record.at = stored.at;
        part->records.push_back(record);
        ++record.stripe;
    });
}

void FetchRequests::queue(LinkId id, ReleaseLink &link, Fetch fetch) {
    Parts parts = take_parts(fetch);
    const std::uint32_t number = link.fetches.add(std::move(fetch));
    queue(std::move(parts), (std::uint64_t{id.value()} << 32) | number);
}

void FetchRequests::queue_alone(LinkId id, ReleaseLink &link, EntryIndex index) {
    if (context_.inventory.entry(index).spooled) return queue_spooled(id, link, index);
    link.reserve(context_.inventory.entry(index).bytes());
    Fetch fetch;
    add(fetch, index);
    queue(id, link, std::move(fetch));
}

void FetchRequests::queue_spooled(LinkId id, ReleaseLink &link, EntryIndex index) {
    link.spooled = {context_.inventory.entries().handle_of(index), context_.next_spool++,
                    context_.inventory.entry(index).bytes()};
    queue_piece(id, link);
}

void FetchRequests::queue_piece(LinkId id, ReleaseLink &link) {
    const auto whole = context_.inventory.entries().find(link.spooled.bundle());
    FARLINK_INVARIANT(whole.has_value());
    const EntryIndex piece = context_.fragments.piece_at(*whole, link.spooled.next());
    const std::uint64_t size = context_.inventory.entry(piece).size;
    context_.fragments.begin_read(piece);
    link.reserve(size);
    link.spooled.handle_queued(size);
    Fetch fetch;
    fetch.piece = true;
    add(fetch, piece);
    queue(id, link, std::move(fetch));
}

void FetchRequests::queue_report(Fetch &fetch) {
    queue(take_parts(fetch), kReportTag);
}

DiskRequestPtr FetchRequests::poll(DiskIndex disk) {
    Ring<DiskRequestPtr> &reads = context_.volume(disk).reads;
    return reads.empty() ? nullptr : reads.pop_front();
}

FetchRequests::Parts FetchRequests::take_parts(Fetch &fetch) const {
    Parts parts = std::move(fetch.parts);
    place_buffers(parts);
    for (const DiskRequestPtr &part : parts) fetch.missing += part != nullptr ? 1 : 0;
    return parts;
}

/// Each disk reads its part.
void FetchRequests::queue(Parts parts, std::uint64_t tag) {
    for (std::size_t disk = 0; disk < kMaxDisks; ++disk) {
        if (parts[disk] == nullptr) continue;
        parts[disk]->tag = tag;
        context_.volume(static_cast<DiskIndex>(disk)).reads.push_back(std::move(parts[disk]));
        ++reading_;
    }
}

/// Lays the records of each part out one behind another, so that neighbours in the log are read in
/// one go; stripes in their order, whichever disks they are on. All parts share a slab: nearly
/// always one of the pool, whose memory is warm.
void FetchRequests::place_buffers(std::span<const DiskRequestPtr> parts) const {
    const Inventory &inventory = context_.inventory;
    std::array<DiskIndex, kMaxDisks> order{};
    std::size_t count = 0;
    std::uint64_t bytes = 0;
    for (std::size_t at = 0; at < parts.size(); ++at) {
        if (parts[at] == nullptr) continue;
        const auto disk = static_cast<DiskIndex>(at);
        order[count++] = disk;
        for (const DiskRecord &record : parts[at]->records)
            bytes += inventory.record_on(disk, record.entry).bytes;
    }
    const std::span used = std::span(order).first(count);
    std::ranges::stable_sort(used, {},
                             [&](DiskIndex disk) { return parts[disk]->records.front().stripe; });
    const bool whole_slab = bytes <= kReadBytes && bytes > kReadBytes / 2;
    const SlabRef slab = whole_slab
                             ? context_.slabs.acquire()
                             : context_.slabs.acquire_sized(static_cast<std::uint32_t>(bytes));
    std::uint8_t *at = slab->data;
    for (const DiskIndex disk : used) {
        parts[disk]->slab = slab;
        for (DiskRecord &record : parts[disk]->records) {
            const std::uint64_t size = inventory.record_on(disk, record.entry).bytes;
            record.buffer = {at, size};
            at += size;
        }
    }
}

}  // namespace farlink::storage
