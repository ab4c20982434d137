// SPDX-License-Identifier: Apache-2.0
#include "module/storage/core/intake.hpp"

#include <algorithm>
#include <limits>

#include "module/storage/core/endpoint_label.hpp"

namespace farlink::storage {
namespace {

constexpr std::uint64_t kMaxBundleBytes =
    std::numeric_limits<std::uint32_t>::max() - kRecordHeaderBytes - kMaxLabelBytes - 8;

}  // namespace

void Intake::handle(BatchPtr batch, TimePoint now) {
    Pending pending;
    Batch &bundles = *batch;
    if (bundles.resumes) {
        refusing_ = write_failed_ = false;
        refusing_quotas_ = 0;
    }
    for (std::uint32_t place = 0; place < bundles.bundles.size(); ++place) {
        if (!bundles.copy) shelf_.inventory.backlogs().take(bundles.bundles[place].flow);
        bundles.bundles[place].outcome = admit(pending, bundles, place, now);
    }
    if (pending.parts.empty() && pending.twins.empty()) return answer(std::move(batch));
    pending.batch = std::move(batch);
    queue_parts(pending);
    pending_.push_back(std::move(pending));
}

/// The outcome of a bundle, or kPending while a write decides it.
Outcome Intake::admit(Pending &pending, Batch &batch, std::uint32_t place, TimePoint now) {
    BatchedBundle &bundle = batch.bundles[place];
    if (shelf_.expired(bundle.expiry, now)) return Outcome::kExpired;  // its owner counts it
    if (refusing_) return refuse(batch, bundle, now);
    const auto view = bp::parse_again(batch.slices_of(bundle));
    if (!view) return Outcome::kIoError;  // ingress hands over what it has parsed
    const Hash128 identity = identity_of_(*view);
    const EntryIndex held = shelf_.inventory.find(identity);
    if (held == kNoEntry)
        return write(pending, batch, place, *view, identity, now) ? Outcome::kPending
                                                                  : refuse(batch, bundle, now);
    if (shelf_.inventory.entry(held).state != EntryState::kWriting) {
        shelf_.counters.increment(StorageCounter::kDuplicates);
        if (custodian_.takes(bundle)) custodian_.repeated(held, batch.slices_of(bundle), now);
        return Outcome::kDuplicate;
    }
    pending.twins.push_back({place, shelf_.inventory.entries().handle_of(held)});
    ++twins_;
    return Outcome::kPending;
}

Outcome Intake::refuse(const Batch &batch, const BatchedBundle &bundle, TimePoint now) {
    shelf_.counters.increment(StorageCounter::kRefused);
    if (!batch.retried && custodian_.takes(bundle))
        custodian_.refused(batch.slices_of(bundle), now);
    return Outcome::kNoSpace;
}

/// Adds a record to the appends of its batch; false when there is no room for it.
bool Intake::write(Pending &pending, Batch &batch, std::uint32_t place, const bp::BundleView &view,
                   const Hash128 &identity, TimePoint now) {
    const BatchedBundle &bundle = batch.bundles[place];
    const Quotas &quotas = shelf_.inventory.quotas();
    if (quotas.by_source())
        encode_label(view.destination, view.source, label_);
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
    DestinationTable &destinations = shelf_.inventory.destinations();
    const FlowIndex flow =
        destinations.find_or_add(label_, view.destination, bundle.priority, need.quotas);
    DiskRecord record;
    record.head.arrival = bundle.arrival;
    record.head.expiry = bundle.expiry;
    record.head.received = shelf_.dtn_at(bundle.received);
    record.head.identity = identity;
    record.head.size = size;
    record.head.priority = bundle.priority;
    record.head.requests = bundle.requests;
    if (!custody) record.head.requests &= static_cast<std::uint8_t>(~kRequestCustody);
    record.label = destinations.label_of(flow);
    record.slices = slices;
    record.place = place;
    if (!write_stripes(pending, record, flow, need, now)) {
        record.entry = shelf_.inventory.add(record.head, flow, *disk);
        add_record(pending, *disk, record);
    }
    if (batch.copy)
        copies_[bundle.arrival] = {.handle = shelf_.inventory.entries().handle_of(record.entry)};
    return true;
}

void Intake::add_record(Pending &pending, DiskIndex disk, const DiskRecord &record) {
    Part &part = part_on(disk, pending);
    part.bytes += record_bytes(record.label.size(), record.head.size);
    part.request->records.push_back(record);
}

/// A record on each of several disks, if the bundle is large enough for that; false when it is not.
/// There is room for it on one disk, so that one which fails afterwards costs a turn and no more.
bool Intake::write_stripes(Pending &pending, DiskRecord &record, FlowIndex flow,
                           const Shortage &need, TimePoint now) {
    const std::uint64_t overhead = record_bytes(record.label.size(), kRecordAlignment);
    const std::vector<StripeShare> shares =
        shelf_.placement.stripe(record.head.size, overhead, need.priority, now);
    if (shares.empty()) return false;
    StripeLabel label;
    label.count = static_cast<std::uint8_t>(shares.size());
    label.bundle_bytes = record.head.size;
    for (std::size_t at = 0; at < shares.size(); ++at)
        label.disks[at] = shelf_.volume(shares[at].disk).id();
    const std::size_t label_size = stripe_label_bytes(shares.size()) + record.label.size();
    if (label_size > kMaxLabelBytes) return false;
    std::vector<StoredRecord> stripes;
    std::uint64_t bytes = 0;
    for (const StripeShare &share : shares) {
        stripes.push_back({share.disk, {}, record_bytes(label_size, share.bytes)});
        bytes += stripes.back().bytes;
    }
    if (shelf_.inventory.quotas().exceeded(need.quotas, bytes) != 0) return false;
    label.writing = shelf_.next_writing++;
    record.entry = shelf_.inventory.add_striped(record.head, flow, std::move(stripes));
    const std::vector<DiskRecord> cut = cut_stripes(record, shares, label, pending.stripes);
    for (std::size_t at = 0; at < shares.size(); ++at)
        add_record(pending, shares[at].disk, cut[at]);
    return true;
}

/// The disk for a record. Without one, what comes behind on the same way is refused as well.
std::optional<DiskIndex> Intake::find_room(const Pending &pending, const Batch &batch,
                                           const Shortage &need, TimePoint now) {
    const Quotas &quotas = shelf_.inventory.quotas();
    const Placement &placement = shelf_.placement;
    const bool never_fits = placement.never_fits(need.bytes) ||
                            need.bytes > placement.limit_for(need.priority) ||
                            quotas.never_fits(need.quotas, need.bytes);
    if (never_fits || (need.quotas & refusing_quotas_) != 0) return std::nullopt;
    std::optional<DiskIndex> disk;
    if (!pending.parts.empty()) disk = pending.parts.back().disk;
    QuotaSet exceeded = quotas.exceeded(need.quotas, need.bytes);
    if (exceeded == 0) disk = placement.choose(need.bytes, need.priority, disk, now);
    if (exceeded == 0 && disk) return disk;
    // Nothing is deleted for a copy: the bundle itself is on its way.
    if (!batch.copy && evictor_.make_room(need, now))
        return placement.choose(need.bytes, need.priority, {}, now);
    if (batch.copy) return std::nullopt;
    exceeded = quotas.exceeded(need.quotas, need.bytes);
    if (exceeded != 0) shelf_.counters.increment(StorageCounter::kRefusedQuota);
    refusing_quotas_ |= exceeded;
    refusing_ |= exceeded == 0;
    return std::nullopt;
}

Intake::Part &Intake::part_on(DiskIndex disk, Pending &pending) {
    for (Part &part : pending.parts)
        if (part.disk == disk) return part;
    if (pending.parts.empty() && !spare_parts_.empty()) {
        pending.parts = std::move(spare_parts_.back());
        spare_parts_.pop_back();
    }
    Part &part = pending.parts.emplace_back();
    part.disk = disk;
    part.request = shelf_.requests.acquire(DiskVerb::kAppend);
    return part;
}

// ---- writing and flushing
// ---------------------------------------------------------------------------------

void Intake::queue_parts(Pending &pending) {
    pending.unflushed = pending.parts.size();
    for (Part &part : pending.parts) {
        part.request->tag = first_tag_ + pending_.size();
        Volume &volume = shelf_.volume(part.disk);
        volume.add_load(part.bytes);
        volume.appends.push_back(std::move(part.request));
    }
}

DiskRequestPtr Intake::poll_append(DiskIndex disk) {
    Volume &volume = shelf_.volume(disk);
    if (volume.appends.empty()) return nullptr;
    DiskRequestPtr request = volume.appends.pop_front();
    part_on(disk, pending_[request->tag - first_tag_]).state = PartState::kAtDisk;
    return request;
}

void Intake::handle_append_done(DiskIndex disk, DiskRequestPtr request) {
    const std::uint64_t place = request->tag - first_tag_;
    FARLINK_INVARIANT(place < pending_.size());
    part_on(disk, pending_[place]).request = std::move(request);
}

void Intake::handle_flush(DiskIndex disk) {
    for (std::size_t at = 0; at < pending_.size(); ++at)
        for (Part &part : pending_[at].parts)
            if (part.disk == disk && part.state == PartState::kAtDisk)
                part.state = PartState::kCovered;
}

void Intake::handle_flush_done(DiskIndex disk, bool good, std::vector<FlowIndex> &offered,
                               TimePoint now) {
    std::uint64_t bytes = 0;
    for (std::size_t at = 0; at < pending_.size(); ++at) {
        for (Part &part : pending_[at].parts) {
            if (part.disk != disk || part.state != PartState::kCovered) continue;
            // The disk answers in order: an append that a flush covers has been executed.
            FARLINK_INVARIANT(part.request != nullptr);
            part.state = PartState::kFlushed;
            part.good = good && part.request->status == DiskStatus::kOk;
            bytes += part.bytes;
            if (part.good) shelf_.volume(disk).handle_success();
            --pending_[at].unflushed;
        }
    }
    shelf_.volume(disk).handle_written(bytes, now);
    // A batch of twins only is behind the writes that it waits for.
    while (!pending_.empty() && pending_.front().unflushed == 0) {
        Pending pending = pending_.pop_front();
        ++first_tag_;
        settle_written(pending, offered, now);
        settle_twins(pending, *pending.batch, now);
        answer(std::move(pending.batch));
    }
}

void Intake::settle_written(Pending &pending, std::vector<FlowIndex> &offered, TimePoint now) {
    Batch &batch = *pending.batch;
    // Behind a write that failed, none counts: the disk may have got room in between. For the same
    // reason a batch is kept as a whole or not at all.
    const bool stored = !write_failed_ && std::ranges::all_of(pending.parts, &Part::good);
    std::size_t written = 0;
    // Each record by itself, then each bundle, whose records may lie on several disks.
    for (const Part &part : pending.parts) {
        for (const DiskRecord &record : part.request->records) {
            written += record.stripe == 0 ? 1 : 0;
            if (stored)
                shelf_.inventory.locate(record.entry, part.disk, record.at);
            else if (record.at.number != 0)
                // It may be found at the next start although nobody was told that it is stored.
                shelf_.erase(part.disk, record.at.number);
        }
    }
    for (const Part &part : pending.parts) {
        if (stored)
            keep_written(part, batch, offered, now);
        else
            drop_written(pending, part, batch, now);
    }
    for (Part &part : pending.parts) shelf_.requests.recycle(std::move(part.request));
    if (stored && written == batch.bundles.size()) batch.uniform = Outcome::kStored;
    pending.parts.clear();
    if (written > 0) spare_parts_.push_back(std::move(pending.parts));
}

void Intake::keep_written(const Part &part, Batch &batch, std::vector<FlowIndex> &offered,
                          TimePoint now) {
    for (const DiskRecord &record : part.request->records) {
        if (record.stripe != 0) continue;
        BatchedBundle &bundle = batch.bundles[record.place];
        shelf_.inventory.shelve(record.entry);
        const Entry &entry = shelf_.inventory.entry(record.entry);
        shelf_.count_in(entry);
        shelf_.counters.increment(StorageCounter::kStoredTotal);
        shelf_.counters.add(StorageCounter::kStoredTotalBytes, entry.size);
        bundle.outcome = Outcome::kStored;
        if (entry.in_custody()) custodian_.accepted(record.entry, batch.slices_of(bundle), now);
        if (batch.copy)
            shelve_copy(record.entry, bundle.arrival, offered);
        else if (offered.empty() || offered.back() != entry.flow)
            offered.push_back(entry.flow);
    }
}

void Intake::drop_written(const Pending &pending, const Part &part, Batch &batch, TimePoint now) {
    const auto no_failure = [](const Part &each) {
        return each.request->status == DiskStatus::kNoSpace || each.good;
    };
    for (const DiskRecord &record : part.request->records) {
        if (record.stripe != 0) continue;
        const bool full = shelf_.inventory.entry(record.entry).striped()
                              ? std::ranges::all_of(pending.parts, no_failure)
                              : no_failure(part);
        BatchedBundle &bundle = batch.bundles[record.place];
        // A copy that is not stored leaves no gap: the bundle is on its way.
        if (batch.copy)
            copies_.erase(bundle.arrival);
        else
            refusing_ = write_failed_ = true;
        bundle.outcome = full ? Outcome::kNoSpace : Outcome::kIoError;
        if (full) (void)refuse(batch, bundle, now);
        if (twins_ > 0) failed_.insert(shelf_.inventory.entries().handle_of(record.entry));
        shelf_.inventory.remove(record.entry);
    }
}

// The copy of a bundle whose fate is known already goes at once, or takes its place.
void Intake::shelve_copy(EntryIndex index, std::uint64_t arrival, std::vector<FlowIndex> &offered) {
    const auto found = copies_.find(arrival);
    FARLINK_INVARIANT(found != copies_.end());
    Copy &copy = found->second;
    if (!copy.sent && !copy.kept) {
        copy.on_disk = true;
        return shelf_.inventory.lend_copy(index);
    }
    if (copy.sent)
        shelf_.discard(index, StorageCounter::kCopiesDropped);
    else
        offered.push_back(shelf_.inventory.entry(index).flow);
    copies_.erase(found);
}

EntryIndex Intake::handle_fate(const bus::CopyFate &fate) {
    Inventory &inventory = shelf_.inventory;
    if (!fate.sent) inventory.backlogs().take(fate.flow);
    const auto found = copies_.find(fate.arrival);
    if (found == copies_.end()) {
        // Not stored after all, or equal to one that is: ingress waits for news of its flow.
        if (!fate.sent) inventory.backlogs().settle(fate.flow);
        return kNoEntry;
    }
    Copy &copy = found->second;
    copy.sent = fate.sent;
    copy.kept = !fate.sent;
    if (!copy.on_disk) return kNoEntry;
    const auto index = inventory.entries().find(copy.handle);
    FARLINK_INVARIANT(index.has_value());
    copies_.erase(found);
    if (!fate.sent) return *index;
    shelf_.discard(*index, StorageCounter::kCopiesDropped);
    return kNoEntry;
}

void Intake::settle_twins(const Pending &pending, Batch &batch, TimePoint now) {
    for (const Twin &twin : pending.twins) {
        const bool lost = failed_.contains(twin.handle);
        if (!lost) shelf_.counters.increment(StorageCounter::kDuplicates);
        BatchedBundle &bundle = batch.bundles[twin.place];
        bundle.outcome = lost ? Outcome::kIoError : Outcome::kDuplicate;
        const auto held = shelf_.inventory.entries().find(twin.handle);
        if (!lost && held && custodian_.takes(bundle))
            custodian_.repeated(*held, batch.slices_of(bundle), now);
    }
    twins_ -= pending.twins.size();
    if (twins_ == 0) failed_.clear();
}

void Intake::answer(BatchPtr batch) {
    // A flow of which nothing is left is reported behind the answer.
    for (const BatchedBundle &bundle : batch->bundles)
        if (batch->outcome_of(bundle) != Outcome::kStored)
            shelf_.inventory.backlogs().settle(bundle.flow);
    shelf_.send(bus::AgentId::kIngress, bus::BatchOutcome{std::move(batch)});
}

}  // namespace farlink::storage
