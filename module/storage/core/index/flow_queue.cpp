// SPDX-License-Identifier: Apache-2.0
#include "module/storage/core/index/flow_queue.hpp"

namespace farlink::storage {
namespace {

bool may_be_deleted(EntryState state) {
    return state == EntryState::kWaiting || state == EntryState::kExceedsContacts;
}

}  // namespace

void FlowQueue::insert(EntryTable &entries, EntryIndex index) {
    const std::uint64_t arrival = entries[index].arrival;
    EntryIndex after = kNoEntry;
    if (tail_ != kNoEntry && arrival >= entries[tail_].arrival) {
        after = tail_;
    } else if (head_ != kNoEntry && arrival >= entries[head_].arrival) {
        after = hint_;
        while (arrival < entries[after].arrival) after = entries[after].previous;
        for (EntryIndex next = entries[after].next;
             next != kNoEntry && entries[next].arrival <= arrival; next = entries[after].next)
            after = next;
    }
    link(entries, index, after);
    hint_ = index;
    begin_waiting(entries, index);
}

void FlowQueue::begin_waiting(EntryTable &entries, EntryIndex index) {
    entries[index].transition(EntryState::kWaiting);
    ++waiting_;
    waiting_bytes_ += entries[index].bytes();
    step_back(entries, index);
}

void FlowQueue::link(EntryTable &entries, EntryIndex index, EntryIndex after) {
    Entry &entry = entries[index];
    entry.previous = after;
    entry.next = after == kNoEntry ? head_ : entries[after].next;
    (after == kNoEntry ? head_ : entries[after].next) = index;
    (entry.next == kNoEntry ? tail_ : entries[entry.next].previous) = index;
}

void FlowQueue::remove(EntryTable &entries, EntryIndex index) {
    const Entry &entry = entries[index];
    if (entry.state() == EntryState::kWaiting) {
        --waiting_;
        waiting_bytes_ -= entry.bytes();
    }
    if (cursor_ == index) cursor_ = entry.next;
    if (spare_ == index) spare_ = entry.next;
    if (hint_ == index) hint_ = entry.previous != kNoEntry ? entry.previous : entry.next;
    (entry.previous == kNoEntry ? head_ : entries[entry.previous].next) = entry.next;
    (entry.next == kNoEntry ? tail_ : entries[entry.next].previous) = entry.previous;
}

EntryIndex FlowQueue::first_waiting(const EntryTable &entries) {
    while (cursor_ != kNoEntry && entries[cursor_].state() != EntryState::kWaiting)
        cursor_ = entries[cursor_].next;
    return cursor_;
}

EntryIndex FlowQueue::first_spare(const EntryTable &entries) {
    while (spare_ != kNoEntry &&
           (!may_be_deleted(entries[spare_].state()) || !entries[spare_].spare()))
        spare_ = entries[spare_].next;
    return spare_;
}

void FlowQueue::take(EntryTable &entries, EntryIndex index, EntryState to) {
    FARLINK_INVARIANT(entries[index].state() == EntryState::kWaiting);
    entries[index].transition(to);
    --waiting_;
    waiting_bytes_ -= entries[index].bytes();
}

void FlowQueue::give_back(EntryTable &entries, EntryIndex index) {
    begin_waiting(entries, index);
}

void FlowQueue::set_aside(EntryTable &entries, EntryIndex index) {
    entries[index].transition(EntryState::kExceedsContacts);
    if (entries[index].spare()) step_back(spare_, entries, index);
}

void FlowQueue::step_back(const EntryTable &entries, EntryIndex index) {
    step_back(cursor_, entries, index);
    if (entries[index].spare()) step_back(spare_, entries, index);
}

void FlowQueue::step_back(EntryIndex &cursor, const EntryTable &entries, EntryIndex index) {
    const std::uint64_t arrival = entries[index].arrival;
    if (cursor != kNoEntry && entries[cursor].arrival < arrival) return;
    // Arrival numbers are unique unless a clock went back between two runs.
    while (entries[index].previous != kNoEntry &&
           entries[entries[index].previous].arrival == arrival)
        index = entries[index].previous;
    cursor = index;
}

}  // namespace farlink::storage
