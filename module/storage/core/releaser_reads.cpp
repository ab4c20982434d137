// SPDX-License-Identifier: Apache-2.0
// What the releaser reads from the disks, for which link, and when.
#include "module/storage/core/releaser.hpp"

#include <algorithm>

namespace farlink::storage {
namespace {

constexpr std::uint64_t kReadBytes = Shelf::kSlabBytes;
constexpr std::size_t kReadBundles = kBatchBundles;

}  // namespace

DiskRequestPtr Releaser::poll_read(DiskIndex disk, bool more, TimePoint now) {
    Ring<DiskRequestPtr> &reads = shelf_.volume(disk).reads;
    if (more && reads.empty()) queue_report();
    while (more && reads.empty() && queue_reads(now)) {
    }
    return reads.empty() ? nullptr : reads.pop_front();
}

/// Links take turns, so that a fast one does not starve the others of memory.
bool Releaser::queue_reads(TimePoint now) {
    list_critical(now);
    auto at = links_.upper_bound(last_served_);
    for (std::size_t tried = 0; tried < links_.size(); ++tried) {
        if (at == links_.end()) at = links_.begin();
        if (queue_reads_for(at->first, at->second, now)) {
            last_served_ = at->first;
            return true;
        }
        ++at;
    }
    return false;
}

bool Releaser::queue_reads_for(LinkId id, Link &link, TimePoint now) {
    if (!link.up || held_back_.contains(link.neighbour)) return false;
    for (;;) {
        if (link.bytes >= most_bytes(link, now) || link.bundles >= limits_.link_bundles)
            return false;
        if (queue_critical(id, link, now)) return true;
        if (!link.critical.empty()) return false;  // no room for it now
        const FlowIndex flow = next_flow(id, link);
        if (flow == kNoFlow) return false;
        Fetch fetch;
        const bool more = collect(link, flow, fetch, now);
        // Whoever is served goes to the end of the row.
        auto &ready = link.ready[static_cast<std::size_t>(
            shelf_.inventory.destinations().flow(flow).priority)];
        if (more) ready.push_back(ready.pop_front());
        if (fetch.records > 0) {
            queue_fetch(id, link, std::move(fetch));
            return true;
        }
        if (more) return false;  // no room now
    }
}

/// Each disk reads its part.
void Releaser::queue_fetch(LinkId id, Link &link, Fetch fetch) {
    std::array<DiskRequestPtr, kMaxDisks> parts = std::move(fetch.parts);
    place_buffers(parts);
    for (const DiskRequestPtr &part : parts) fetch.missing += part != nullptr ? 1 : 0;
    const std::uint64_t tag =
        (std::uint64_t{id.value()} << 32) | link.fetches.add(std::move(fetch));
    for (std::size_t disk = 0; disk < kMaxDisks; ++disk) {
        if (parts[disk] == nullptr) continue;
        parts[disk]->tag = tag;
        shelf_.volume(static_cast<DiskIndex>(disk)).reads.push_back(std::move(parts[disk]));
        ++reading_;
    }
}

// A link may have got another neighbour, of which the router does not know yet.
bool Releaser::leads_by(LinkId id, const Link &link, FlowIndex flow) const {
    const NextHop hop = shelf_.inventory.destinations().next_hop(flow);
    return hop.link == id && hop.node == link.neighbour;
}

/// The flow at the head of the highest priority that has something to send by this link.
FlowIndex Releaser::next_flow(LinkId id, Link &link) {
    for (std::size_t priority = kPriorityCount; priority-- > 0;) {
        Ring<FlowIndex> &ready = link.ready[priority];
        while (!ready.empty()) {
            const FlowIndex index = ready.front();
            Flow &flow = shelf_.inventory.destinations().flow(index);
            if (flow.listed_on == id && flow.queue.waiting() > 0 && leads_by(id, link, index) &&
                !link.too_late.contains(flow.key))
                return index;
            if (flow.listed_on == id) flow.listed_on = kNoLink;
            ready.pop_front();
        }
    }
    return kNoFlow;
}

/// Takes the flow's next bundles as far as windows and memory allow; true when more wait.
bool Releaser::collect(Link &link, FlowIndex index, Fetch &fetch, TimePoint now) {
    Inventory &inventory = shelf_.inventory;
    FlowQueue &queue = inventory.destinations().flow(index).queue;
    std::uint64_t bytes = 0;
    while (queue.waiting() > 0 && fetch.records < kReadBundles) {
        const EntryIndex next = queue.first_waiting(inventory.entries());
        const Entry &entry = inventory.entry(next);
        if (shelf_.expired(entry.expiry, now)) {
            const bool last = queue.waiting() == 1;
            expire(next);
            if (last) return false;  // the flow itself may be gone
            continue;
        }
        // The stripes of a bundle are a fetch by themselves.
        if (fetch.striped || (fetch.records > 0 && entry.striped())) break;
        const std::uint64_t more = inventory.record_bytes_of(next);
        if (fetch.records > 0 && bytes + more > kReadBytes) break;
        if (fetch.records > 0 && fetch.bytes + entry.size > limits_.link_bytes) break;
        if (link.bytes > 0 && link.bytes + entry.size > most_bytes(link, now)) break;
        if (link.bundles >= limits_.link_bundles) break;
        const std::uint64_t pinned = shelf_.slabs.pinned_bytes() + bytes;
        if (pinned > 0 && pinned + more > limits_.memory_bytes) break;
        inventory.take(next);
        bytes += more;
        link.bytes += entry.size;
        ++link.bundles;
        add_record(fetch, next);
    }
    return queue.waiting() > 0;
}

void Releaser::add_record(Fetch &fetch, EntryIndex index) {
    const Entry &entry = shelf_.inventory.entry(index);
    DiskRecord record;
    record.entry = index;
    record.place = fetch.records++;
    fetch.bytes += entry.size;
    fetch.striped = entry.striped();
    shelf_.inventory.for_each_record(index, [&](const StoredRecord &stored) {
        DiskRequestPtr &part = fetch.parts[stored.disk];
        if (part == nullptr) part = shelf_.requests.acquire(DiskVerb::kRead);
        record.at = stored.at;
        part->records.push_back(record);
        ++record.stripe;
    });
}

/// Lays the records of each part out one behind another, so that neighbours in the log are read in
/// one go; stripes in their order, whichever disks they are on. All parts share a slab: it is one
/// of the pool, whose memory is warm, nearly always.
void Releaser::place_buffers(std::span<const DiskRequestPtr> parts) {
    const Inventory &inventory = shelf_.inventory;
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
    const SlabRef slab = whole_slab ? shelf_.slabs.acquire()
                                    : shelf_.slabs.acquire_sized(static_cast<std::uint32_t>(bytes));
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

void Releaser::handle_read_done(DiskIndex disk, DiskRequestPtr request, TimePoint now) {
    --reading_;
    if (request->tag == kReportTag) return take_report_part(disk, std::move(request));
    const LinkId id{static_cast<std::uint32_t>(request->tag >> 32)};
    Link &link = links_[id];
    const auto number = static_cast<std::uint32_t>(request->tag);
    link.fetches.put(number, disk, std::move(request));
    lend_ready(id, link, now);
}

}  // namespace farlink::storage
