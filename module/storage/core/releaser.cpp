// SPDX-License-Identifier: Apache-2.0
#include "module/storage/core/releaser.hpp"

#include <algorithm>

namespace farlink::storage {
namespace {

constexpr std::uint64_t kReadBytes = Shelf::kSlabBytes;
constexpr std::size_t kReadBundles = kBatchBundles;
/// Tag of a read that is for a deletion report; otherwise the tag is the link.
constexpr std::uint64_t kReportTag = ~std::uint64_t{0};

}  // namespace

ReleaseLimits release_limits(const config::NodeConfig &config) {
    ReleaseLimits limits;
    limits.memory_bytes = std::max(limits.memory_bytes, config.buffer_bytes);
    for (const config::OutductConfig &outduct : config.outducts) {
        limits.link_bytes = std::max(limits.link_bytes, outduct.max_in_flight_bytes);
        limits.link_bundles = std::max(limits.link_bundles, outduct.max_in_flight_bundles);
    }
    return limits;
}

void Releaser::handle_link(LinkId id, NodeNumber neighbour, bool up, Duration light_time) {
    Link &link = links_[id];
    link.up = up;
    if (up) link.light_time = light_time;
    if (std::exchange(link.neighbour, neighbour) != neighbour)
        shelf_.inventory.destinations().for_each_flow([this](FlowIndex flow) { offer(flow); });
}

void Releaser::handle_snapshot(const bus::LinkSnapshot &snapshot) {
    for (auto &[id, link] : links_) link.up = false;
    for (const bus::LinkEntry &entry : snapshot.links)
        handle_link(entry.link, entry.neighbour, entry.planned && entry.connected,
                    entry.light_time);
}

void Releaser::hold_back(NodeNumber neighbour, TimePoint until) {
    held_back_[neighbour] = until;
    avoid_held_back();
}

void Releaser::avoid_held_back() {
    std::vector<NodeNumber> neighbours;
    for (const auto &[neighbour, until] : held_back_) neighbours.push_back(neighbour);
    shelf_.inventory.destinations().set_avoided(std::move(neighbours));
    shelf_.inventory.destinations().for_each_flow([this](FlowIndex flow) { offer(flow); });
}

TimePoint Releaser::next_timeout() const {
    TimePoint next = kNever;
    for (const auto &[neighbour, until] : held_back_) next = std::min(next, until);
    return next;
}

void Releaser::handle_timeout(TimePoint now) {
    const auto over = [now](const auto &each) { return each.second <= now; };
    if (std::erase_if(held_back_, over) > 0) avoid_held_back();
}

void Releaser::handle_routes(const bus::RouteUpdate &update) {
    shelf_.inventory.destinations().set_routes(update.routes);
    shelf_.inventory.destinations().for_each_flow([this](FlowIndex flow) { offer(flow); });
}

void Releaser::offer(FlowIndex index) {
    const LinkId link = shelf_.inventory.destinations().next_hop(index).link;
    Flow &flow = shelf_.inventory.destinations().flow(index);
    if (link == kNoLink || flow.listed_on == link || flow.queue.waiting() == 0) return;
    flow.listed_on = link;
    links_[link].ready[static_cast<std::size_t>(flow.priority)].push_back(index);
}

// ---- reading
// -------------------------------------------------------------------------------------

DiskRequestPtr Releaser::poll_read(DiskIndex disk, bool more, TimePoint now) {
    Ring<DiskRequestPtr> &reads = shelf_.volume(disk).reads;
    if (more && reads.empty()) queue_report();
    while (more && reads.empty() && queue_reads(now)) {
    }
    return reads.empty() ? nullptr : reads.pop_front();
}

/// Links take turns, so that a fast one does not starve the others of memory.
bool Releaser::queue_reads(TimePoint now) {
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
            if (flow.listed_on == id && flow.queue.waiting() > 0 && leads_by(id, link, index))
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

// ---- lending
// -------------------------------------------------------------------------------------

/// What was read ahead is lent once there is room for it in what the link may have in hand.
void Releaser::lend_ready(LinkId id, Link &link, TimePoint now) {
    for (;;) {
        const Fetch *const next = link.fetches.complete();
        const bool fits = next != nullptr && (link.lent_bytes == 0 ||
                                              link.lent_bytes + next->bytes <= limits_.link_bytes);
        if (!fits) return;
        auto fetch = link.fetches.poll();
        lend(id, link, *fetch, now);
        for (DiskRequestPtr &part : fetch->parts)
            if (part != nullptr) shelf_.requests.recycle(std::move(part));
    }
}

void Releaser::lend(LinkId id, Link &link, Fetch &fetch, TimePoint now) {
    BatchPtr batch;
    if (fetch.striped) fetch.join();
    fetch.for_each([&](DiskRequest &part, const DiskRecord &record) {
        if (!lendable(id, link, record, now)) return;
        const std::uint64_t size = shelf_.inventory.entry(record.entry).size;
        // The disk has verified the checksum of the record.
        const auto view = bp::parse_again({&record.octets, 1});
        if (view && custodian_.lend(record.entry, *view, record.octets))
            return lend_one(id, link, batch, part, record, *view);
        settle(link, size);
        if (view)
            shelf_.discard(record.entry, StorageCounter::kCustodyReleased);
        else
            shelf_.quarantine(record.entry);
    });
    if (batch != nullptr) send_batch(std::move(batch));
}

/// False when the bundle was not read, or is not to leave by this link any more.
bool Releaser::lendable(LinkId id, Link &link, const DiskRecord &record, TimePoint now) {
    const Entry &entry = shelf_.inventory.entry(record.entry);
    const bool read = record.status == DiskStatus::kOk;
    // The link went down or the route changed while the disk was busy.
    if (read && link.up && leads_by(id, link, entry.flow)) return true;
    settle(link, entry.size);
    if (read)
        take_back(record.entry, now);
    else
        shelf_.quarantine(record.entry);
    return false;
}

void Releaser::lend_one(LinkId id, Link &link, BatchPtr &batch, DiskRequest &request,
                        const DiskRecord &record, const bp::BundleView &view) {
    Inventory &inventory = shelf_.inventory;
    Entry &entry = inventory.entry(record.entry);
    if (batch != nullptr && batch->bytes + record.octets.size() > kBatchBytes)
        send_batch(std::move(batch));
    if (batch == nullptr) {
        batch = shelf_.batches.acquire();
        batch->link = id;
        batch->next_hop = inventory.destinations().next_hop(entry.flow).node;
        batch->sequence = ++sequence_;
    }
    batch->pin(request.slab);
    BatchedBundle bundle;
    bundle.size = record.octets.size();
    link.lent_bytes += bundle.size;
    bundle.arrival = entry.arrival;
    bundle.flow = inventory.destinations().flow(entry.flow).key;
    bundle.record = inventory.entries().handle_of(record.entry);
    bundle.expiry = entry.expiry;
    bundle.received = shelf_.clock.received_at(record.head.received);
    bundle.first_slice = static_cast<std::uint32_t>(batch->slices.size());
    bundle.slice_count = 1;
    bundle.primary_end = view.primary_end;
    bundle.head_end = view.head_end;
    bundle.version = view.version;
    bundle.priority = record.head.priority;
    bundle.requests = entry.requests;
    batch->slices.push_back(record.octets);
    batch->bytes += bundle.size;
    batch->requests |= bundle.requests;
    batch->bundles.push_back(bundle);
    entry.state = EntryState::kReleased;
    if (batch->full()) send_batch(std::move(batch));
}

void Releaser::send_batch(BatchPtr batch) {
    ++lent_;
    shelf_.counters.increment(StorageCounter::kBatches);
    shelf_.send(bus::AgentId::kEgress, bus::ReleaseBatch{std::move(batch)});
}

void Releaser::handle(BatchPtr batch, TimePoint now) {
    FARLINK_INVARIANT(batch->owner == BatchOwner::kStorage && lent_ > 0);
    --lent_;
    const LinkId id = batch->link;
    Link &link = links_[id];
    for (const BatchedBundle &bundle : batch->bundles) {
        const auto index = shelf_.inventory.entries().find(bundle.record);
        if (!index || shelf_.inventory.entry(*index).state != EntryState::kReleased) continue;
        link.lent_bytes -= bundle.size;
        link.ahead.handle_done(bundle.size, now);
        settle(link, bundle.size);
        const Outcome outcome = batch->outcome_of(bundle);
        if (custodian_.settle(*index, outcome, link.light_time, now)) continue;
        switch (outcome) {
            case Outcome::kSent:
            case Outcome::kIoError:  // egress could not render it: sent nowhere, kept nowhere
                shelf_.discard(*index, StorageCounter::kReleased);
                break;
            case Outcome::kExpired:
                // Egress had the head at hand and has seen to the report.
                shelf_.discard(*index, StorageCounter::kExpired);
                break;
            default:
                shelf_.counters.increment(StorageCounter::kReturned);
                take_back(*index, now);
                break;
        }
    }
    shelf_.batches.recycle(std::move(batch));
    lend_ready(id, link, now);
}

void Releaser::take_back(EntryIndex index, TimePoint now) {
    shelf_.inventory.give_back(index);
    const Entry &entry = shelf_.inventory.entry(index);
    if (shelf_.expired(entry.expiry, now)) return expire(index);
    offer(entry.flow);
}

void Releaser::settle(Link &link, std::uint64_t size) {
    FARLINK_INVARIANT(link.bytes >= size && link.bundles > 0);
    link.bytes -= size;
    --link.bundles;
}

// ---- expiry
// --------------------------------------------------------------------------------------

void Releaser::expire(EntryIndex index) {
    Entry &entry = shelf_.inventory.entry(index);
    switch (entry.state) {
        case EntryState::kWaiting:
            return remove(index, StorageCounter::kExpired, kReasonLifetimeExpired);
        case EntryState::kInCustody:
            shelf_.inventory.give_back(index);
            return expire(index);
        case EntryState::kQuarantined:
            shelf_.erase_records(index);
            shelf_.inventory.remove(index);
            return;
        default:
            return;  // whoever has it now looks at its lifetime when it comes back
    }
}

void Releaser::remove(EntryIndex index, StorageCounter why, std::uint8_t reason) {
    const bool told =
        reports_wanted_ && (shelf_.inventory.entry(index).requests & kReportDeletion) != 0;
    if (!told) return shelf_.discard(index, why);
    shelf_.inventory.doom(index);
    reports_.push_back({shelf_.inventory.entries().handle_of(index), why, reason});
}

/// One at a time: reports are rare, and a bundle may be large.
void Releaser::queue_report() {
    if (reports_.empty() || report_reading_) return;
    reported_ = reports_.pop_front();
    const auto index = shelf_.inventory.entries().find(reported_.handle);
    FARLINK_INVARIANT(index.has_value());
    Fetch fetch;
    add_record(fetch, *index);
    std::array<DiskRequestPtr, kMaxDisks> parts = std::move(fetch.parts);
    place_buffers(parts);
    for (std::size_t disk = 0; disk < kMaxDisks; ++disk) {
        if (parts[disk] == nullptr) continue;
        parts[disk]->tag = kReportTag;
        shelf_.volume(static_cast<DiskIndex>(disk)).reads.push_back(std::move(parts[disk]));
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
        if (each != nullptr) shelf_.requests.recycle(std::move(each));
}

void Releaser::report(const DiskRecord &record) {
    if (record.status == DiskStatus::kOk) {
        if (const auto view = bp::parse({&record.octets, 1})) {
            const ByteView head = record.octets.first(view->head_end);
            shelf_.send(bus::AgentId::kIngress,
                        bus::ReportRequest{bus::ReportEvent::kDeleted, reported_.reason,
                                           Bytes(head.begin(), head.end()), view->payload_length});
        }
    }
    shelf_.discard(record.entry, reported_.why);
}

}  // namespace farlink::storage
