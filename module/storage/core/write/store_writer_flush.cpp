// SPDX-License-Identifier: Apache-2.0
// What becomes of bundles that are written: kept when all their disks have flushed.
#include "module/storage/core/write/store_writer.hpp"

#include <algorithm>
#include <utility>

namespace farlink::storage {

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
    const bool stored =
        !refusing_[batch.instance].write_failed && std::ranges::all_of(pending.parts, &Part::good);
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
        if (entry.critical())
            shelf_.critical.add(record.entry);
        else if (batch.copy)
            shelve_copy(record.entry, bundle.arrival, offered);
        else if (shelf_.rest(record.entry, now))
            continue;
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
            shelf_.copies.erase(bundle.arrival);
        else
            refusing_[batch.instance].all = refusing_[batch.instance].write_failed = true;
        bundle.outcome = full ? Outcome::kNoSpace : Outcome::kIoError;
        if (full) (void)refuse(batch, bundle, now);
        if (twins_ > 0) failed_.insert(shelf_.inventory.entries().handle_of(record.entry));
        shelf_.inventory.remove(record.entry);
    }
}

// The copy of a bundle whose fate is known already goes at once, or takes its place.
void Intake::shelve_copy(EntryIndex index, std::uint64_t arrival, std::vector<FlowIndex> &offered) {
    CopyTable::Copy *const copy = shelf_.copies.find(arrival);
    FARLINK_INVARIANT(copy != nullptr);
    if (!copy->sent && !copy->kept) {
        copy->on_disk = true;
        return shelf_.inventory.lend_copy(index);
    }
    if (copy->sent)
        shelf_.discard(index, StorageCounter::kCopiesDropped);
    else
        offered.push_back(shelf_.inventory.entry(index).flow);
    shelf_.copies.erase(arrival);
}

EntryIndex Intake::handle_fate(const bus::CopyFate &fate, std::size_t instance) {
    Inventory &inventory = shelf_.inventory;
    if (!fate.sent) inventory.backlogs().take(fate.flow, instance);
    CopyTable::Copy *const copy = shelf_.copies.find(fate.arrival);
    if (copy == nullptr) {
        // Not stored after all, or equal to one that is: ingress waits for news of its flow.
        if (!fate.sent) inventory.backlogs().settle(fate.flow);
        return kNoEntry;
    }
    return settle_copy(fate.arrival, *copy, fate.sent);
}

std::vector<EntryIndex> Intake::end_copies(std::size_t instance) {
    for (std::size_t at = 0; at < pending_.size(); ++at)
        pending_[at].abandoned |= pending_[at].batch->instance == instance;
    std::vector<EntryIndex> kept;
    for (const std::uint64_t arrival : shelf_.copies.open_of(instance)) {
        CopyTable::Copy *const copy = shelf_.copies.find(arrival);
        if (copy == nullptr) continue;  // it shared a record that is a bundle now
        if (const EntryIndex index = settle_copy(arrival, *copy, false); index != kNoEntry)
            kept.push_back(index);
    }
    return kept;
}

// One that is still on its way to the disk is settled there.
EntryIndex Intake::settle_copy(std::uint64_t arrival, CopyTable::Copy &copy, bool sent) {
    Inventory &inventory = shelf_.inventory;
    copy.sent = sent;
    copy.kept = !sent;
    if (!copy.on_disk) return kNoEntry;
    const auto index = inventory.entries().find(copy.handle);
    FARLINK_INVARIANT(index.has_value());
    shelf_.copies.erase(arrival);
    if (inventory.entry(*index).shared) return settle_shared(*index, arrival, sent);
    return settle_single(*index, sent);
}

// Nobody else needs the record.
EntryIndex Intake::settle_single(EntryIndex index, bool sent) {
    if (!sent) shelf_.count_if_returned(index);
    if (!sent) return index;
    if (shelf_.inventory.take_return(index)) {
        // The copy is what has come back: of the two that came one is sent, and this is the other.
        shelf_.counters.increment(StorageCounter::kCopiesDropped);
        return index;
    }
    shelf_.discard(index, StorageCounter::kCopiesDropped);
    return kNoEntry;
}

// Others need the record as well. The first whose original stays behind makes it a bundle again.
EntryIndex Intake::settle_shared(EntryIndex index, std::uint64_t arrival, bool sent) {
    Entry &entry = shelf_.inventory.entry(index);
    const std::uint64_t handle = shelf_.inventory.entries().handle_of(index);
    const bool lent = shelf_.copies.is_lent(handle);
    if (!shelf_.copies.leave(entry, handle, arrival)) return settle_single(index, sent);
    if (!sent && !lent) {
        shelf_.end_sharing(index, StorageCounter::kDuplicates);
        return settle_single(index, false);
    }
    if (sent)
        shelf_.counters.increment(StorageCounter::kCopiesDropped);
    else if (entry.came_back)
        shelf_.counters.increment(StorageCounter::kDuplicates);
    else
        entry.came_back = true;
    return kNoEntry;
}

void Intake::settle_twins(const Pending &pending, Batch &batch, TimePoint now) {
    for (const Twin &twin : pending.twins) {
        // A copy may have been sent, and be gone, as soon as it was on disk.
        const auto held = shelf_.inventory.entries().find(twin.handle);
        const bool lost = failed_.contains(twin.handle) || !held;
        BatchedBundle &bundle = batch.bundles[twin.place];
        bundle.outcome = lost ? Outcome::kIoError : Outcome::kDuplicate;
        if (lost) continue;
        note_repeat(batch, bundle, *held, batch.copy && !pending.abandoned);
        if (custodian_.takes(bundle)) custodian_.repeated(*held, batch.slices_of(bundle), now);
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
