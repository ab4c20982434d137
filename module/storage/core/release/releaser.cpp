// SPDX-License-Identifier: Apache-2.0
#include "module/storage/core/release/releaser.hpp"

#include <algorithm>
#include <utility>

#include "common/bus/link_snapshot.hpp"

namespace farlink::storage {

ReleaseLimits release_limits(const config::NodeConfig &config) {
    ReleaseLimits limits;
    limits.memory_bytes = std::max(limits.memory_bytes, config.buffer_bytes);
    for (const config::OutductConfig &outduct : config.outducts) {
        limits.link_bytes = std::max(limits.link_bytes, outduct.max_in_flight_bytes);
        limits.link_bundles = std::max(limits.link_bundles, outduct.max_in_flight_bundles);
    }
    return limits;
}

void Releaser::handle_link(LinkId id, NodeNumber neighbour, bool up, BitRate rate, Duration owlt) {
    Link &link = links_[id];
    if (!up || link.neighbour != neighbour) release_refused(link);
    link.up = up;
    if (up) {
        context_.refused.look_at_all();
        link.rate = rate;
        link.owlt = owlt;
        link.answer_time = {};
        reopen(link);
        context_.critical.reopen(id);
    }
    if (std::exchange(link.neighbour, neighbour) == neighbour) return;
    context_.critical.look_at_all();
    context_.inventory.destinations().for_each_flow([this](FlowIndex flow) { offer(flow); });
}

/// A contact begins, or it has another end or rate.
void Releaser::reopen(Link &link) {
    link.lent_before = sequence_;
    if (link.too_late.empty()) return;
    link.too_late.clear();
    context_.inventory.destinations().for_each_flow([this](FlowIndex flow) { offer(flow); });
}

void Releaser::handle_snapshot(const bus::LinkSnapshot &snapshot) {
    for (auto &[id, link] : links_) {
        if (bus::names(snapshot, id)) continue;
        link.up = false;
        release_refused(link);
    }
    for (const bus::LinkEntry &entry : snapshot.links)
        handle_link(entry.link, entry.neighbour, entry.planned && entry.connected, entry.rate,
                    entry.owlt);
}

void Releaser::hold_back(NodeNumber neighbour, TimePoint until) {
    held_back_[neighbour] = until;
    avoid_held_back();
}

void Releaser::avoid_held_back() {
    std::vector<NodeNumber> neighbours;
    for (const auto &[neighbour, until] : held_back_) neighbours.push_back(neighbour);
    context_.inventory.destinations().set_avoided(std::move(neighbours));
    context_.inventory.destinations().for_each_flow([this](FlowIndex flow) { offer(flow); });
}

TimePoint Releaser::next_timeout() const {
    TimePoint next = context_.refused.next_timeout();
    for (const auto &[neighbour, until] : held_back_) next = std::min(next, until);
    return std::min(next, context_.resting.next_timeout());
}

void Releaser::handle_timeout(TimePoint now) {
    const auto over = [now](const auto &each) { return each.second <= now; };
    if (std::erase_if(held_back_, over) > 0) avoid_held_back();
    place_refused(now);
    for (std::size_t done = 0; done < kRestedAtOnce; ++done) {
        const auto rested = context_.resting.poll(now);
        if (!rested) return;
        const auto index = context_.inventory.entries().find(*rested);
        if (index && context_.inventory.entry(*index).state == EntryState::kExceedsContacts)
            take_back(*index, now);
    }
}

void Releaser::handle_routes(const bus::RouteUpdate &update) {
    context_.inventory.destinations().set_routes(update);
    context_.critical.look_at_all();
    context_.refused.look_at_all();
    retry_set_aside();
    context_.inventory.destinations().for_each_flow([this](FlowIndex flow) { offer(flow); });
}

void Releaser::offer(FlowIndex index) {
    if (next_bundle(index) == kNoEntry) return;
    Flow &flow = context_.inventory.destinations().flow(index);
    for (const Way &way : context_.inventory.destinations().ways(index)) {
        Link &link = links_[way.link];
        if (flow.listed_on.contains(way.link) || link.too_late.contains(flow.key)) continue;
        flow.listed_on.push_back(way.link);
        link.ready[static_cast<std::size_t>(flow.priority)].push_back(index);
    }
}

/// The bundle of the flow whose turn it is. What no contact of the plan can carry steps aside.
EntryIndex Releaser::next_bundle(FlowIndex flow) {
    Inventory &inventory = context_.inventory;
    const std::uint64_t limit = inventory.destinations().max_bundle_bytes(flow);
    for (;;) {
        const EntryIndex next =
            inventory.destinations().flow(flow).queue.first_waiting(inventory.entries());
        if (next == kNoEntry || inventory.entry(next).size <= limit) return next;
        inventory.take(next);
        inventory.set_aside(next);
        aside_.push_back(inventory.entries().handle_of(next));
    }
}

/// Another plan may have a contact for them.
void Releaser::retry_set_aside() {
    Inventory &inventory = context_.inventory;
    std::erase_if(aside_, [&](std::uint64_t handle) {
        const auto index = inventory.entries().find(handle);
        if (!index || inventory.entry(*index).state != EntryState::kExceedsContacts) return true;
        const Entry &entry = inventory.entry(*index);
        if (entry.size > inventory.destinations().max_bundle_bytes(entry.flow)) return false;
        inventory.give_back(*index);
        return true;
    });
}

/// What was read ahead is lent once there is room for it in what the link may have in hand.
void Releaser::lend_ready(LinkId id, Link &link, TimePoint now) {
    for (;;) {
        const Fetch *const next = link.fetches.complete();
        const bool fits = next != nullptr && (link.lent_bytes == 0 ||
                                              link.lent_bytes + next->bytes <= window_bytes(link));
        if (!fits) return;
        auto fetch = link.fetches.poll();
        lend(id, link, *fetch, now);
        for (DiskRequestPtr &part : fetch->parts)
            if (part != nullptr) context_.requests.recycle(std::move(part));
    }
}

void Releaser::lend(LinkId id, Link &link, Fetch &fetch, TimePoint now) {
    BatchPtr batch;
    if (fetch.striped) fetch.join();
    fetch.for_each([&](DiskRequest &part, const DiskRecord &record) {
        if (context_.inventory.entry(record.entry).critical())
            return lend_copy(id, link, batch, part, record, now);
        if (!lendable(id, link, record, now)) return;
        const std::uint64_t size = context_.inventory.entry(record.entry).size;
        // The disk has verified the checksum of the record.
        const auto view = bp::parse_again({&record.octets, 1});
        if (view && goes_another_way(link, record.entry, *view)) return set_outcome(link, size);
        if (view && custodian_.lend(record.entry, link.neighbour, *view, record.octets))
            return lend_one(id, link, batch, part, record, *view, now);
        set_outcome(link, size);
        if (view)
            context_.discard(record.entry, StorageCounter::kCustodyReleased);
        else
            context_.quarantine(record.entry);
    });
    if (batch != nullptr) send_batch(std::move(batch), now);
}

/// Who sent a bundle is not kept on disk, and a session may not have told; the bundle itself may
/// (RFC 9171 section 4.4.1). One that would go back to where it came from waits for another way. So
/// does one whose source has ways of its own, in a record that was written before it had them.
bool Releaser::goes_another_way(const Link &link, EntryIndex index, const bp::BundleView &view) {
    const bool back = view.previous_node == link.neighbour;
    const auto flow = context_.inventory.destinations().flow_from(
        context_.inventory.entry(index).flow, back ? view.previous_node : NodeNumber{},
        view.source);
    if (!flow) return false;
    context_.inventory.change_flow(index, *flow);
    offer(*flow);
    return true;
}

/// False when the bundle was not read, or is not to leave by this link any more.
bool Releaser::lendable(LinkId id, Link &link, const DiskRecord &record, TimePoint now) {
    const Entry &entry = context_.inventory.entry(record.entry);
    const bool read = record.status == DiskStatus::kOk;
    // The link went down or the route changed while the disk was busy.
    const std::uint64_t handle = context_.inventory.entries().handle_of(record.entry);
    const bool leads =
        leads_by(id, link, entry.flow) || context_.refused.goes_by(handle, id, link.neighbour);
    if (read && link.up && leads) return true;
    set_outcome(link, entry.size);
    if (read)
        take_back(record.entry, now);
    else
        context_.quarantine(record.entry);
    return false;
}

void Releaser::lend_one(LinkId id, Link &link, BatchPtr &batch, DiskRequest &request,
                        const DiskRecord &record, const bp::BundleView &view, TimePoint now) {
    Inventory &inventory = context_.inventory;
    Entry &entry = inventory.entry(record.entry);
    if (batch != nullptr && batch->bytes + record.octets.size() > kBatchBytes)
        send_batch(std::move(batch), now);
    if (batch == nullptr) {
        batch = context_.batches.acquire();
        batch->link = id;
        batch->next_hop = link.neighbour;
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
    bundle.received = context_.clock.received_at(record.head.received);
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
    if (!entry.critical()) entry.state = EntryState::kReleased;
    if (batch->full()) send_batch(std::move(batch), now);
}

void Releaser::send_batch(BatchPtr batch, TimePoint now) {
    ++lent_;
    forwarded_before_.mark(*batch);
    links_[batch->link].answer_time.handle_lent(batch->sequence, now);
    context_.counters.increment(StorageCounter::kBatches);
    context_.send(bus::AgentId::kEgress, bus::ReleaseBatch{std::move(batch)});
}

void Releaser::handle(BatchPtr batch, TimePoint now) {
    FARLINK_INVARIANT(batch->owner == BatchOwner::kStorage && lent_ > 0);
    const LinkId id = batch->link;
    Link &link = links_[id];
    const Batch &whole = batch->whole != nullptr ? *batch->whole : *batch;
    for (std::size_t place = 0; place < whole.bundles.size(); ++place) {
        Outcome outcome = batch->outcome_of(batch->bundles[place]);
        const bool later = batch->whole != nullptr && outcome == Outcome::kPending;
        if (later || outcome == Outcome::kReturnedEarly) continue;
        // What was lent in an earlier contact says nothing of this one.
        if (outcome == Outcome::kTooLate && batch->sequence <= link.lent_before)
            outcome = Outcome::kNotSent;
        take_outcome(id, link, whole.bundles[place], outcome, now);
    }
    if (batch->whole == nullptr) {
        --lent_;
        link.answer_time.handle_back(batch->sequence, now);
        context_.batches.recycle(std::move(batch));
    }
    lend_ready(id, link, now);
}

void Releaser::take_outcome(LinkId id, Link &link, const BatchedBundle &bundle, Outcome outcome,
                            TimePoint now) {
    const auto index = context_.inventory.entries().find(bundle.record);
    const EntryState state = index ? context_.inventory.entry(*index).state : EntryState::kFree;
    if (state != EntryState::kReleased && state != EntryState::kCritical) return;
    link.lent_bytes -= bundle.size;
    link.ahead.handle_done(bundle.size, now);
    set_outcome(link, bundle.size);
    if (state == EntryState::kCritical) return set_copy_outcome(id, link, *index, outcome, now);
    // Also in custody: no custodian can get it. Egress has counted it and seen to the report.
    if (is_deleted(outcome)) return context_.discard(*index, StorageCounter::kUnsendable);
    if (custodian_.set_outcome(*index, outcome, link.owlt, now)) return;
    switch (outcome) {
        case Outcome::kSent:
            if (context_.inventory.take_return(*index))
                take_back(*index, now);
            else if (!stays_for_copies(*index))
                context_.discard(*index, StorageCounter::kReleased);
            return;
        case Outcome::kExpired:
            // Egress had the head at hand and has seen to the report.
            return context_.discard(*index, StorageCounter::kExpired);
        case Outcome::kRefused:
            note_refusal(*index, link.neighbour, now);
            break;
        case Outcome::kTooLate:
            link.too_late.insert(bundle.flow);
            break;
        default:
            break;
    }
    context_.counters.increment(StorageCounter::kReturned);
    if (outcome != Outcome::kRefused && link.up && context_.refused.knows(bundle.record))
        context_.refused.rest(bundle.record, link.neighbour, now);
    context_.count_if_returned(*index);
    take_back(*index, now);
}

/// The bundle has been sent. It has come again meanwhile, and ingress has lent that one: if it is
/// not sent, the record is needed.
bool Releaser::stays_for_copies(EntryIndex index) {
    return context_.inventory.entry(index).shared &&
           context_.copies.leave_lent(context_.inventory.entries().handle_of(index));
}

void Releaser::take_back(EntryIndex index, TimePoint now) {
    context_.end_sharing(index, StorageCounter::kDuplicates);
    if (context_.inventory.entry(index).critical()) return context_.critical.send_again(index);
    context_.inventory.give_back(index);
    const Entry &entry = context_.inventory.entry(index);
    if (context_.expired(entry.expiry, now)) return expire(index);
    if (context_.refused.knows(context_.inventory.entries().handle_of(index)))
        return park_refused(index);
    if (context_.rest(index, now)) return;
    offer(entry.flow);
}

void Releaser::set_outcome(Link &link, std::uint64_t size) {
    FARLINK_INVARIANT(link.bytes >= size && link.bundles > 0);
    link.bytes -= size;
    --link.bundles;
}

}  // namespace farlink::storage
