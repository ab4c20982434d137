// SPDX-License-Identifier: Apache-2.0
#include "module/storage/core/intake.hpp"

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
    if (bundles.resumes) refusing_ = write_failed_ = false;
    for (std::uint32_t place = 0; place < bundles.bundles.size(); ++place) {
        if (!bundles.copy) shelf_.inventory.backlogs().take(bundles.bundles[place].flow);
        bundles.bundles[place].outcome = admit(pending, bundles, place, now);
    }
    if (pending.request != nullptr)
        pending.request->batch = std::move(batch);
    else if (!pending.twins.empty())
        pending.batch = std::move(batch);
    else
        return answer(std::move(batch));
    pending_.push_back(std::move(pending));
}

/// The outcome of a bundle, or kPending while a write decides it.
Outcome Intake::admit(Pending &pending, Batch &batch, std::uint32_t place, TimePoint now) {
    BatchedBundle &bundle = batch.bundles[place];
    if (bundle.expiry <= shelf_.dtn_at(now)) return Outcome::kExpired;  // its owner counts it
    if (refusing_) return refuse(batch, bundle, now);
    const auto view = bp::parse(batch.slices_of(bundle));
    if (!view) return Outcome::kIoError;  // ingress hands over what it has parsed
    const Hash128 identity = identity_of_(*view);
    const EntryIndex held = shelf_.inventory.find(identity);
    if (held == kNoEntry)
        return write(pending, batch, place, *view, identity) ? Outcome::kPending
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

/// Adds a record to the batch's append; false when there is no room for it.
bool Intake::write(Pending &pending, Batch &batch, std::uint32_t place, const bp::BundleView &view,
                   const Hash128 &identity) {
    const BatchedBundle &bundle = batch.bundles[place];
    encode_label(view.destination, label_);
    const bool custody = custodian_.takes(bundle);
    const auto [slices, size] = custody ? custodian_.take_over(pending.heads, batch, place, view)
                                        : Custodian::Octets{batch.slices_of(bundle), bundle.size};
    const std::uint64_t bytes = record_bytes(label_.size(), size);
    const bool never_fits =
        label_.size() > kMaxLabelBytes || size > kMaxBundleBytes || bytes > capacity_bytes_;
    if (never_fits || shelf_.inventory.disk_bytes() > capacity_bytes_ - bytes) {
        refusing_ = refusing_ || (!never_fits && !batch.copy);
        return false;
    }
    DestinationTable &destinations = shelf_.inventory.destinations();
    const FlowIndex flow = destinations.find_or_add(label_, view.destination, bundle.priority);
    DiskRecord record;
    record.head.arrival = bundle.arrival;
    record.head.expiry = bundle.expiry;
    record.head.received = shelf_.dtn_at(bundle.received);
    record.head.identity = identity;
    record.head.size = size;
    record.head.priority = bundle.priority;
    record.head.requests = bundle.requests;
    if (!custody) record.head.requests &= static_cast<std::uint8_t>(~kRequestCustody);
    record.entry = shelf_.inventory.add(record.head, flow);
    record.label = destinations.label_of(flow);
    record.slices = slices;
    record.place = place;
    if (batch.copy)
        copies_[bundle.arrival] = {.handle = shelf_.inventory.entries().handle_of(record.entry)};
    if (pending.request == nullptr) {
        pending.request = shelf_.requests.acquire(DiskVerb::kAppend);
        pending.request->tag = first_tag_ + pending_.size();
    }
    pending.request->records.push_back(record);
    return true;
}

DiskRequestPtr Intake::poll_append() {
    while (submitted_ < pending_.size())
        if (Pending &pending = pending_[submitted_++]; pending.request != nullptr)
            return std::move(pending.request);
    return nullptr;
}

void Intake::handle_append_done(DiskRequestPtr request) {
    const std::uint64_t place = request->tag - first_tag_;
    FARLINK_INVARIANT(place < submitted_);
    pending_[place].request = std::move(request);
}

void Intake::handle_flush() {
    for (std::size_t at = 0; at < submitted_; ++at) pending_[at].covered = true;
}

void Intake::handle_flush_done(bool good, std::vector<FlowIndex> &offered, TimePoint now) {
    // A batch of twins only was covered with the writes that it waits for.
    while (!pending_.empty() && (pending_.front().covered || pending_.front().batch != nullptr)) {
        Pending pending = pending_.pop_front();
        if (submitted_ > 0) --submitted_;
        ++first_tag_;
        if (pending.batch == nullptr) {
            // The disk answers in order: an append that a flush covers has been executed.
            FARLINK_INVARIANT(pending.request != nullptr);
            pending.batch = std::move(pending.request->batch);
            settle_written(*pending.request, *pending.batch, good, offered, now);
            shelf_.requests.recycle(std::move(pending.request));
        }
        settle_twins(pending, *pending.batch, now);
        answer(std::move(pending.batch));
    }
}

void Intake::settle_written(const DiskRequest &request, Batch &batch, bool good,
                            std::vector<FlowIndex> &offered, TimePoint now) {
    Inventory &inventory = shelf_.inventory;
    // Behind a write that failed, none counts: the disk may have got room in between.
    const bool stored = good && request.status == DiskStatus::kOk && !write_failed_;
    for (const DiskRecord &record : request.records) {
        BatchedBundle &bundle = batch.bundles[record.place];
        if (stored) {
            inventory.shelve(record.entry, record.at);
            const Entry &entry = inventory.entry(record.entry);
            shelf_.count_in(entry);
            shelf_.counters.increment(StorageCounter::kStoredTotal);
            shelf_.counters.add(StorageCounter::kStoredTotalBytes, entry.size);
            bundle.outcome = Outcome::kStored;
            if (entry.in_custody()) custodian_.accepted(record.entry, batch.slices_of(bundle), now);
            if (batch.copy)
                shelve_copy(record.entry, bundle.arrival, offered);
            else if (offered.empty() || offered.back() != entry.flow)
                offered.push_back(entry.flow);
            continue;
        }
        // A copy that is not stored leaves no gap: the bundle is on its way.
        if (batch.copy)
            copies_.erase(bundle.arrival);
        else
            refusing_ = write_failed_ = true;
        const bool full =
            request.status == DiskStatus::kNoSpace || (request.status == DiskStatus::kOk && good);
        bundle.outcome = full ? Outcome::kNoSpace : Outcome::kIoError;
        if (full) (void)refuse(batch, bundle, now);
        // It may be found at the next start although nobody was told that it is stored.
        if (record.at.number != 0) shelf_.erasures.push_back(record.at.number);
        if (twins_ > 0) failed_.insert(inventory.entries().handle_of(record.entry));
        inventory.remove(record.entry);
    }
    if (stored && request.records.size() == batch.bundles.size()) batch.uniform = Outcome::kStored;
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
