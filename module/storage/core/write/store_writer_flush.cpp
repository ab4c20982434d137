// SPDX-License-Identifier: Apache-2.0
// What becomes of bundles that are written: kept when all their disks have flushed.
#include "module/storage/core/write/store_writer.hpp"

#include <algorithm>
#include <utility>

namespace farlink::storage {

void StoreWriter::queue_parts(Pending &pending) {
    pending.unflushed = pending.parts.size();
    for (Part &part : pending.parts) {
        part.request->tag = first_tag_ + pending_.size();
        Volume &volume = context_.volume(part.disk);
        volume.add_load(part.bytes);
        volume.appends.push_back(std::move(part.request));
    }
}

DiskRequestPtr StoreWriter::poll_append(DiskIndex disk) {
    Volume &volume = context_.volume(disk);
    if (volume.appends.empty()) return nullptr;
    DiskRequestPtr request = volume.appends.pop_front();
    part_on(disk, pending_[request->tag - first_tag_]).state = PartState::kAtDisk;
    return request;
}

void StoreWriter::handle_append_done(DiskIndex disk, DiskRequestPtr request) {
    const std::uint64_t place = request->tag - first_tag_;
    FARLINK_INVARIANT(place < pending_.size());
    part_on(disk, pending_[place]).request = std::move(request);
}

void StoreWriter::handle_flush(DiskIndex disk) {
    for (std::size_t at = 0; at < pending_.size(); ++at)
        for (Part &part : pending_[at].parts)
            if (part.disk == disk && part.state == PartState::kAtDisk)
                part.state = PartState::kCovered;
}

void StoreWriter::handle_flush_done(DiskIndex disk, bool good, std::vector<FlowIndex> &offered,
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
            if (part.good) context_.volume(disk).handle_success();
            --pending_[at].unflushed;
        }
    }
    context_.volume(disk).handle_written(bytes, now);
    // A batch of twins only is behind the writes that it waits for.
    while (!pending_.empty() && pending_.front().unflushed == 0) {
        Pending pending = pending_.pop_front();
        ++first_tag_;
        complete_written(pending, offered, now);
        set_twin_outcomes(pending, *pending.batch, now);
        answer(std::move(pending.batch));
    }
}

void StoreWriter::complete_written(Pending &pending, std::vector<FlowIndex> &offered,
                                   TimePoint now) {
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
                context_.inventory.locate(record.entry, part.disk, record.at);
            else if (record.at.number != 0)
                // It may be found at the next start although nobody was told that it is stored.
                context_.erase(part.disk, record.at.number);
        }
    }
    for (const Part &part : pending.parts) {
        if (stored)
            keep_written(part, batch, offered, now);
        else
            drop_written(pending, part, batch, now);
    }
    for (Part &part : pending.parts) context_.requests.recycle(std::move(part.request));
    if (stored && written == batch.bundles.size()) batch.uniform = Outcome::kStored;
    pending.parts.clear();
    if (written > 0) spare_parts_.push_back(std::move(pending.parts));
}

void StoreWriter::keep_written(const Part &part, Batch &batch, std::vector<FlowIndex> &offered,
                               TimePoint now) {
    for (const DiskRecord &record : part.request->records) {
        if (record.stripe != 0) continue;
        BatchedBundle &bundle = batch.bundles[record.place];
        context_.inventory.shelve(record.entry);
        const Entry &entry = context_.inventory.entry(record.entry);
        context_.count_in(entry);
        context_.counters.increment(StorageCounter::kStoredTotal);
        context_.counters.add(StorageCounter::kStoredTotalBytes, entry.size);
        bundle.outcome = Outcome::kStored;
        if (entry.in_custody()) custodian_.accepted(record.entry, batch.slices_of(bundle), now);
        if (entry.critical())
            context_.critical.add(record.entry);
        else if (batch.copy)
            shelve_copy(record.entry, bundle.arrival, offered);
        else if (context_.rest(record.entry, now))
            continue;
        else if (offered.empty() || offered.back() != entry.flow)
            offered.push_back(entry.flow);
    }
}

void StoreWriter::drop_written(const Pending &pending, const Part &part, Batch &batch,
                               TimePoint now) {
    const auto no_failure = [](const Part &each) {
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
        if (full) (void)refuse(batch, bundle, now);
        if (twins_ > 0) failed_.insert(context_.inventory.entries().handle_of(record.entry));
        context_.inventory.remove(record.entry);
    }
}

// The copy of a bundle whose fate is known already goes at once, or takes its place.
void StoreWriter::shelve_copy(EntryIndex index, std::uint64_t arrival,
                              std::vector<FlowIndex> &offered) {
    CopyTable::Copy *const copy = context_.copies.find(arrival);
    FARLINK_INVARIANT(copy != nullptr);
    if (!copy->sent && !copy->kept) {
        copy->on_disk = true;
        return context_.inventory.lend_copy(index);
    }
    if (copy->sent)
        context_.discard(index, StorageCounter::kCopiesDropped);
    else
        offered.push_back(context_.inventory.entry(index).flow);
    context_.copies.erase(arrival);
}

EntryIndex StoreWriter::handle_fate(const bus::CopyFate &fate, std::size_t instance) {
    Inventory &inventory = context_.inventory;
    if (!fate.sent) inventory.backlogs().take(fate.flow, instance);
    CopyTable::Copy *const copy = context_.copies.find(fate.arrival);
    if (copy == nullptr) {
        // Not stored after all, or equal to one that is: ingress waits for news of its flow.
        if (!fate.sent) inventory.backlogs().set_outcome(fate.flow);
        return kNoEntry;
    }
    return set_copy_outcome(fate.arrival, *copy, fate.sent);
}

std::vector<EntryIndex> StoreWriter::end_copies(std::size_t instance) {
    for (std::size_t at = 0; at < pending_.size(); ++at)
        pending_[at].abandoned |= pending_[at].batch->instance == instance;
    std::vector<EntryIndex> kept;
    for (const std::uint64_t arrival : context_.copies.open_of(instance)) {
        CopyTable::Copy *const copy = context_.copies.find(arrival);
        if (copy == nullptr) continue;  // it shared a record that is a bundle now
        if (const EntryIndex index = set_copy_outcome(arrival, *copy, false); index != kNoEntry)
            kept.push_back(index);
    }
    return kept;
}

// One that is still on its way to the disk is settled there.
EntryIndex StoreWriter::set_copy_outcome(std::uint64_t arrival, CopyTable::Copy &copy, bool sent) {
    Inventory &inventory = context_.inventory;
    copy.sent = sent;
    copy.kept = !sent;
    if (!copy.on_disk) return kNoEntry;
    const auto index = inventory.entries().find(copy.handle);
    FARLINK_INVARIANT(index.has_value());
    context_.copies.erase(arrival);
    if (inventory.entry(*index).shared) return set_shared_outcome(*index, arrival, sent);
    return set_single_outcome(*index, sent);
}

// Nobody else needs the record.
EntryIndex StoreWriter::set_single_outcome(EntryIndex index, bool sent) {
    if (!sent) context_.count_if_returned(index);
    if (!sent) return index;
    if (context_.inventory.take_return(index)) {
        // The copy is what has come back: of the two that came one is sent, and this is the other.
        context_.counters.increment(StorageCounter::kCopiesDropped);
        return index;
    }
    context_.discard(index, StorageCounter::kCopiesDropped);
    return kNoEntry;
}

// Others need the record as well. The first whose original stays behind makes it a bundle again.
EntryIndex StoreWriter::set_shared_outcome(EntryIndex index, std::uint64_t arrival, bool sent) {
    Entry &entry = context_.inventory.entry(index);
    const std::uint64_t handle = context_.inventory.entries().handle_of(index);
    const bool lent = context_.copies.is_lent(handle);
    if (!context_.copies.leave(entry, handle, arrival)) return set_single_outcome(index, sent);
    if (!sent && !lent) {
        context_.end_sharing(index, StorageCounter::kDuplicates);
        return set_single_outcome(index, false);
    }
    if (sent)
        context_.counters.increment(StorageCounter::kCopiesDropped);
    else if (entry.came_back)
        context_.counters.increment(StorageCounter::kDuplicates);
    else
        entry.came_back = true;
    return kNoEntry;
}

void StoreWriter::set_twin_outcomes(const Pending &pending, Batch &batch, TimePoint now) {
    for (const Twin &twin : pending.twins) {
        // A copy may have been sent, and be gone, as soon as it was on disk.
        const auto held = context_.inventory.entries().find(twin.handle);
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

void StoreWriter::answer(BatchPtr batch) {
    // A flow of which nothing is left is reported behind the answer.
    for (const BatchedBundle &bundle : batch->bundles)
        if (batch->outcome_of(bundle) != Outcome::kStored)
            context_.inventory.backlogs().set_outcome(bundle.flow);
    context_.send(bus::AgentId::kIngress, bus::BatchOutcome{std::move(batch)});
}

}  // namespace farlink::storage
