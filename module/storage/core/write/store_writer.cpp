// SPDX-License-Identifier: Apache-2.0
#include "module/storage/core/write/store_writer.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "common/bp/parse.hpp"
#include "common/buffer/loop_delay_request.hpp"
#include "module/storage/core/write/record_label.hpp"

namespace farlink::storage {
namespace {

/// The view of a bundle with custody.
const bp::BundleView &received_view(const PendingBatch &pending, std::uint32_t place) {
    const auto found = std::ranges::lower_bound(pending.received, place, {}, &ReceivedHead::place);
    FARLINK_INVARIANT(found != pending.received.end() && found->place == place);
    return found->view;
}

constexpr std::uint64_t kMaxBundleBytes =
    std::numeric_limits<std::uint32_t>::max() - kRecordHeaderBytes - kMaxLabelBytes - 8;

}  // namespace

void StoreWriter::handle(BatchPtr batch, TimePoint now) {
    waiting_.push_back(std::move(batch));
    if (!overlaps_.reading()) admit_waiting(now);
}

void StoreWriter::handle_read_done(DiskIndex disk, DiskRequestPtr read, TimePoint now) {
    if (overlaps_.handle_read_done(disk, std::move(read))) admit_waiting(now);
}

void StoreWriter::admit_waiting(TimePoint now) {
    while (!waiting_.empty()) {
        if (!admit_all(*waiting_.front(), now)) return;
        BatchPtr batch = waiting_.pop_front();
        PendingBatch pending = std::exchange(admission_, {}).pending;
        overlaps_.forget();
        if (pending.parts.empty() && pending.twins.empty()) {
            answer(std::move(batch));
            continue;
        }
        pending.batch = std::move(batch);
        pending_.queue(std::move(pending));
    }
}

/// False: the bundle at admission_.place waits for a read.
bool StoreWriter::admit_all(Batch &batch, TimePoint now) {
    if (admission_.place == 0 && batch.resumes) refusing_[batch.instance] = {};
    if (batch.piece.present()) [[unlikely]] {
        admit_piece(batch, now);
        return true;
    }
    for (std::uint32_t &place = admission_.place; place < batch.bundles.size(); ++place) {
        const auto outcome = admit(admission_.pending, batch, place, now);
        if (!outcome) return false;
        BatchedBundle &bundle = batch.bundles[place];
        if (!batch.copy) context_.inventory.backlogs().take(bundle.flow, batch.instance);
        bundle.outcome = *outcome;
    }
    return true;
}

/// A batch of one piece, or without a bundle: then the pieces before it are void.
void StoreWriter::admit_piece(Batch &batch, TimePoint now) {
    if (batch.bundles.empty()) return spools_.drop(batch);
    BatchedBundle &piece = batch.bundles.front();
    piece.outcome = spools_.admit(admission_.pending, batch, now);
    if (!batch.copy) context_.inventory.backlogs().take(piece.flow, batch.instance);
}

/// What storage needs of the head. Ingress has parsed the bundle, so the primary block is enough:
/// only custody and the identity of a fragment need more.
Result<bp::BundleView, bp::ParseError> StoreWriter::read_head(const Batch &batch,
                                                              const BatchedBundle &bundle) const {
    const std::span<const ByteView> slices = batch.slices_of(bundle);
    if (!custodian_.takes(bundle)) {
        auto view = bp::parse_primary(slices.front().first(bundle.primary_end));
        if (!view || !view->is_fragment) return view;
    }
    return bp::parse_again(slices);
}

Hash128 StoreWriter::identity_of(const bp::BundleView &view, const Batch &batch,
                                 const BatchedBundle &bundle) {
    if (view.is_admin_record && (bundle.requests & kRequestLoopDelay) != 0)
        if (const auto whole = bp::parse_again(batch.slices_of(bundle)))
            return identity_of_.of_returned(*whole, batch.slices_of(bundle));
    return identity_of_.of_received(view, bundle.arrival);
}

/// The outcome of a bundle, or kPending while a write decides it. Empty: a read decides.
std::optional<Outcome> StoreWriter::admit(PendingBatch &pending, Batch &batch, std::uint32_t place,
                                          TimePoint now) {
    BatchedBundle &bundle = batch.bundles[place];
    if (context_.expired(bundle.expiry, now)) return expire(batch, bundle, now);
    if (refusing_[batch.instance].all) return refuse_unread(batch, bundle, now);
    const auto view = read_head(batch, bundle);
    if (!view) return Outcome::kIoError;  // ingress hands over what it has parsed
    std::optional<FragmentLabel> fragment;
    if (view->is_fragment) {
        const auto outcome = admit_fragment(pending, batch, place, *view, fragment);
        if (outcome != Outcome::kPending) return outcome;
    }
    const Hash128 identity = fragment ? identity_of_.of_gathered(fragment->set, fragment->extent)
                                      : identity_of(*view, batch, bundle);
    const EntryIndex held = duplicates_.find(identity);
    if (held != kNoEntry) return admit_known(pending, batch, place, *view, held, now);
    if (duplicates_.ends_critical(batch, bundle, *view, identity, now)) return Outcome::kDuplicate;
    if (!write(pending, batch, place, *view, identity, fragment, now))
        return refuse(batch, bundle, *view, now);
    keep_head(pending, batch, place, *view);
    return Outcome::kPending;
}

/// Its owner counts it. Of a copy the original goes on.
Outcome StoreWriter::expire(const Batch &batch, const BatchedBundle &bundle, TimePoint now) {
    if (batch.copy) return Outcome::kExpired;
    context_.history.add(batch.slices_of(bundle), bundle.version,
                         {.ending = history::Ending::kExpired,
                          .reason = DeletionReporter::kReasonLifetimeExpired,
                          .size = bundle.size,
                          .sender = batch.sender,
                          .time = context_.dtn_at(now)});
    return Outcome::kExpired;
}

/// An equal bundle is held.
Outcome StoreWriter::admit_known(PendingBatch &pending, Batch &batch, std::uint32_t place,
                                 const bp::BundleView &view, EntryIndex held, TimePoint now) {
    BatchedBundle &bundle = batch.bundles[place];
    if (context_.inventory.entry(held).state() != EntryState::kWriting) {
        duplicates_.note(batch, bundle, held, batch.copy);
        if (custodian_.takes(bundle))
            custodian_.repeated(held, view, batch.slices_of(bundle).front(), now);
        return Outcome::kDuplicate;
    }
    keep_head(pending, batch, place, view);
    const std::uint64_t handle = context_.inventory.entries().handle_of(held);
    pending.twins.push_back({place, handle});
    // The outcome of its original may be reported before that write is flushed.
    if (batch.copy)
        context_.copies.add(bundle.arrival, {.handle = handle, .instance = batch.instance});
    ++twins_;
    return Outcome::kPending;
}

/// kPending: it is written, with this label if it is joined with others. Empty: a read decides.
std::optional<Outcome> StoreWriter::admit_fragment(const PendingBatch &pending, Batch &batch,
                                                   std::uint32_t place, const bp::BundleView &view,
                                                   std::optional<FragmentLabel> &label) {
    const BatchedBundle &bundle = batch.bundles[place];
    if (batch.copy || !gathering_.joins(view, bundle)) return Outcome::kPending;
    const FragmentLabel mine{.extent = {view.fragment_offset, view.payload_length},
                             .total_adu_length = view.total_adu_length,
                             .set = identity_of_.of_set(view),
                             .source = identity_of_.of_source(view),
                             .endpoint = {}};
    switch (
        overlaps_.judge({mine, view.payload_offset, batch.slices_of(bundle)}, pending_, pending)) {
        case OverlapVerdict::kReading:
            return std::nullopt;
        case OverlapVerdict::kContradicts:
            return Outcome::kContradicts;
        case OverlapVerdict::kTooMany:
            return Outcome::kTooManyFragments;
        case OverlapVerdict::kKnown:
            if (custodian_.takes(bundle)) break;  // its custodian waits for a signal
            context_.counters.increment(StorageCounter::kDuplicates);
            return Outcome::kDuplicate;
        case OverlapVerdict::kNone:
            break;
    }
    switch (gathering_.admit(view, mine)) {
        case Gathering::Admission::kJoined:
            label = mine;
            return Outcome::kPending;
        case Gathering::Admission::kAlone:
            return Outcome::kPending;
        case Gathering::Admission::kTooMany:
            break;
    }
    return Outcome::kTooManyFragments;
}

/// For when the bundle is flushed.
void StoreWriter::keep_head(PendingBatch &pending, const Batch &batch, std::uint32_t place,
                            const bp::BundleView &view) const {
    if (custodian_.takes(batch.bundles[place])) pending.received.push_back({place, view});
}

Outcome StoreWriter::refuse(const Batch &batch, const BatchedBundle &bundle,
                            const bp::BundleView &view, TimePoint now) {
    // A repeat is the same bundle.
    if (batch.retried) return Outcome::kNoSpace;
    context_.counters.increment(StorageCounter::kRefused);
    if (custodian_.takes(bundle)) custodian_.refused(view, batch.slices_of(bundle).front(), now);
    return Outcome::kNoSpace;
}

Outcome StoreWriter::refuse_unread(const Batch &batch, const BatchedBundle &bundle, TimePoint now) {
    if (batch.retried || !custodian_.takes(bundle)) return refuse(batch, bundle, {}, now);
    const auto view = bp::parse_again(batch.slices_of(bundle));
    return view ? refuse(batch, bundle, *view, now) : Outcome::kIoError;
}

/// Adds a record to the appends of its batch; false when there is no room for it.
bool StoreWriter::write(PendingBatch &pending, Batch &batch, std::uint32_t place,
                        const bp::BundleView &view, const Hash128 &identity,
                        const std::optional<FragmentLabel> &fragment, TimePoint now) {
    const BatchedBundle &bundle = batch.bundles[place];
    const Quotas &quotas = context_.inventory.quotas();
    DestinationTable &destinations = context_.inventory.destinations();
    const NodeNumber source = label_record(context_.inventory, view, label_);
    const bool custody = custodian_.takes(bundle);
    const auto [slices, size] = custody ? custodian_.take_over(pending.heads, batch, place, view)
                                        : Custodian::Octets{batch.slices_of(bundle), bundle.size};
    const std::size_t label_size = label_.size() + (fragment ? kFragmentLabelBytes : 0);
    const Shortage need{.bytes = record_bytes(label_size, size),
                        .priority = bundle.priority,
                        .quotas = quotas.of(view.source, view.destination)};
    const bool too_large = label_size > kMaxLabelBytes || size > kMaxBundleBytes;
    const auto disk = too_large ? std::nullopt : find_room(pending, batch, need, now);
    if (!disk) return false;
    if (destinations.is_full_for(label_, batch.next_hop, source)) {
        context_.counters.increment(StorageCounter::kRefusedDestinations);
        return false;
    }
    const FlowIndex flow = destinations.find_or_add(label_, view.destination, bundle.priority,
                                                    need.quotas, batch.next_hop, source);
    DiskRecord record;
    record.head.arrival = bundle.arrival;
    record.head.expiry = bundle.expiry;
    record.head.received = context_.dtn_at(bundle.received);
    record.head.identity = identity;
    record.head.size = size;
    record.head.priority = bundle.priority;
    record.head.requests = bundle.requests;
    if (!custody) record.head.requests &= static_cast<std::uint8_t>(~kRequestCustody);
    // A critical bundle that was here before is stored like any other bundle: nodes do not send
    // it round in ever more copies, and yet the last copy is kept. Of a loop ingress knows more.
    if ((bundle.requests & kRequestCritical) != 0 &&
        ((bundle.requests & kRequestLoopDelay) != 0 || context_.critical.passed_on(identity)))
        record.head.requests &= static_cast<std::uint8_t>(~kRequestCritical);
    record.label = destinations.label_of(flow);
    record.slices = slices;
    record.place = place;
    if (fragment) {
        write_fragment(pending, record, flow, *disk, *fragment);
        pending.fragments.push_back({record.entry, batch.slices_of(bundle), view.payload_offset});
    } else if (!write_stripes(pending, record, flow, need, now)) {
        record.entry = context_.inventory.add(record.head, flow, *disk);
        pending_.add(pending, *disk, record);
    }
    if (batch.copy)
        context_.copies.add(bundle.arrival,
                            {.handle = context_.inventory.entries().handle_of(record.entry),
                             .instance = batch.instance});
    return true;
}

/// It lies on one disk, so that its bundle is read in one turn.
void StoreWriter::write_fragment(PendingBatch &pending, DiskRecord &record, FlowIndex flow,
                                 DiskIndex disk, FragmentLabel label) {
    label.endpoint = record.label;
    pending.labels.push_back(encode_fragment_label(label));
    record.label = pending.labels.back();
    record.entry = context_.fragments.add(record.head, flow, disk, label);
    pending_.add(pending, disk, record);
    context_.count_sets();
}

/// A record on each of several disks, if the bundle is large enough for that; false when it is not.
/// There is room for it on one disk, so that one which fails afterwards costs a turn and no more.
bool StoreWriter::write_stripes(PendingBatch &pending, DiskRecord &record, FlowIndex flow,
                                const Shortage &need, TimePoint now) {
    const std::uint64_t overhead = record_bytes(record.label.size(), kRecordAlignment);
    const std::vector<StripeShare> shares =
        context_.placement.stripe(record.head.size, overhead, need.priority, now);
    if (shares.empty()) return false;
    StripeLabel label;
    label.count = static_cast<std::uint8_t>(shares.size());
    label.bundle_bytes = record.head.size;
    for (std::size_t at = 0; at < shares.size(); ++at)
        label.disks[at] = context_.volume(shares[at].disk).id();
    const std::size_t label_size = stripe_label_bytes(shares.size()) + record.label.size();
    if (label_size > kMaxLabelBytes) return false;
    std::vector<StoredRecord> stripes;
    std::uint64_t bytes = 0;
    for (const StripeShare &share : shares) {
        stripes.push_back({share.disk, {}, record_bytes(label_size, share.bytes)});
        bytes += stripes.back().bytes;
    }
    if (context_.inventory.quotas().exceeded(need.quotas, bytes) != 0) return false;
    label.writing = context_.next_writing++;
    record.entry = context_.inventory.add_striped(record.head, flow, std::move(stripes));
    const std::vector<DiskRecord> cut = cut_stripes(record, shares, label, pending.stripes);
    for (std::size_t at = 0; at < shares.size(); ++at)
        pending_.add(pending, shares[at].disk, cut[at]);
    return true;
}

/// The disk for a record. Without one, what comes behind on the same way is refused as well.
std::optional<DiskIndex> StoreWriter::find_room(const PendingBatch &pending, const Batch &batch,
                                                const Shortage &need, TimePoint now) {
    const Quotas &quotas = context_.inventory.quotas();
    const Placement &placement = context_.placement;
    const bool quotas_hold = !placement.reserve_open();
    const bool never_fits = placement.never_fits(need.bytes) ||
                            need.bytes > placement.limit_for(need.priority) ||
                            (quotas_hold && quotas.never_fits(need.quotas, need.bytes));
    Refusing &refusing = refusing_[batch.instance];
    if (placement.holds_back()) {
        refusing.all |= !batch.copy;
        return std::nullopt;
    }
    if (never_fits || (quotas_hold && (need.quotas & refusing.quotas) != 0)) return std::nullopt;
    std::optional<DiskIndex> disk;
    if (!pending.parts.empty()) disk = pending.parts.back().disk;
    QuotaSet exceeded = quotas_hold ? quotas.exceeded(need.quotas, need.bytes) : 0;
    if (exceeded == 0) disk = placement.choose(need.bytes, need.priority, disk, now);
    if (exceeded == 0 && disk) return disk;
    // Nothing is deleted for a copy: the bundle itself is on its way.
    if (!batch.copy && evictor_.make_room(need, now))
        return placement.choose(need.bytes, need.priority, {}, now);
    if (batch.copy) return std::nullopt;
    exceeded = quotas.exceeded(need.quotas, need.bytes);
    if (exceeded != 0 && !batch.retried) context_.counters.increment(StorageCounter::kRefusedQuota);
    refusing.quotas |= exceeded;
    refusing.all |= exceeded == 0;
    return std::nullopt;
}

void StoreWriter::handle_flush_done(DiskIndex disk, bool good, std::vector<FlowIndex> &offered,
                                    TimePoint now) {
    pending_.handle_flush_done(disk, good, now);
    while (auto pending = pending_.poll_complete()) {
        complete_written(*pending, offered, now);
        set_twin_outcomes(*pending, *pending->batch, now);
        answer(std::move(pending->batch));
    }
}

void StoreWriter::complete_written(PendingBatch &pending, std::vector<FlowIndex> &offered,
                                   TimePoint now) {
    Batch &batch = *pending.batch;
    if (batch.piece.present()) {
        spools_.complete(pending, offered, now);
        return pending_.recycle(std::move(pending.parts));
    }
    // Behind a write that failed, none counts: the disk may have got room in between. For the same
    // reason a batch is kept as a whole or not at all.
    const bool stored = !refusing_[batch.instance].write_failed &&
                        std::ranges::all_of(pending.parts, &BatchPart::good);
    std::size_t written = 0;
    // Each record by itself, then each bundle, whose records may lie on several disks.
    for (const BatchPart &part : pending.parts) {
        for (const DiskRecord &record : part.request->records) {
            written += record.stripe == 0 ? 1 : 0;
            if (stored)
                context_.inventory.locate(record.entry, part.disk, record.at);
            else if (record.at.number != 0)
                // It may be found at the next start although its sender has no answer.
                context_.erase(part.disk, record.at.number);
        }
    }
    for (const BatchPart &part : pending.parts) {
        if (stored)
            keep_written(pending, part, offered, now);
        else
            drop_written(pending, part, batch, now);
    }
    if (stored && written == batch.bundles.size()) batch.uniform = Outcome::kStored;
    pending_.recycle(std::move(pending.parts));
}

void StoreWriter::keep_written(const PendingBatch &pending, const BatchPart &part,
                               std::vector<FlowIndex> &offered, TimePoint now) {
    Batch &batch = *pending.batch;
    for (const DiskRecord &record : part.request->records) {
        if (record.stripe != 0) continue;
        BatchedBundle &bundle = batch.bundles[record.place];
        const Entry &entry = context_.inventory.entry(record.entry);
        EntryIndex joined = kNoEntry;
        if (entry.gathered)
            joined = gathering_.handle_flushed(record.entry);
        else
            context_.inventory.shelve(record.entry);
        context_.count_in(entry);
        context_.counters.increment(StorageCounter::kStoredTotal);
        context_.counters.add(StorageCounter::kStoredTotalBytes, entry.bytes());
        bundle.outcome = Outcome::kStored;
        if (entry.in_custody())
            custodian_.accepted(record.entry, received_view(pending, record.place),
                                batch.slices_of(bundle).front(), now);
        if (entry.gathered) {
            if (joined != kNoEntry) offered.push_back(entry.flow);
        } else if (entry.critical())
            context_.critical.add(record.entry, context_.custody.tenure(record.entry));
        else if (batch.copy)
            copies_.handle_flushed(record.entry, bundle.arrival, offered);
        else if (context_.rest(record.entry, now))
            continue;
        else if (offered.empty() || offered.back() != entry.flow)
            offered.push_back(entry.flow);
    }
}

void StoreWriter::drop_written(const PendingBatch &pending, const BatchPart &part, Batch &batch,
                               TimePoint now) {
    const auto no_failure = [](const BatchPart &each) {
        return each.request->status == DiskStatus::kNoSpace || each.good;
    };
    for (const DiskRecord &record : part.request->records) {
        if (record.stripe != 0) continue;
        const bool full = context_.inventory.entry(record.entry).striped()
                              ? std::ranges::all_of(pending.parts, no_failure)
                              : no_failure(part);
        BatchedBundle &bundle = batch.bundles[record.place];
        // A copy that is not stored leaves no gap: the bundle is on its way.
        if (batch.copy)
            context_.copies.erase(bundle.arrival);
        else
            refusing_[batch.instance].all = refusing_[batch.instance].write_failed = true;
        bundle.outcome = full ? Outcome::kNoSpace : Outcome::kIoError;
        if (full)
            (void)refuse(
                batch, bundle,
                custodian_.takes(bundle) ? received_view(pending, record.place) : bp::BundleView{},
                now);
        if (twins_ > 0) failed_.insert(context_.inventory.entries().handle_of(record.entry));
        context_.leave_set(record.entry);
        context_.inventory.remove(record.entry);
    }
}

std::vector<EntryIndex> StoreWriter::handle_ingress_lost(std::size_t instance) {
    pending_.abandon(instance);
    spools_.end(instance);
    for (std::size_t at = 0; at < waiting_.size(); ++at) {
        Batch &waiting = *waiting_[at];
        if (waiting.instance != instance) continue;
        waiting.copy = false;
        if (waiting.piece.present()) waiting.bundles.clear();
    }
    return copies_.end(instance);
}

void StoreWriter::set_twin_outcomes(const PendingBatch &pending, Batch &batch, TimePoint now) {
    for (const Twin &twin : pending.twins) {
        // A copy may have been sent, and be gone, as soon as it was on disk.
        const auto held = context_.inventory.entries().find(twin.handle);
        const bool lost = failed_.contains(twin.handle) || !held;
        BatchedBundle &bundle = batch.bundles[twin.place];
        bundle.outcome = lost ? Outcome::kIoError : Outcome::kDuplicate;
        const CopyTable::Copy copy =
            batch.copy ? context_.copies.take(bundle.arrival) : CopyTable::Copy{};
        if (lost) continue;
        if (copy.sent)
            context_.counters.increment(StorageCounter::kCopiesDropped);
        else
            duplicates_.note(batch, bundle, *held, batch.copy && !copy.kept && !pending.abandoned);
        if (custodian_.takes(bundle))
            custodian_.repeated(*held, received_view(pending, twin.place),
                                batch.slices_of(bundle).front(), now);
    }
    twins_ -= pending.twins.size();
    if (twins_ == 0) failed_.clear();
}

void StoreWriter::answer(BatchPtr batch) {
    // A flow of which nothing is left is reported behind the answer.
    for (const BatchedBundle &bundle : batch->bundles)
        if (batch->outcome_of(bundle) != Outcome::kStored)
            context_.inventory.backlogs().set_outcome(bundle.flow);
    context_.send(bus::AgentId::kIngress, bus::BatchOutcome{std::move(batch)});
}

}  // namespace farlink::storage
