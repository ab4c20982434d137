// SPDX-License-Identifier: Apache-2.0
// What the releaser reads from the disks, for which link, and when.
#include "module/storage/core/release/releaser.hpp"

#include <algorithm>

namespace farlink::storage {
namespace {

constexpr std::uint64_t kReadBytes = StorageContext::kSlabBytes;
constexpr std::size_t kReadBundles = kBatchBundles;

/// Of a link that has not answered yet; nearly all do so within.
constexpr Duration kLikelyAnswerTime = seconds(4);

/// What the router does not know yet goes by the first way.
bool all_spent(std::span<const Way> ways) {
    return ways.size() == 1 ||
           std::ranges::all_of(ways, [](const Way &way) { return way.share_bytes == 0; });
}

}  // namespace

DiskRequestPtr Releaser::poll_read(DiskIndex disk, bool more, TimePoint now) {
    Ring<DiskRequestPtr> &reads = context_.volume(disk).reads;
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
        if (queue_refused(id, link, now)) return true;
        if (!link.refused.empty()) return false;
        const FlowIndex flow = next_flow(id, link);
        if (flow == kNoFlow) return false;
        Fetch fetch;
        const bool more = collect(id, link, flow, fetch, now);
        // Whoever is served goes to the end of the row.
        auto &ready = link.ready[static_cast<std::size_t>(
            context_.inventory.destinations().flow(flow).priority)];
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
        context_.volume(static_cast<DiskIndex>(disk)).reads.push_back(std::move(parts[disk]));
        ++reading_;
    }
}

/// How much of the flow is laid onto the link; empty when it is no way of the flow at all. A link
/// may have got another neighbour, of which the router does not know yet.
std::optional<std::uint64_t> Releaser::share_of(LinkId id, const Link &link, FlowIndex flow) const {
    const std::span<const Way> ways = context_.inventory.destinations().ways(flow);
    for (std::size_t at = 0; at < ways.size(); ++at)
        if (ways[at].link == id && ways[at].node == link.neighbour)
            return at == 0 && all_spent(ways) ? bus::kAnyBytes : ways[at].share_bytes;
    return std::nullopt;
}

void Releaser::spend_share(LinkId id, FlowIndex flow, std::uint64_t bytes) {
    for (Way &way : context_.inventory.destinations().ways(flow))
        if (way.link == id) way.share_bytes -= std::min(way.share_bytes, bytes);
}

/// The flow at the head of the highest priority that has something to send by this link.
FlowIndex Releaser::next_flow(LinkId id, Link &link) {
    for (std::size_t priority = kPriorityCount; priority-- > 0;) {
        Ring<FlowIndex> &ready = link.ready[priority];
        while (!ready.empty()) {
            const FlowIndex index = ready.front();
            Flow &flow = context_.inventory.destinations().flow(index);
            const bool listed = flow.listed_on.contains(id);
            if (listed && flow.queue.waiting() > 0 && share_of(id, link, index).value_or(0) > 0 &&
                !link.too_late.contains(flow.key))
                return index;
            if (listed) flow.listed_on.erase(id);
            ready.pop_front();
        }
    }
    return kNoFlow;
}

/// Of a link that its contact paces no more is lent than it sends in two seconds and until the
/// acknowledgements come, as the plan or experience says: the rest stays where it can still take
/// another way.
std::uint64_t Releaser::window_bytes(const Link &link) const {
    if (link.rate.value() == 0) return limits_.link_bytes;
    const Duration answer = link.answer_time.shortest().value_or(kLikelyAnswerTime);
    const Duration time = seconds(2) + std::max(4 * link.owlt, answer);
    const double bytes =
        static_cast<double>(link.rate.value()) / 8 * std::chrono::duration<double>(time).count();
    if (bytes >= static_cast<double>(limits_.link_bytes)) return limits_.link_bytes;
    return std::max<std::uint64_t>(static_cast<std::uint64_t>(bytes), kBatchBytes);
}

/// Takes the flow's next bundles as far as windows and memory allow; true when more wait.
bool Releaser::collect(LinkId id, Link &link, FlowIndex index, Fetch &fetch, TimePoint now) {
    Inventory &inventory = context_.inventory;
    FlowQueue &queue = inventory.destinations().flow(index).queue;
    const std::uint64_t share = share_of(id, link, index).value_or(0);
    std::uint64_t bytes = 0;
    while (fetch.records < kReadBundles) {
        const EntryIndex next = next_bundle(index);
        if (next == kNoEntry) break;
        const Entry &entry = inventory.entry(next);
        if (context_.expired(entry.expiry, now)) {
            const bool last = queue.waiting() == 1;
            expire(next);
            if (last) return false;  // the flow itself may be gone
            continue;
        }
        // The stripes of a bundle are a fetch by themselves.
        if (fetch.striped || (fetch.records > 0 && entry.striped())) break;
        const std::uint64_t more = inventory.record_bytes_of(next);
        if (fetch.records > 0 && bytes + more > kReadBytes) break;
        const std::uint64_t most = std::min(share, window_bytes(link));
        if (fetch.records > 0 && fetch.bytes + entry.size > most) break;
        if (link.bytes > 0 && link.bytes + entry.size > most_bytes(link, now)) break;
        if (link.bundles >= limits_.link_bundles) break;
        const std::uint64_t pinned = context_.slabs.pinned_bytes() + bytes;
        if (pinned > 0 && pinned + more > limits_.memory_bytes) break;
        inventory.take(next);
        bytes += more;
        link.bytes += entry.size;
        ++link.bundles;
        add_record(fetch, next);
    }
    if (fetch.records > 0) spend_share(id, index, fetch.bytes);
    return queue.waiting() > 0;
}

void Releaser::add_record(Fetch &fetch, EntryIndex index) {
    const Entry &entry = context_.inventory.entry(index);
    DiskRecord record;
    record.entry = index;
    record.place = fetch.records++;
    fetch.bytes += entry.size;
    fetch.striped = entry.striped();
    context_.inventory.for_each_record(index, [&](const StoredRecord &stored) {
        DiskRequestPtr &part = fetch.parts[stored.disk];
        if (part == nullptr) part = context_.requests.acquire(DiskVerb::kRead);
        record.at = stored.at;
        part->records.push_back(record);
        ++record.stripe;
    });
}

/// Lays the records of each part out one behind another, so that neighbours in the log are read in
/// one go; stripes in their order, whichever disks they are on. All parts share a slab: it is one
/// of the pool, whose memory is warm, nearly always.
void Releaser::place_buffers(std::span<const DiskRequestPtr> parts) {
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

void Releaser::handle_read_done(DiskIndex disk, DiskRequestPtr request, TimePoint now) {
    --reading_;
    if (request->tag == kReportTag) return take_report_part(disk, std::move(request));
    const LinkId id{static_cast<std::uint32_t>(request->tag >> 32)};
    Link &link = links_[id];
    const auto number = static_cast<std::uint32_t>(request->tag);
    link.fetches.put(number, disk, std::move(request));
    lend_ready(id, link, now);
}

bool Releaser::has_room_for(const Link &link, EntryIndex index, TimePoint now) const {
    const std::uint64_t size = context_.inventory.entry(index).size;
    const std::uint64_t pinned = context_.slabs.pinned_bytes();
    if (link.bytes > 0 && link.bytes + size > most_bytes(link, now)) return false;
    return pinned == 0 ||
           pinned + context_.inventory.record_bytes_of(index) <= limits_.memory_bytes;
}

void Releaser::fetch_alone(LinkId id, Link &link, EntryIndex index) {
    link.bytes += context_.inventory.entry(index).size;
    ++link.bundles;
    Fetch fetch;
    add_record(fetch, index);
    queue_fetch(id, link, std::move(fetch));
}

}  // namespace farlink::storage
