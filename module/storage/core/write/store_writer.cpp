// SPDX-License-Identifier: Apache-2.0
#include "module/storage/core/write/store_writer.hpp"

#include <algorithm>
#include <limits>

#include "module/storage/core/index/endpoint_label.hpp"

namespace farlink::storage {
namespace {

constexpr std::uint64_t kMaxBundleBytes =
    std::numeric_limits<std::uint32_t>::max() - kRecordHeaderBytes - kMaxLabelBytes - 8;

}  // namespace

void StoreWriter::handle(BatchPtr batch, TimePoint now) {
    Pending pending;
    Batch &bundles = *batch;
    if (bundles.resumes) refusing_[bundles.instance] = {};
    for (std::uint32_t place = 0; place < bundles.bundles.size(); ++place) {
        if (!bundles.copy)
            context_.inventory.backlogs().take(bundles.bundles[place].flow, bundles.instance);
        bundles.bundles[place].outcome = admit(pending, bundles, place, now);
    }
    if (pending.parts.empty() && pending.twins.empty()) return answer(std::move(batch));
    pending.batch = std::move(batch);
    queue_parts(pending);
    pending_.push_back(std::move(pending));
}

/// The outcome of a bundle, or kPending while a write decides it.
Outcome StoreWriter::admit(Pending &pending, Batch &batch, std::uint32_t place, TimePoint now) {
    BatchedBundle &bundle = batch.bundles[place];
    if (context_.expired(bundle.expiry, now)) return Outcome::kExpired;  // its owner counts it
    if (refusing_[batch.instance].all) return refuse(batch, bundle, now);
    const auto view = bp::parse_again(batch.slices_of(bundle));
    if (!view) return Outcome::kIoError;  // ingress hands over what it has parsed
    const Hash128 identity = identity_of_.of_received(*view, bundle.arrival);
    const EntryIndex held = context_.inventory.find(identity);
    if (held == kNoEntry && ends_critical(batch, bundle, identity, now)) return Outcome::kDuplicate;
    if (held == kNoEntry)
        return write(pending, batch, place, *view, identity, now) ? Outcome::kPending
                                                                  : refuse(batch, bundle, now);
    if (context_.inventory.entry(held).state != EntryState::kWriting) {
        note_repeat(batch, bundle, held, batch.copy);
        if (custodian_.takes(bundle)) custodian_.repeated(held, batch.slices_of(bundle), now);
        return Outcome::kDuplicate;
    }
    pending.twins.push_back({place, context_.inventory.entries().handle_of(held)});
    ++twins_;
    return Outcome::kPending;
}

// A critical bundle that comes again when it has gone every way ends here if its destination has
// got it from this node. With custody that must be certain: what its link says is not enough.
bool StoreWriter::ends_critical(const Batch &batch, const BatchedBundle &bundle,
                                const Hash128 &identity, TimePoint now) {
    if ((bundle.requests & kRequestCritical) == 0) return false;
    const auto before = context_.critical.passed_on(identity);
    if (!before) return false;
    context_.counters.increment(StorageCounter::kCriticalRepeats);
    const bool custody = custodian_.takes(bundle);
    if (custody ? !before->arrived : !before->to_destination) return false;
    if (custody) custodian_.arrived_before(batch.slices_of(bundle), now);
    context_.counters.increment(StorageCounter::kDuplicates);
    return true;
}

/// An equal bundle is held. What has been sent and acknowledged meanwhile must not leave nobody
/// with it.
void StoreWriter::note_repeat(const Batch &batch, const BatchedBundle &bundle, EntryIndex held,
                              bool copy) {
    const bool counted = copy ? share_copy(batch, bundle, held) : note_return(bundle, held);
    if (!counted) context_.counters.increment(StorageCounter::kDuplicates);
}

// The next hop may have given back what it was just lent. If its acknowledgement let go of the
// bundle here, and the answer to this one there, nobody would have it: it stays, and waits again.
// With custody that cannot be: see Custodian::repeated(). Whether it was a duplicate after all is
// counted when that is known.
bool StoreWriter::note_return(const BatchedBundle &bundle, EntryIndex held) {
    Entry &entry = context_.inventory.entry(held);
    const bool lent = entry.state == EntryState::kReleased ||
                      (entry.state == EntryState::kCritical &&
                       (context_.critical.any(held, CriticalCopy::State::kLent) ||
                        context_.critical.any(held, CriticalCopy::State::kSent)));
    if (entry.in_custody() || entry.came_back || !lent) return false;
    entry.requests |= bundle.requests & kRequestRest;
    return entry.came_back = true;
}

// The same, and ingress has lent it already, so nobody need send it from here: the copy waits for
// the fate of its original, as any copy does. What is not lent stays anyway.
bool StoreWriter::share_copy(const Batch &batch, const BatchedBundle &bundle, EntryIndex held) {
    Entry &entry = context_.inventory.entry(held);
    if (entry.in_custody() || entry.state != EntryState::kReleased) return false;
    context_.copies.share(entry, context_.inventory.entries().handle_of(held), bundle.arrival,
                          batch.instance);
    return true;
}

Outcome StoreWriter::refuse(const Batch &batch, const BatchedBundle &bundle, TimePoint now) {
    // A repeat is the same bundle.
    if (!batch.retried) context_.counters.increment(StorageCounter::kRefused);
    if (!batch.retried && custodian_.takes(bundle))
        custodian_.refused(batch.slices_of(bundle), now);
    return Outcome::kNoSpace;
}

/// Adds a record to the appends of its batch; false when there is no room for it.
bool StoreWriter::write(Pending &pending, Batch &batch, std::uint32_t place,
                        const bp::BundleView &view, const Hash128 &identity, TimePoint now) {
    const BatchedBundle &bundle = batch.bundles[place];
    const Quotas &quotas = context_.inventory.quotas();
    DestinationTable &destinations = context_.inventory.destinations();
    const NodeNumber source = destinations.source_that_matters(view.source);
    if (quotas.by_source())
        encode_label(view.destination, view.source, label_);
    else if (source != NodeNumber{})  // all its services go the same way
        encode_label(view.destination, bp::ipn_eid(source.value(), 0), label_);
    else
        encode_label(view.destination, label_);
    const bool custody = custodian_.takes(bundle);
    const auto [slices, size] = custody ? custodian_.take_over(pending.heads, batch, place, view)
                                        : Custodian::Octets{batch.slices_of(bundle), bundle.size};
    const Shortage need{record_bytes(label_.size(), size), bundle.priority,
                        quotas.of(view.source, view.destination)};
    const bool too_large = label_.size() > kMaxLabelBytes || size > kMaxBundleBytes;
    const auto disk = too_large ? std::nullopt : find_room(pending, batch, need, now);
    if (!disk) {
        return false;
    }
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
    // Otherwise it goes one way, like any other bundle: nodes do not send it round in ever more
    // copies, and yet nobody lets go of the last one.
    if ((bundle.requests & kRequestCritical) != 0 && context_.critical.passed_on(identity))
        record.head.requests &= static_cast<std::uint8_t>(~kRequestCritical);
    record.label = destinations.label_of(flow);
    record.slices = slices;
    record.place = place;
    if (!write_stripes(pending, record, flow, need, now)) {
        record.entry = context_.inventory.add(record.head, flow, *disk);
        add_record(pending, *disk, record);
    }
    if (batch.copy)
        context_.copies.add(bundle.arrival,
                            {.handle = context_.inventory.entries().handle_of(record.entry),
                             .instance = batch.instance});
    return true;
}

void StoreWriter::add_record(Pending &pending, DiskIndex disk, const DiskRecord &record) {
    Part &part = part_on(disk, pending);
    part.bytes += record_bytes(record.label.size(), record.head.size);
    part.request->records.push_back(record);
}

/// A record on each of several disks, if the bundle is large enough for that; false when it is not.
/// There is room for it on one disk, so that one which fails afterwards costs a turn and no more.
bool StoreWriter::write_stripes(Pending &pending, DiskRecord &record, FlowIndex flow,
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
        add_record(pending, shares[at].disk, cut[at]);
    return true;
}

/// The disk for a record. Without one, what comes behind on the same way is refused as well.
std::optional<DiskIndex> StoreWriter::find_room(const Pending &pending, const Batch &batch,
                                                const Shortage &need, TimePoint now) {
    const Quotas &quotas = context_.inventory.quotas();
    const Placement &placement = context_.placement;
    const bool quotas_hold = !placement.reserve_open();
    const bool never_fits = placement.never_fits(need.bytes) ||
                            need.bytes > placement.limit_for(need.priority) ||
                            (quotas_hold && quotas.never_fits(need.quotas, need.bytes));
    Refusing &refusing = refusing_[batch.instance];
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

StoreWriter::Part &StoreWriter::part_on(DiskIndex disk, Pending &pending) {
    for (Part &part : pending.parts)
        if (part.disk == disk) return part;
    if (pending.parts.empty() && !spare_parts_.empty()) {
        pending.parts = std::move(spare_parts_.back());
        spare_parts_.pop_back();
    }
    Part &part = pending.parts.emplace_back();
    part.disk = disk;
    part.request = context_.requests.acquire(DiskVerb::kAppend);
    return part;
}

}  // namespace farlink::storage
