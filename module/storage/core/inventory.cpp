// SPDX-License-Identifier: Apache-2.0
#include "module/storage/core/inventory.hpp"

namespace farlink::storage {

EntryIndex Inventory::add(const RecordHead &head, FlowIndex flow) {
    const EntryIndex index = entries_.allocate();
    Entry &entry = entries_[index];
    entry.identity = head.identity;
    entry.arrival = head.arrival;
    entry.expiry = head.expiry;
    entry.size = static_cast<std::uint32_t>(head.size);
    entry.flow = flow;
    entry.state = EntryState::kWriting;
    entry.requests = head.requests;
    entry.label_size = static_cast<std::uint16_t>(destinations_.label_of(flow).size());
    identities_.insert(index);
    destinations_.hold(flow);
    backlogs_.add(destinations_.flow(flow).key);
    disk_bytes_ += entry.disk_bytes();
    ++count_;
    return index;
}

void Inventory::shelve(EntryIndex index, RecordLocation at) {
    Entry &entry = entries_[index];
    FARLINK_INVARIANT(entry.state == EntryState::kWriting);
    entry.set_location(at);
    // Not before: what expires while it is being written is found here.
    expiries_.insert(index);
    destinations_.flow(entry.flow).queue.insert(entries_, index);
}

void Inventory::take(EntryIndex index) {
    destinations_.flow(entries_[index].flow).queue.take(entries_, index);
}

// Younger bundles need not stay behind it: it has had its turn.
void Inventory::enter_custody(EntryIndex index) {
    Entry &entry = entries_[index];
    FARLINK_INVARIANT(entry.state == EntryState::kReleased);
    entry.state = EntryState::kInCustody;
    backlogs_.remove(destinations_.flow(entry.flow).key);
}

void Inventory::give_back(EntryIndex index) {
    if (entries_[index].state == EntryState::kInCustody)
        backlogs_.add(destinations_.flow(entries_[index].flow).key);
    destinations_.flow(entries_[index].flow).queue.give_back(entries_, index);
}

void Inventory::quarantine(EntryIndex index) {
    Entry &entry = entries_[index];
    identities_.erase(index);
    leave_flow(entry, index);
    entry.state = EntryState::kQuarantined;
}

void Inventory::add_quarantined(const RestoredRecord &record) {
    const EntryIndex index = entries_.allocate();
    Entry &entry = entries_[index];
    entry.arrival = record.head.arrival;
    entry.expiry = record.head.expiry;
    entry.size = static_cast<std::uint32_t>(record.head.size);
    entry.label_size = static_cast<std::uint16_t>(record.label.size());
    entry.set_location(record.at);
    entry.state = EntryState::kQuarantined;
    expiries_.insert(index);
    disk_bytes_ += entry.disk_bytes();
    ++count_;
}

void Inventory::remove(EntryIndex index) {
    Entry &entry = entries_[index];
    if (entry.state != EntryState::kQuarantined) {
        identities_.erase(index);
        leave_flow(entry, index);
    }
    if (entry.state != EntryState::kWriting) expiries_.forget(index);
    disk_bytes_ -= entry.disk_bytes();
    --count_;
    entries_.release(index);
}

void Inventory::leave_flow(Entry &entry, EntryIndex index) {
    Flow &flow = destinations_.flow(entry.flow);
    if (entry.state != EntryState::kWriting) flow.queue.remove(entries_, index);
    if (entry.state != EntryState::kInCustody) backlogs_.remove(flow.key);
    destinations_.let_go(entry.flow);
    entry.flow = kNoFlow;
}

}  // namespace farlink::storage
