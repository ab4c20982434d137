// SPDX-License-Identifier: Apache-2.0
#include "module/storage/core/write/spool_writer.hpp"

#include <limits>

#include "module/storage/core/state/first_piece.hpp"
#include "module/storage/core/write/record_label.hpp"

namespace farlink::storage {
namespace {

/// What Entry::size holds.
constexpr std::uint64_t kMostPieceBytes =
    std::numeric_limits<std::uint32_t>::max() - kRecordHeaderBytes - kMaxLabelBytes - 8;

/// Of the whole bundle; 0 when the piece does not fit into any.
std::uint64_t bundle_bytes(const BundlePiece &piece, std::uint64_t size) {
    const std::uint64_t bytes = saturating_add(saturating_add(piece.offset, size), piece.left);
    const bool fits =
        size > 0 && size <= kMostPieceBytes && bytes < std::numeric_limits<std::uint64_t>::max();
    return fits ? bytes : 0;
}

}  // namespace

// ---- before the write

Outcome SpoolWriter::admit(PendingBatch &pending, const Batch &batch, TimePoint now) {
    const BatchedBundle &bundle = batch.bundles.front();
    const Name name{batch.instance, batch.piece.spool};
    if (batch.piece.first()) {
        drop(batch);
        begin(batch, spools_[name]);
    }
    const auto found = spools_.find(name);
    if (found == spools_.end()) return Outcome::kNoSpace;  // storage has been lost meanwhile
    Spool &spool = found->second;
    Outcome outcome = spool.ended;
    if (outcome == Outcome::kPending && context_.expired(bundle.expiry, now))
        outcome = Outcome::kExpired;  // its owner counts it
    if (outcome == Outcome::kPending) outcome = write(pending, batch, spool, now);
    if (outcome != Outcome::kPending && spool.ended == Outcome::kPending) {
        spool.ended = outcome;
        drop_set(spool.key);
    }
    if (batch.piece.last()) spools_.erase(found);
    return outcome;
}

void SpoolWriter::begin(const Batch &batch, Spool &spool) {
    const BatchedBundle &bundle = batch.bundles.front();
    const auto view = read_first_piece(batch.slices_of(bundle));
    spool.bytes = bundle_bytes(batch.piece, bundle.size);
    spool.ended = Outcome::kIoError;  // ingress hands over what it has parsed
    if (!view || spool.bytes == 0) return;
    spool.ended = Outcome::kPending;
    spool.source = label_record(context_.inventory, *view, spool.endpoint);
    spool.quotas = context_.inventory.quotas().of(view->source, view->destination);
    spool.bundle = identity_of_.of_received(*view, bundle.arrival);
    spool.key =
        identity_of_.of_spool(spool.bundle, bundle.arrival, batch.piece.spool, batch.instance);
    const EntryIndex held = context_.inventory.find(spool.bundle);
    if (held == kNoEntry || context_.inventory.entry(held).state() == EntryState::kWriting) return;
    duplicates_.note(batch, bundle, held, false);
    spool.ended = Outcome::kDuplicate;
}

/// Adds the record of the piece to the appends of its batch.
Outcome SpoolWriter::write(PendingBatch &pending, const Batch &batch, Spool &spool, TimePoint now) {
    const BatchedBundle &bundle = batch.bundles.front();
    const BundlePiece &piece = batch.piece;
    const FragmentSets &sets = context_.fragments.spools();
    const SetIndex set = sets.find(spool.key);
    const bool fits = piece.offset == spool.next && bundle_bytes(piece, bundle.size) == spool.bytes;
    if (!fits || piece.first() != (set == kNoSet)) return Outcome::kIoError;
    if (set != kNoSet && sets[set].dropped) return Outcome::kNoSpace;
    const std::size_t label_size = kFragmentLabelBytes + spool.endpoint.size();
    const Shortage need{.bytes = record_bytes(label_size, bundle.size),
                        .behind = piece.left,
                        .priority = bundle.priority,
                        .quotas = spool.quotas};
    const auto disk =
        label_size > kMaxLabelBytes ? std::nullopt : find_room(need, spool.bytes, now);
    if (!disk) {
        const bool too_large = !piece.first() || never_fits(need, spool.bytes);
        return refuse(batch, too_large && !context_.placement.holds_back());
    }
    if (piece.first() && exceeds_destinations(batch, spool)) return refuse(batch);
    const FlowIndex flow = context_.inventory.destinations().find_or_add(
        spool.endpoint, decode_label(spool.endpoint).value_or(bp::EidView{}), bundle.priority,
        spool.quotas, batch.next_hop, spool.source);
    const PieceLabel label{.offset = piece.offset,
                           .bundle_bytes = spool.bytes,
                           .spool = spool.key,
                           .bundle = spool.bundle,
                           .endpoint = spool.endpoint};
    pending.labels.push_back(encode_piece_label(label));
    DiskRecord record;
    record.head = head_of(bundle);
    record.head.identity = identity_of_.of_piece(spool.key, {piece.offset, bundle.size});
    record.label = pending.labels.back();
    record.slices = batch.slices_of(bundle);
    record.entry = context_.fragments.add_piece(record.head, flow, *disk, label);
    pending_.add(pending, *disk, record);
    spool.next += bundle.size;
    return Outcome::kPending;
}

/// It goes one way, and custody of it stays where it is: that would need another head.
RecordHead SpoolWriter::head_of(const BatchedBundle &bundle) const {
    constexpr std::uint8_t kNotOfPieces = kRequestCustody | kRequestCritical;
    RecordHead head;
    head.arrival = bundle.arrival;
    head.expiry = bundle.expiry;
    head.received = context_.dtn_at(bundle.received);
    head.size = bundle.size;
    head.priority = bundle.priority;
    head.requests = bundle.requests & static_cast<std::uint8_t>(~kNotOfPieces);
    return head;
}

bool SpoolWriter::exceeds_destinations(const Batch &batch, const Spool &spool) {
    const bool exceeds =
        context_.inventory.destinations().is_full_for(spool.endpoint, batch.next_hop, spool.source);
    if (exceeds) context_.counters.increment(StorageCounter::kRefusedDestinations);
    return exceeds;
}

Outcome SpoolWriter::refuse(const Batch &batch, bool too_large) {
    if (batch.retried) return Outcome::kNoSpace;
    context_.counters.increment(StorageCounter::kRefused);
    if (too_large) context_.counters.increment(StorageCounter::kRefusedTooLarge);
    return Outcome::kNoSpace;
}

bool SpoolWriter::never_fits(const Shortage &need, std::uint64_t bundle) const {
    const Placement &placement = context_.placement;
    return placement.never_fits(need.bytes) || bundle > placement.limit_for(need.priority) ||
           (!placement.reserve_open() &&
            context_.inventory.quotas().never_fits(need.quotas, bundle));
}

std::optional<DiskIndex> SpoolWriter::find_room(const Shortage &need, std::uint64_t bundle,
                                                TimePoint now) {
    const Quotas &quotas = context_.inventory.quotas();
    const Placement &placement = context_.placement;
    if (placement.holds_back() || never_fits(need, bundle)) return std::nullopt;
    const bool quotas_hold = !placement.reserve_open();
    if (!quotas_hold || quotas.exceeded(need.quotas, need.bytes) == 0)
        if (const auto disk = placement.choose(need.bytes, need.priority, {}, now)) return disk;
    if (!evictor_.make_room(need, now)) {
        if (quotas.exceeded(need.quotas, need.bytes) != 0)
            context_.counters.increment(StorageCounter::kRefusedQuota);
        return std::nullopt;
    }
    return placement.choose(need.bytes, need.priority, {}, now);
}

void SpoolWriter::drop(const Batch &batch) {
    const auto found = spools_.find({batch.instance, batch.piece.spool});
    if (found == spools_.end()) return;
    drop_set(found->second.key);
    spools_.erase(found);
}

void SpoolWriter::end(std::size_t instance) {
    for (auto at = spools_.lower_bound({instance, 0});
         at != spools_.end() && at->first.first == instance; at = spools_.erase(at))
        drop_set(at->second.key);
}

/// What is flushed of it is erased, the rest once it is flushed.
void SpoolWriter::drop_set(const Hash128 &key) {
    const SetIndex set = context_.fragments.spools().find(key);
    if (set != kNoSet) context_.drop_spool(set);
}

// ---- after the flush

void SpoolWriter::complete(const PendingBatch &pending, std::vector<FlowIndex> &offered,
                           TimePoint now) {
    Batch &batch = *pending.batch;
    const BatchPart &part = pending.parts.front();
    const DiskRecord &record = part.request->records.front();
    BatchedBundle &bundle = batch.bundles.front();
    if (part.good) {
        context_.inventory.locate(record.entry, part.disk, record.at);
        bundle.outcome = keep(batch, record.entry, offered, now);
        return;
    }
    // It may be found at the next start.
    if (record.at.number != 0) context_.erase(part.disk, record.at.number);
    const SetIndex set = context_.inventory.entry(record.entry).next;
    const bool full = part.request->status == DiskStatus::kNoSpace;
    bundle.outcome = full ? Outcome::kNoSpace : Outcome::kIoError;
    if (full && !context_.fragments.spools()[set].dropped) bundle.outcome = refuse(batch);
    const auto spool = spools_.find({batch.instance, batch.piece.spool});
    if (spool != spools_.end() && spool->second.ended == Outcome::kPending)
        spool->second.ended = bundle.outcome;
    context_.drop_spool(set);
    context_.fragments.leave(record.entry);
    context_.inventory.remove(record.entry);
}

Outcome SpoolWriter::keep(const Batch &batch, EntryIndex piece, std::vector<FlowIndex> &offered,
                          TimePoint now) {
    const Entry &entry = context_.inventory.entry(piece);
    const SetIndex set = entry.next;
    if (context_.fragments.spools()[set].dropped) {
        context_.fragments.leave(piece);
        context_.remove_piece(piece);
        return Outcome::kNoSpace;
    }
    const EntryIndex whole = context_.fragments.gather(piece);
    if (whole == kNoEntry && context_.fragments.is_complete(piece))
        return take_duplicate(batch, set);
    if (whole == kNoEntry) return Outcome::kStored;
    const Entry &bundle = context_.inventory.entry(whole);
    context_.count_in(bundle);
    context_.counters.increment(StorageCounter::kStoredTotal);
    context_.counters.add(StorageCounter::kStoredTotalBytes, bundle.bytes());
    if (!context_.rest(whole, now)) offered.push_back(bundle.flow);
    return Outcome::kStored;
}

/// An equal bundle has come while this one came; it may not be flushed yet.
Outcome SpoolWriter::take_duplicate(const Batch &batch, SetIndex set) {
    const EntryIndex held = context_.inventory.find(context_.fragments.spools().identity_of(set));
    const bool safe = context_.inventory.entry(held).state() != EntryState::kWriting;
    if (safe) duplicates_.note(batch, batch.bundles.front(), held, false);
    context_.drop_spool(set);
    return safe ? Outcome::kDuplicate : Outcome::kIoError;
}

}  // namespace farlink::storage
