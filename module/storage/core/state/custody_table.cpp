// SPDX-License-Identifier: Apache-2.0
#include "module/storage/core/state/custody_table.hpp"

#include <algorithm>
#include <functional>

namespace farlink::storage {

void CustodyTable::set_tenure(EntryIndex index, Tenure tenure) {
    if (index >= tenures_.size()) tenures_.resize(std::size_t{index} + index / 2 + 1);
    tenures_[index] = tenure;
}

CustodyTable::Sent &CustodyTable::lend(EntryIndex index, std::optional<std::uint64_t> id,
                                       std::span<const NodeNumber> nodes) {
    Sent &sent = sent_[index];
    sent.id = id;
    sent.refused = false;
    sent.potential_custodians = potential_custodians_.extend(sent.potential_custodians, nodes);
    if (id) by_id_[*id] = index;
    return sent;
}

CustodyTable::Sent *CustodyTable::find(EntryIndex index) {
    const auto found = sent_.find(index);
    return found == sent_.end() ? nullptr : &found->second;
}

void CustodyTable::collect(std::uint64_t first, std::uint64_t last,
                           std::vector<EntryIndex> &found) const {
    for (auto at = by_id_.lower_bound(first); at != by_id_.end() && at->first <= last; ++at)
        found.push_back(at->second);
}

void CustodyTable::await(EntryIndex index, TimePoint due) {
    sent_.at(index).due = due;
    timers_.push_back({due, index});
    std::ranges::push_heap(timers_, std::greater{});
}

void CustodyTable::stop_waiting(EntryIndex index) {
    if (Sent *sent = find(index); sent != nullptr) sent->due = kNever;
    drop_fallen();
}

bool CustodyTable::stands(const Timer &timer) const {
    const auto found = sent_.find(timer.index);
    return found != sent_.end() && found->second.due == timer.due;
}

// Signals come about in the order of the transmissions, so what has fallen is at the top.
void CustodyTable::drop_fallen() {
    while (!timers_.empty() && !stands(timers_.front())) {
        std::ranges::pop_heap(timers_, std::greater{});
        timers_.pop_back();
    }
}

EntryIndex CustodyTable::pop_due(TimePoint now) {
    drop_fallen();
    if (timers_.empty() || timers_.front().due > now) return kNoEntry;
    const EntryIndex index = timers_.front().index;
    sent_.at(index).due = kNever;
    drop_fallen();
    return index;
}

TimePoint CustodyTable::next_timeout() const {
    return timers_.empty() ? kNever : timers_.front().due;
}

void CustodyTable::forget(EntryIndex index) {
    if (index < tenures_.size()) tenures_[index] = 0;
    const auto found = sent_.find(index);
    if (found == sent_.end()) return;
    if (const auto id = found->second.id) {
        const auto named = by_id_.find(*id);
        if (named != by_id_.end() && named->second == index) by_id_.erase(named);
    }
    potential_custodians_.let_go(found->second.potential_custodians);
    sent_.erase(found);
    drop_fallen();
}

}  // namespace farlink::storage
