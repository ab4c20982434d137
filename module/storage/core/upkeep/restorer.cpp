// SPDX-License-Identifier: Apache-2.0
#include "module/storage/core/upkeep/restorer.hpp"

#include <algorithm>

#include "module/storage/core/index/endpoint_label.hpp"
#include "module/storage/core/state/label_content.hpp"

namespace farlink::storage {

void Restorer::restore(DiskIndex disk, const RestoredRecord &record) {
    newest_received_ = std::max(newest_received_, record.head.received);
    custodian_.handle_restored(record.head.received);
    const LabelContent content = content_of(record.label);
    const auto *const piece = std::get_if<PieceLabel>(&content);
    if (record.damaged) {
        if (piece != nullptr) damaged_spools_.push_back(piece->spool);
        return context_.inventory.add_quarantined(record, disk);
    }
    if (const auto *const stripe = std::get_if<StripeLabel>(&content))
        return restore_stripe(disk, record, *stripe);
    if (context_.inventory.find(record.head.identity) != kNoEntry) {
        // Its first copy was written, not flushed for certain, sent again and stored again.
        context_.erase(disk, record.at.number);
        return;
    }
    if (const auto *const fragment = std::get_if<FragmentLabel>(&content))
        return restore_fragment(disk, record, *fragment);
    if (piece != nullptr) return restore_piece(disk, record, *piece);
    const auto flow = flow_of(record.label, record.head.priority);
    if (!flow) return context_.inventory.add_quarantined(record, disk);
    const EntryIndex index = context_.inventory.add(record.head, *flow, disk);
    context_.inventory.locate(index, disk, record.at);
    context_.inventory.shelve(index);
    take_in(index);
}

void Restorer::restore_fragment(DiskIndex disk, const RestoredRecord &record,
                                const FragmentLabel &label) {
    const auto flow = flow_of(label.endpoint, record.head.priority);
    if (!flow) return context_.inventory.add_quarantined(record, disk);
    const EntryIndex index = context_.fragments.add(record.head, *flow, disk, label);
    context_.inventory.locate(index, disk, record.at);
    (void)context_.fragments.gather(index);
    take_in(index);
    context_.count_sets();
}

void Restorer::restore_piece(DiskIndex disk, const RestoredRecord &record,
                             const PieceLabel &label) {
    const auto flow = flow_of(label.endpoint, record.head.priority);
    if (!flow || !lies_inside(label, record.head.size))
        return context_.inventory.add_quarantined(record, disk);
    const EntryIndex index = context_.fragments.add_piece(record.head, *flow, disk, label);
    context_.inventory.locate(index, disk, record.at);
    const EntryIndex whole = context_.fragments.gather(index);
    if (whole != kNoEntry) return take_in(whole);
    // An equal bundle is held: this one came a second time.
    if (context_.fragments.is_complete(index))
        context_.drop_spool(context_.inventory.entry(index).next);
}

/// A bundle of which not all pieces are here was never stored, or is gone, unless a disk has lost
/// something.
void Restorer::drop_incomplete_spools() {
    FragmentSets &spools = context_.fragments.spools();
    const bool sound = sound_.size() == context_.placement.volumes().size();
    for (SetIndex set = 0; set < spools.places(); ++set) {
        if (spools[set].pieces.empty() || spools[set].whole != kNoEntry) continue;
        const bool damaged =
            std::ranges::find(damaged_spools_, spools[set].key) != damaged_spools_.end();
        const std::vector<EntryIndex> pieces = context_.fragments.drop(set);
        for (const EntryIndex piece : pieces) {
            if (damaged || !sound)
                context_.inventory.quarantine(piece);
            else
                context_.remove_piece(piece);
        }
    }
    damaged_spools_.clear();
}

/// Empty when the label names no endpoint.
std::optional<FlowIndex> Restorer::flow_of(ByteView label, Priority priority) {
    const auto destination = decode_label(label);
    if (!destination) return std::nullopt;
    const bp::EidView source = decode_source(label).value_or(bp::EidView{});
    DestinationTable &destinations = context_.inventory.destinations();
    return destinations.find_or_add(label, *destination, priority,
                                    context_.inventory.quotas().of(source, *destination), {},
                                    destinations.source_that_matters(source));
}

void Restorer::take_in(EntryIndex index) {
    context_.count_in(context_.inventory.entry(index));
    if (context_.inventory.entry(index).critical()) context_.critical.add(index);
    context_.counters.increment(StorageCounter::kRestored);
}

// ---- stripes
// -------------------------------------------------------------------------------------

void Restorer::restore_stripe(DiskIndex disk, const RestoredRecord &record,
                              const StripeLabel &stripe) {
    const RecordHead &head = record.head;
    context_.next_writing = std::max(context_.next_writing, stripe.writing + 1);
    const Key key{head.identity.high, head.identity.low, head.arrival,
                  head.received,      stripe.writing,    stripe.disks};
    Group &group = groups_[key];
    if (group.found == 0) {
        group.label = stripe;
        group.label.endpoint = {};
        group.endpoint.assign(stripe.endpoint.begin(), stripe.endpoint.end());
    }
    if (stripe.count != group.label.count) return context_.inventory.add_quarantined(record, disk);
    std::optional<Found> &place = group.stripes[stripe.number];
    // It was being moved within its disk when the node stopped.
    if (place) return context_.erase(disk, record.at.number);
    place = {disk, record, record.label.size()};
    place->record.label = {};
    if (++group.found < stripe.count) return;
    restore_joined(group);
    groups_.erase(key);
}

void Restorer::restore_joined(const Group &group) {
    RecordHead head = group.stripes[0]->record.head;
    if (context_.inventory.find(head.identity) != kNoEntry) return erase(group);
    std::vector<StoredRecord> stripes;
    std::uint64_t bytes = 0;
    for (std::size_t number = 0; number < group.found; ++number) {
        const Found &found = *group.stripes[number];
        bytes += found.record.head.size;
        stripes.push_back({found.disk, {}, found.bytes()});
    }
    // One on each disk, so that a disk and a bundle name a record.
    std::vector<DiskIndex> disks;
    for (const StoredRecord &stripe : stripes) disks.push_back(stripe.disk);
    std::ranges::sort(disks);
    const bool apart = std::ranges::adjacent_find(disks) == disks.end();
    if (!apart || bytes != group.label.bundle_bytes) return quarantine(group);
    const auto flow = flow_of(group.endpoint, head.priority);
    if (!flow) return quarantine(group);
    head.size = bytes;
    const EntryIndex index = context_.inventory.add_striped(head, *flow, std::move(stripes));
    for (std::size_t number = 0; number < group.found; ++number) {
        const Found &found = *group.stripes[number];
        context_.inventory.locate(index, found.disk, found.record.at);
    }
    context_.inventory.shelve(index);
    take_in(index);
}

void Restorer::handle_disk(DiskIndex disk, DiskId id, bool sound) {
    context_.volume(disk).set_id(id);
    if (id != 0 && sound) sound_.push_back(id);
}

void Restorer::end() {
    for (const auto &[key, group] : groups_) drop_incomplete(group);
    groups_.clear();
    drop_incomplete_spools();
}

void Restorer::drop_incomplete(const Group &group) {
    const auto first = std::ranges::find_if(group.stripes, [](const auto &at) { return !!at; });
    if (context_.inventory.find((*first)->record.head.identity) != kNoEntry) return erase(group);
    context_.counters.increment(StorageCounter::kIncomplete);
    // One stripe that was never flushed, or is erased already, decides.
    bool gone = false;
    for (std::size_t number = 0; number < group.label.count; ++number)
        gone |= !group.stripes[number] &&
                std::ranges::find(sound_, group.label.disks[number]) != sound_.end();
    if (!gone) return quarantine(group);
    note_erased(group);
    erase(group);
}

void Restorer::note_erased(const Group &group) {
    if (++erased_.count > ErasedBundles::kMostNamed) return;
    const auto first = std::ranges::find_if(group.stripes, [](const auto &at) { return !!at; });
    erased_.named.push_back(
        {(*first)->disk, (*first)->record.at.number, group.label.bundle_bytes, group.endpoint});
}

void Restorer::erase(const Group &group) {
    for (const std::optional<Found> &found : group.stripes)
        if (found) context_.erase(found->disk, found->record.at.number);
}

void Restorer::quarantine(const Group &group) {
    for (std::size_t number = 0; number < group.label.count; ++number) {
        const std::optional<Found> &found = group.stripes[number];
        if (!found) continue;
        RestoredRecord record = found->record;
        const Bytes label(found->label_size);  // of which only the size is kept
        record.label = label;
        context_.inventory.add_quarantined(record, found->disk);
        lone_.push_back({found->disk, found->record.at.number, static_cast<std::uint8_t>(number),
                         group.label.count, group.label.bundle_bytes});
    }
}

}  // namespace farlink::storage
