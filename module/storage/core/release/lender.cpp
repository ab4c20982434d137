// SPDX-License-Identifier: Apache-2.0
#include "module/storage/core/release/lender.hpp"

#include <algorithm>
#include <utility>

#include "common/base/copy_octets.hpp"
#include "common/base/endpoint_links.hpp"
#include "common/bp/fragmentation/fragment_rules.hpp"
#include "common/bp/parse.hpp"
#include "common/bp/reassembly/joined_bundle.hpp"
#include "module/storage/core/state/first_piece.hpp"

namespace farlink::storage {

void Lender::handle_read_done(DiskIndex disk, DiskRequestPtr request, TimePoint now) {
    const LinkId id{static_cast<std::uint32_t>(request->tag >> 32)};
    ReleaseLink &link = links_[id];
    const auto number = static_cast<std::uint32_t>(request->tag);
    link.fetches.put(number, disk, std::move(request));
    lend_ready(id, link, now);
}

/// Lends what was read ahead as far as the window of the link allows.
void Lender::lend_ready(LinkId id, ReleaseLink &link, TimePoint now) {
    for (;;) {
        const Fetch *const next = link.fetches.complete();
        // Only so many pieces are read as are lent at a time.
        const bool fits =
            next != nullptr && (link.lent_bytes == 0 || (next->piece && link.spooled.lent() > 0) ||
                                link.lent_bytes + next->bytes <= links_.window_bytes(link));
        if (!fits) return;
        auto fetch = link.fetches.poll();
        lend(id, link, *fetch, now);
        for (DiskRequestPtr &part : fetch->parts)
            if (part != nullptr) context_.requests.recycle(std::move(part));
    }
}

Lender::ReadBundle Lender::read_bundle(const DiskRequest &request, const DiskRecord &record) {
    return {record.entry,
            {&record.octets, 1},
            record.octets.size(),
            record.head.received,
            {&request.slab, 1}};
}

void Lender::lend(LinkId id, ReleaseLink &link, Fetch &fetch, TimePoint now) {
    if (fetch.joined != kNoEntry) return lend_joined(id, link, fetch, now);
    if (fetch.piece) return lend_piece(id, link, fetch, now);
    BatchPtr batch;
    if (fetch.striped) fetch.join();
    fetch.for_each([&](DiskRequest &part, const DiskRecord &record) {
        if (context_.inventory.entry(record.entry).critical())
            return lend_copy(id, link, batch, part, record, now);
        if (!lendable(id, link, record, now)) return;
        const std::uint64_t size = context_.inventory.entry(record.entry).bytes();
        // The disk has verified the checksum of the record.
        const auto view = bp::parse_again({&record.octets, 1});
        if (view && change_route(link, record.entry, *view)) return link.release(size);
        if (view && !may_leave(record.entry, *view, record.octets)) {
            link.release(size);
            return take_back(record.entry, now);
        }
        if (view && custodian_.lend(record.entry, link.neighbour, *view, record.octets))
            return lend_one(id, link, batch, read_bundle(part, record), *view, now);
        link.release(size);
        if (view)
            context_.discard(record.entry, StorageCounter::kCustodyReleased);
        else
            context_.quarantine(record.entry);
    });
    if (batch != nullptr) send_batch(std::move(batch), now);
}

/// A bundle that would go back to its previous node waits for another route. The sender is not kept
/// on disk, and a session may not name it; the bundle itself may (RFC 9171 section 4.4.1). The same
/// holds for a bundle whose source has routes of its own, in a record that is older than those.
bool Lender::change_route(const ReleaseLink &link, EntryIndex index, const bp::BundleView &view) {
    const bool back = view.previous_node == link.neighbour;
    const auto flow = context_.inventory.destinations().flow_from(
        context_.inventory.entry(index).flow, back ? view.previous_node : NodeNumber{},
        view.source);
    if (!flow) return false;
    context_.inventory.change_flow(index, *flow);
    flows_.offer(*flow);
    return true;
}

/// False for a bundle that no contact carries as a whole, and that may not be cut: it is set aside
/// when its turn comes again. `octets` begin with its head.
bool Lender::may_leave(EntryIndex index, const bp::BundleView &view, ByteView octets) {
    const std::uint64_t bundle = context_.inventory.entries().handle_of(index);
    if (!context_.cut.is_to_be_judged(bundle)) return true;
    const bool cuttable = bp::may_be_fragmented(view, octets.first(view.head_end));
    context_.cut.judge(bundle, cuttable);
    return cuttable;
}

/// The octets of the payload that have left in earlier contacts, and need not leave again. 0 for an
/// application, and for a link without fragments, which get the bundle as a whole.
std::uint64_t Lender::sent_before(const ReleaseLink &link, EntryIndex index) const {
    const bool takes_fragments = link.fragments && !link.is_endpoint;
    if (context_.cut.empty() || !takes_fragments) return 0;
    return context_.cut.sent(context_.inventory.entries().handle_of(index));
}

/// False when the bundle was not read, or is not to leave by this link any more.
bool Lender::lendable(LinkId id, ReleaseLink &link, const DiskRecord &record, TimePoint now) {
    const bool read = record.status == DiskStatus::kOk;
    if (read && is_still_led_by(id, link, record.entry)) return true;
    link.release(context_.inventory.entry(record.entry).bytes());
    if (read)
        take_back(record.entry, now);
    else
        context_.quarantine(record.entry);
    return false;
}

/// The link may have gone down, or the route have changed, while the disk was busy.
bool Lender::is_still_led_by(LinkId id, const ReleaseLink &link, EntryIndex index) const {
    const std::uint64_t handle = context_.inventory.entries().handle_of(index);
    const FlowIndex flow = context_.inventory.entry(index).flow;
    return link.up && (flows_.share_of(id, link, flow).has_value() ||
                       context_.refused.goes_by(handle, id, link.neighbour));
}

/// The fragments of a bundle: they are joined where they lie, with a head of their own.
void Lender::lend_joined(LinkId id, ReleaseLink &link, Fetch &fetch, TimePoint now) {
    const EntryIndex index = fetch.joined;
    link.release(context_.inventory.entry(index).bytes());
    if (quarantine_unreadable(fetch, now)) return;
    if (!is_still_led_by(id, link, index)) return take_back(index, now);
    const JoinedRead joined = join(fetch);
    const auto view = bp::parse_again(joined.slices);
    if (!view) return quarantine_all(fetch);
    context_.inventory.entry(index).set_bytes(view->size);
    if (change_route(link, index, *view)) return;
    if (!may_leave(index, *view, joined.slices.front())) return take_back(index, now);
    link.reserve(view->size);
    BatchPtr batch;
    lend_one(id, link, batch, {index, joined.slices, view->size, joined.received, joined.slabs},
             *view, now);
    if (batch != nullptr) send_batch(std::move(batch), now);
}

/// Without slices when the fragments make no bundle.
Lender::JoinedRead Lender::join(Fetch &fetch) {
    JoinedRead joined;
    std::vector<ByteView> fragments;
    fetch.for_each([&](const DiskRequest &part, const DiskRecord &record) {
        if (fragments.empty()) joined.received = record.head.received;
        fragments.push_back(record.octets);
        joined.slabs[0] = part.slab;  // all parts share it
    });
    const auto bundle = bp::join(fragments);
    if (!bundle) return joined;
    const std::size_t around = bundle->head.size() + bundle->tail.size();
    joined.slabs[1] = context_.slabs.acquire_sized(static_cast<std::uint32_t>(around));
    std::uint8_t *const head = joined.slabs[1]->data;
    std::uint8_t *const tail = copy_octets(bundle->head, head);
    copy_octets(bundle->tail, tail);
    joined.slices.emplace_back(head, bundle->head.size());
    joined.slices.insert(joined.slices.end(), bundle->payload.begin(), bundle->payload.end());
    if (!bundle->tail.empty()) joined.slices.emplace_back(tail, bundle->tail.size());
    return joined;
}

/// They were compared before they were written, so one of them is forged: its head, or the blocks
/// behind its payload.
void Lender::quarantine_all(Fetch &fetch) {
    fetch.for_each([this](const DiskRequest &, const DiskRecord &record) {
        context_.quarantine(record.entry);
    });
}

/// True when the bundle is one no more, since a fragment cannot be read.
bool Lender::quarantine_unreadable(Fetch &fetch, TimePoint now) {
    std::vector<EntryIndex> kept;
    bool damaged = false;
    fetch.for_each([&](const DiskRequest &, const DiskRecord &record) {
        const bool read = record.status == DiskStatus::kOk;
        if (!read) context_.quarantine(record.entry);
        if (read) kept.push_back(record.entry);
        damaged = damaged || !read;
    });
    if (!damaged) return false;
    // What expired while they were read was left to the bundle.
    for (const EntryIndex fragment : kept)
        if (context_.expired(context_.inventory.entry(fragment).expiry, now))
            remover_.expire(fragment);
    return true;
}

void Lender::lend_one(LinkId id, ReleaseLink &link, BatchPtr &batch, const ReadBundle &read,
                      const bp::BundleView &view, TimePoint now) {
    // The rest of a bundle is a batch of its own.
    const std::uint64_t sent = sent_before(link, read.entry);
    if (batch != nullptr && (sent > 0 || batch->bytes + read.size > kBatchBytes))
        send_batch(std::move(batch), now);
    if (batch == nullptr) batch = open_batch(id, link);
    batch->sent_payload = sent;
    add(*batch, link, read, view);
    if (sent > 0 || batch->full()) send_batch(std::move(batch), now);
}

BatchPtr Lender::open_batch(LinkId id, const ReleaseLink &link) {
    BatchPtr batch = context_.batches.acquire();
    batch->link = id;
    batch->next_hop = link.neighbour;
    batch->sequence = ++sequence_;
    return batch;
}

void Lender::add(Batch &batch, ReleaseLink &link, const ReadBundle &read,
                 const bp::BundleView &view) {
    Inventory &inventory = context_.inventory;
    Entry &entry = inventory.entry(read.entry);
    for (const SlabRef &slab : read.slabs) batch.pin(slab);
    BatchedBundle bundle;
    bundle.size = read.size;
    link.lent_bytes += bundle.size;
    bundle.arrival = entry.arrival;
    bundle.flow = inventory.destinations().flow(entry.flow).key;
    bundle.record = inventory.entries().handle_of(read.entry);
    bundle.expiry = entry.expiry;
    bundle.received = context_.clock.received_at(read.received);
    bundle.first_slice = static_cast<std::uint32_t>(batch.slices.size());
    bundle.slice_count = static_cast<std::uint32_t>(read.slices.size());
    bundle.primary_end = view.primary_end;
    bundle.head_end = view.head_end;
    bundle.version = view.version;
    bundle.priority = inventory.destinations().flow(entry.flow).priority;
    bundle.requests = entry.requests;
    batch.slices.insert(batch.slices.end(), read.slices.begin(), read.slices.end());
    batch.bytes += bundle.size;
    batch.requests |= bundle.requests;
    batch.bundles.push_back(bundle);
    // It is in kReleased already when this is a further piece of it.
    if (entry.state() == EntryState::kReading) entry.transition(EntryState::kReleased);
}

// ---- pieces
// --------------------------------------------------------------------------------------

EntryIndex Lender::spooled_on(const ReleaseLink &link) const {
    const auto whole = context_.inventory.entries().find(link.spooled.bundle());
    FARLINK_INVARIANT(whole.has_value());
    return *whole;
}

void Lender::lend_piece(LinkId id, ReleaseLink &link, Fetch &fetch, TimePoint now) {
    const EntryIndex whole = spooled_on(link);
    SpooledRelease &spooled = link.spooled;
    spooled.handle_read();
    fetch.for_each([&](const DiskRequest &part, const DiskRecord &record) {
        context_.fragments.end_read(record.entry);
        const bool read = record.status == DiskStatus::kOk;
        if (!read || !is_still_led_by(id, link, whole)) break_off(id, link);
        if (!read) spooled.set_damaged(record.entry);
        if (lend_next_piece(id, link, whole, part, record, now)) return;
        link.release(fetch.bytes);
        spooled.handle_dropped(fetch.bytes);
    });
    end_spooled(id, link, now);
}

/// False when the bundle does not leave, or no further.
bool Lender::lend_next_piece(LinkId id, ReleaseLink &link, EntryIndex whole,
                             const DiskRequest &part, const DiskRecord &record, TimePoint now) {
    SpooledRelease &spooled = link.spooled;
    if (spooled.stopped()) return false;
    bp::BundleView head;
    head.version = spooled.version();
    if (!spooled.begun()) {
        const auto view = read_first_piece(record.octets);
        if (!view) spooled.set_damaged(record.entry);
        if (view && change_route(link, whole, *view)) spooled.stop(Outcome::kNotSent);
        if (spooled.stopped()) return false;
        spooled.set_head(view->version, record.head.received);
        head = *view;
    }
    ReadBundle read = read_bundle(part, record);
    read.entry = whole;
    read.received = spooled.received();
    BatchPtr batch = open_batch(id, link);
    batch->piece = spooled.piece(read.size);
    add(*batch, link, read, head);
    spooled.handle_lent(read.size);
    spooled.set_sequence(batch->sequence);
    send_batch(std::move(batch), now);
    return true;
}

void Lender::break_off(LinkId id, ReleaseLink &link) {
    SpooledRelease &spooled = link.spooled;
    if (!spooled.active() || spooled.stopped() || spooled.all_lent()) return;
    spooled.stop(Outcome::kNotSent);
    broken_off_.push_back(id);
    if (!spooled.begun()) return;
    BatchPtr end = open_batch(id, link);
    end->piece = spooled.piece(0);
    send_batch(std::move(end), context_.clock.read_at());
}

void Lender::break_off_misled() {
    for (auto &[id, link] : links_.all())
        if (link.spooled.active() && !is_still_led_by(id, link, spooled_on(link)))
            break_off(id, link);
}

void Lender::end_broken_off(TimePoint now) {
    for (const LinkId id : std::exchange(broken_off_, {})) end_spooled(id, links_[id], now);
}

/// All that was read or lent of it is back.
void Lender::end_spooled(LinkId id, ReleaseLink &link, TimePoint now) {
    if (!link.spooled.over()) return;
    const EntryIndex whole = spooled_on(link);
    const SpooledRelease over = std::exchange(link.spooled, {});
    if (over.damaged() != kNoEntry) return context_.quarantine_spooled(whole, over.damaged());
    const EntryState state = context_.inventory.entry(whole).state();
    // An outcome of an earlier contact is no sign for this one.
    const bool earlier = over.outcome() == Outcome::kTooLate && over.sequence() <= link.lent_before;
    const Outcome outcome = earlier ? Outcome::kNotSent : over.outcome();
    if (state == EntryState::kReleased) return conclude(id, link, whole, outcome, now);
    if (state == EntryState::kReading) take_back(whole, now);  // else it has another route
}

/// A part may have the outcome before its batch is back.
void Lender::take_piece_back(ReleaseLink &link, const Batch &batch, const Batch &whole,
                             TimePoint now) {
    if (whole.bundles.empty()) return;  // all further pieces were void
    Outcome outcome = batch.outcome_of(batch.bundles.front());
    const bool later = batch.whole != nullptr && outcome == Outcome::kPending;
    if (outcome == Outcome::kTooLate && whole.sequence <= link.lent_before)
        outcome = Outcome::kNotSent;
    if (!later && outcome != Outcome::kReturnedEarly) link.spooled.set_outcome(outcome);
    if (batch.whole != nullptr) return;
    const std::uint64_t size = whole.bundles.front().size;
    link.lent_bytes -= size;
    link.ahead.handle_done(size, now);
    link.release(size);
    link.spooled.handle_back(size);
}

void Lender::lend_copy(LinkId id, ReleaseLink &link, BatchPtr &batch, DiskRequest &request,
                       const DiskRecord &record, TimePoint now) {
    const CriticalCopy *const copy = context_.critical.lent_to(id, record.entry);
    FARLINK_INVARIANT(copy != nullptr);
    const bool read = record.status == DiskStatus::kOk;
    const auto view = read ? bp::parse_again({&record.octets, 1}) : fail(bp::ParseError::kEmpty);
    if (view && link.up && copy->neighbour == link.neighbour) {
        // A custodian that has it already does not keep it from the others.
        (void)custodian_.lend(record.entry, link.neighbour, *view, record.octets);
        return lend_one(id, link, batch, read_bundle(request, record), *view, now);
    }
    link.release(context_.inventory.entry(record.entry).bytes());
    critical_.give_up(id, record.entry, view.has_value());
}

void Lender::send_batch(BatchPtr batch, TimePoint now) {
    ++lent_;
    // What follows the first piece follows that one.
    if (batch->link != kServicesLink && batch->piece.first()) forwarded_before_.mark(*batch);
    // Egress returns one without bundles at once.
    if (!batch->bundles.empty()) links_[batch->link].answer_time.handle_lent(batch->sequence, now);
    context_.counters.increment(StorageCounter::kBatches);
    const auto to = batch->link == kServicesLink    ? bus::AgentId::kIngress
                    : is_endpoint_link(batch->link) ? bus::AgentId::kApplications
                                                    : bus::AgentId::kEgress;
    context_.send(to, bus::ReleaseBatch{std::move(batch)});
}

void Lender::handle(BatchPtr batch, TimePoint now) {
    FARLINK_INVARIANT(batch->owner == BatchOwner::kStorage && lent_ > 0);
    const LinkId id = batch->link;
    ReleaseLink &link = links_[id];
    const Batch &whole = batch->whole != nullptr ? *batch->whole : *batch;
    const bool piece = whole.piece.present();
    if (piece) take_piece_back(link, *batch, whole, now);
    const std::size_t count = piece ? 0 : whole.bundles.size();
    for (std::size_t place = 0; place < count; ++place) {
        Outcome outcome = batch->outcome_of(batch->bundles[place]);
        const bool later = batch->whole != nullptr && outcome == Outcome::kPending;
        if (later || outcome == Outcome::kReturnedEarly) continue;
        if (outcome == Outcome::kPartSent) {
            note_part(whole.bundles[place], batch->sent_payload);
            outcome = Outcome::kTooLate;  // so is the rest
        }
        // An outcome of an earlier contact is no sign for this one.
        if (outcome == Outcome::kTooLate && batch->sequence <= link.lent_before)
            outcome = Outcome::kNotSent;
        set_outcome(id, link, whole.bundles[place], outcome, now);
    }
    if (batch->whole == nullptr) {
        --lent_;
        link.answer_time.handle_back(batch->sequence, now);
        context_.batches.recycle(std::move(batch));
    }
    if (piece) end_spooled(id, link, now);
    lend_ready(id, link, now);
}

void Lender::note_part(const BatchedBundle &bundle, std::uint64_t sent_payload) {
    const auto index = context_.inventory.entries().find(bundle.record);
    if (index && context_.inventory.entry(*index).state() == EntryState::kReleased &&
        sent_payload < bundle.size)
        context_.cut.set_sent(bundle.record, sent_payload);
}

void Lender::set_outcome(LinkId id, ReleaseLink &link, const BatchedBundle &bundle, Outcome outcome,
                         TimePoint now) {
    const auto index = context_.inventory.entries().find(bundle.record);
    const EntryState state = index ? context_.inventory.entry(*index).state() : EntryState::kFree;
    if (state != EntryState::kReleased && state != EntryState::kCritical) return;
    link.lent_bytes -= bundle.size;
    link.ahead.handle_done(bundle.size, now);
    link.release(bundle.size);
    if (state == EntryState::kCritical)
        return critical_.set_outcome(id, link, *index, outcome, now);
    conclude(id, link, *index, outcome, now);
}

/// The bundle, no critical one, was lent and has come back.
void Lender::conclude(LinkId id, ReleaseLink &link, EntryIndex index, Outcome outcome,
                      TimePoint now) {
    // Also in custody: no custodian can get it. Egress has counted it and sent the report.
    if (is_deleted(outcome)) return context_.discard(index, StorageCounter::kUnsendable);
    // Its application has it: custody ends here.
    const bool delivered = is_endpoint_link(id) && outcome == Outcome::kSent;
    if (!delivered && custodian_.set_outcome(index, outcome, link.owlt, now)) return;
    switch (outcome) {
        case Outcome::kSent:
            context_.cut.forget(context_.inventory.entries().handle_of(index));
            if (context_.inventory.entry(index).take_return())
                take_back(index, now);
            else if (!stays_for_copies(index))
                context_.discard(index, StorageCounter::kReleased);
            return;
        case Outcome::kExpired:
            // Egress had the head at hand and has sent the report.
            return context_.discard(index, StorageCounter::kExpired);
        case Outcome::kRefused:
        case Outcome::kTooLarge:
            context_.note_refusal(index, link.neighbour, outcome, now);
            break;
        case Outcome::kTooLate:
            link.too_late.insert(
                context_.inventory.destinations().flow(context_.inventory.entry(index).flow).key);
            break;
        default:
            break;
    }
    const std::uint64_t handle = context_.inventory.entries().handle_of(index);
    context_.counters.increment(StorageCounter::kReturned);
    const bool refused = outcome == Outcome::kRefused || outcome == Outcome::kTooLarge;
    if (!refused && link.up && context_.refused.knows(handle))
        context_.refused.rest(handle, link.neighbour, now);
    context_.count_if_returned(index);
    take_back(index, now);
}

/// The bundle has been sent. It has come again meanwhile, and ingress has lent that one: if it is
/// not sent, the record is needed.
bool Lender::stays_for_copies(EntryIndex index) {
    return context_.inventory.entry(index).shared &&
           context_.copies.leave_lent(context_.inventory.entries().handle_of(index));
}

void Lender::take_back(EntryIndex index, TimePoint now) {
    context_.end_sharing(index, StorageCounter::kDuplicates);
    if (context_.inventory.entry(index).critical()) return context_.critical.send_again(index);
    context_.inventory.give_back(index);
    const Entry &entry = context_.inventory.entry(index);
    if (context_.expired(entry.expiry, now)) return remover_.expire(index);
    if (context_.refused.knows(context_.inventory.entries().handle_of(index)))
        return refused_.park(index);
    if (context_.rest(index, now)) return;
    flows_.offer(entry.flow);
}

}  // namespace farlink::storage
