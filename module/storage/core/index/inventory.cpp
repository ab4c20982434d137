// SPDX-License-Identifier: Apache-2.0
#include "module/storage/core/index/inventory.hpp"

namespace farlink::storage {
namespace {

/// Younger bundles of its flow stay behind it.
bool in_backlog(EntryState state) {
    return state != EntryState::kInCustody && state != EntryState::kExceedsContacts &&
           state != EntryState::kCritical && state != EntryState::kGathered;
}

}  // namespace

EntryIndex Inventory::add(const RecordHead &head, FlowIndex flow, DiskIndex disk, EntryKind kind) {
    const EntryIndex index = add_entry(head, flow, disk);
    if (kind != EntryKind::kBundle) {
        Entry &entry = entries_[index];
        entry.set_kind(kind);
        entry.set_bytes(head.size);
        if (!entry.counts()) --count_;
    }
    count_bytes(index, true);
    return index;
}

EntryIndex Inventory::add_striped(const RecordHead &head, FlowIndex flow,
                                  std::vector<StoredRecord> stripes) {
    const EntryIndex index = add_entry(head, flow, kStriped);
    stripes_.add(index, std::move(stripes));
    count_bytes(index, true);
    return index;
}

EntryIndex Inventory::add_entry(const RecordHead &head, FlowIndex flow, DiskIndex disk) {
    const EntryIndex index = entries_.allocate();
    Entry &entry = entries_[index];
    entry.identity = head.identity;
    entry.arrival = head.arrival;
    entry.expiry = head.expiry;
    entry.size = static_cast<std::uint32_t>(head.size);
    entry.flow = flow;
    entry.transition(EntryState::kWriting);
    entry.requests = head.requests;
    entry.disk = disk;
    identities_.insert(index);
    destinations_.hold(flow);
    backlogs_.add(destinations_.flow(flow).key);
    ++count_;
    return index;
}

void Inventory::locate(EntryIndex index, DiskIndex disk, RecordLocation at) {
    Entry &entry = entries_[index];
    const StoredRecord before = record_on(disk, index);
    if (before.at.number != 0) files_[disk].remove(before.at.number, before.bytes);
    if (!entry.striped()) {
        entry.set_location(at);
        files_[disk].add(at.number, record_bytes_of(index));
        return;
    }
    for (StoredRecord &stripe : stripes_.of(index)) {
        if (stripe.disk != disk) continue;
        stripe.at = at;
        files_[disk].add(at.number, stripe.bytes);
    }
}

void Inventory::shelve(EntryIndex index) {
    ++changes_;
    Entry &entry = entries_[index];
    FARLINK_INVARIANT(entry.state() == EntryState::kWriting);
    // Not before: what expires while it is being written is found here.
    expiries_.insert(index);
    // Younger bundles need not stay behind it: the other fragments may never come.
    if (entry.gathered) {
        entry.transition(EntryState::kGathered);
        return backlogs_.remove(destinations_.flow(entry.flow).key);
    }
    destinations_.flow(entry.flow).queue.insert(entries_, index);
    if (entry.critical()) {
        // Nor behind this one: it may wait for a neighbour that is far away.
        take(index, EntryState::kCritical);
        return backlogs_.remove(destinations_.flow(entry.flow).key);
    }
    if (entry.spare()) eviction_order_.offer(entry.flow, entry.arrival);
}

void Inventory::take(EntryIndex index, EntryState to) {
    ++changes_;
    destinations_.flow(entries_[index].flow).queue.take(entries_, index, to);
}

// Younger bundles need not stay behind it: it has had its turn.
void Inventory::enter_custody(EntryIndex index) {
    Entry &entry = entries_[index];
    entry.transition(EntryState::kInCustody);
    backlogs_.remove(destinations_.flow(entry.flow).key);
}

void Inventory::set_aside(EntryIndex index) {
    const Entry &entry = entries_[index];
    Flow &flow = destinations_.flow(entry.flow);
    flow.queue.set_aside(entries_, index);
    backlogs_.remove(flow.key);
    if (entry.spare()) eviction_order_.offer(entry.flow, entry.arrival);
}

void Inventory::give_back(EntryIndex index) {
    const Entry &entry = entries_[index];
    Flow &flow = destinations_.flow(entry.flow);
    if (!in_backlog(entry.state())) backlogs_.add(flow.key);
    flow.queue.give_back(entries_, index);
    ++changes_;
    if (entry.spare()) eviction_order_.offer(entry.flow, entry.arrival);
}

void Inventory::change_flow(EntryIndex index, FlowIndex flow) {
    Entry &entry = entries_[index];
    FARLINK_INVARIANT(entry.state() == EntryState::kReading);
    FARLINK_INVARIANT(destinations_.flow(flow).key == destinations_.flow(entry.flow).key);
    const std::uint64_t bytes = record_bytes_of(index);
    count_in_flow(entry, bytes, false);
    destinations_.hold(flow);
    backlogs_.add(destinations_.flow(flow).key);
    leave_flow(entry, index);
    entry.flow = flow;
    count_in_flow(entry, bytes, true);
    destinations_.flow(flow).queue.insert(entries_, index);
    if (entry.spare()) eviction_order_.offer(flow, entry.arrival);
}

void Inventory::hold_fast(DiskIndex disk) {
    entries_.for_each_held([disk](Entry &entry) { entry.stuck |= entry.disk == disk; });
}

void Inventory::doom(EntryIndex index) {
    Entry &entry = entries_[index];
    if (entry.gathered) {
        backlogs_.add(destinations_.flow(entry.flow).key);
        entry.transition(EntryState::kExpiring);
    } else {
        take(index, EntryState::kExpiring);
    }
    count_bytes(index, false);
}

void Inventory::quarantine(EntryIndex index) {
    Entry &entry = entries_[index];
    count_in_flow(entry, record_bytes_of(index), false);
    const auto label_size = static_cast<EntryIndex>(destinations_.label_of(entry.flow).size());
    identities_.erase(index);
    leave_flow(entry, index);
    entry.next = label_size;
    entry.transition(EntryState::kQuarantined);
}

void Inventory::add_quarantined(const RestoredRecord &record, DiskIndex disk) {
    const EntryIndex index = entries_.allocate();
    Entry &entry = entries_[index];
    entry.arrival = record.head.arrival;
    entry.expiry = record.head.expiry;
    entry.size = static_cast<std::uint32_t>(record.head.size);
    entry.next = static_cast<EntryIndex>(record.label.size());
    entry.disk = disk;
    entry.set_location(record.at);
    entry.transition(EntryState::kQuarantined);
    expiries_.insert(index);
    count_bytes(index, true);
    files_[disk].add(record.at.number, record_bytes_of(index));
    ++count_;
}

void Inventory::remove(EntryIndex index) {
    Entry &entry = entries_[index];
    if (entry.state() != EntryState::kExpiring) count_bytes(index, false);
    for_each_record(index, [this](const StoredRecord &record) {
        if (record.at.number != 0) files_[record.disk].remove(record.at.number, record.bytes);
    });
    if (entry.striped()) stripes_.remove(index);
    if (entry.state() != EntryState::kQuarantined) {
        identities_.erase(index);
        leave_flow(entry, index);
    }
    expiries_.remove(index);
    if (entry.counts()) --count_;
    entries_.release(index);
}

StoredRecord Inventory::record_on(DiskIndex disk, EntryIndex index) const {
    StoredRecord found;
    for_each_record(index, [&](const StoredRecord &record) {
        if (record.disk == disk) found = record;
    });
    return found;
}

std::uint64_t Inventory::record_bytes_of(EntryIndex index) const {
    const Entry &entry = entries_[index];
    if (entry.joined) return 0;
    if (entry.striped()) {
        std::uint64_t sum = 0;
        for (const StoredRecord &stripe : stripes_.of(index)) sum += stripe.bytes;
        return sum;
    }
    return record_bytes(label_bytes_of(index), entry.size);
}

// What is quarantined is in no flow: its link to the next one holds the size of its label.
std::uint64_t Inventory::label_bytes_of(EntryIndex index) const {
    const Entry &entry = entries_[index];
    const std::uint64_t fragment = entry.gathered ? kFragmentLabelBytes : 0;
    const std::uint64_t label =
        fragment + (entry.flow == kNoFlow ? entry.next : destinations_.label_of(entry.flow).size());
    return entry.striped() ? stripe_label_bytes(stripes_.of(index).size()) + label : label;
}

void Inventory::count_bytes(EntryIndex index, bool held) {
    for_each_record(index, [&](const StoredRecord &record) {
        usage_.count_record(record.disk, record.bytes, held);
    });
    count_in_flow(entries_[index], record_bytes_of(index), held);
}

void Inventory::count_in_flow(const Entry &entry, std::uint64_t bytes, bool held) {
    if (entry.flow == kNoFlow) return;
    if (entry.counts()) destinations_.count(entry.flow, entry.bytes(), entry.in_custody(), held);
    if (entry.joined) return;
    usage_.count_bundle(static_cast<Priority>(entry.flow % kPriorityCount), entry.in_custody(),
                        bytes, held);
    quotas_.count(destinations_.quotas_of(entry.flow), bytes, held);
}

void Inventory::leave_flow(Entry &entry, EntryIndex index) {
    ++changes_;
    Flow &flow = destinations_.flow(entry.flow);
    const bool queued = entry.state() != EntryState::kWriting && !entry.gathered;
    if (queued) flow.queue.remove(entries_, index);
    if (in_backlog(entry.state())) backlogs_.remove(flow.key);
    destinations_.let_go(entry.flow);
    entry.flow = kNoFlow;
}

}  // namespace farlink::storage
