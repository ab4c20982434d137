// SPDX-License-Identifier: Apache-2.0
#include "module/storage/core/state/critical_table.hpp"

#include <algorithm>
#include <utility>

namespace farlink::storage {

bool CriticalTable::any(EntryIndex index, State state) const {
    const auto found = bundles_.find(index);
    return found != bundles_.end() &&
           std::ranges::count(found->second.copies, state, &CriticalCopy::state) > 0;
}

CriticalCopy *CriticalTable::lent_to(LinkId link, EntryIndex index) {
    for (CriticalCopy &copy : copies(index))
        if (copy.link == link && copy.state == State::kLent) return &copy;
    return nullptr;
}

void CriticalTable::drop(const CriticalCopy &copy, EntryIndex index) {
    Copies &all = copies(index);
    all.erase(all.begin() + (&copy - all.data()));
    look_at(index);
}

void CriticalTable::send_again(EntryIndex index) {
    std::erase_if(copies(index),
                  [](const CriticalCopy &copy) { return copy.state == State::kSent; });
    look_at(index);
}

void CriticalTable::arrived(EntryIndex index) {
    const auto found = bundles_.find(index);
    if (found == bundles_.end()) return;
    found->second.arrived = true;
    std::erase_if(found->second.copies, [](const CriticalCopy &copy) {
        return copy.state == State::kListed || copy.state == State::kTooLate;
    });
    look_at(index);
}

bool CriticalTable::note_tenure(EntryIndex index, Tenure tenure) {
    const auto found = bundles_.find(index);
    return found != bundles_.end() && add_tenure(found->second.tenures, tenure);
}

bool CriticalTable::note_tenure(const Hash128 &identity, Tenure tenure) {
    const auto found = passed_on_.find(identity);
    return found != passed_on_.end() && add_tenure(found->second.tenures, tenure);
}

bool CriticalTable::went_to(EntryIndex index, NodeNumber neighbour) const {
    const auto found = bundles_.find(index);
    if (found == bundles_.end()) return false;
    return std::ranges::any_of(found->second.copies, [neighbour](const CriticalCopy &copy) {
        return copy.neighbour == neighbour &&
               (copy.state == State::kSent || copy.state == State::kLent);
    });
}

void CriticalTable::reopen(LinkId link) {
    for (auto &[index, bundle] : bundles_) {
        const auto late = [link](const CriticalCopy &copy) {
            return copy.link == link && copy.state == State::kTooLate;
        };
        if (std::erase_if(bundle.copies, late) > 0) look_at(index);
    }
}

void CriticalTable::look_at(EntryIndex index) {
    const auto found = bundles_.find(index);
    if (found == bundles_.end() || std::exchange(found->second.unseen, true)) return;
    unseen_.push_back(index);
}

void CriticalTable::look_at_all() {
    for (const auto &[index, bundle] : bundles_) look_at(index);
}

// An entry that is gone, or is another bundle by now, was not taken out of the list.
EntryIndex CriticalTable::poll_unseen() {
    while (!unseen_.empty()) {
        const EntryIndex index = unseen_.pop_front();
        const auto found = bundles_.find(index);
        if (found != bundles_.end() && std::exchange(found->second.unseen, false)) return index;
    }
    return kNoEntry;
}

void CriticalTable::forget(EntryIndex index, const Hash128 &identity, NodeNumber destination) {
    const auto found = bundles_.find(index);
    if (found == bundles_.end()) return;
    PassedOn what{.to_destination = found->second.arrived,
                  .arrived = found->second.arrived,
                  .tenures = found->second.tenures};
    for (const CriticalCopy &copy : found->second.copies)
        what.to_destination |= copy.state == State::kSent && copy.neighbour == destination;
    const bool sent = what.arrived || any(index, State::kSent);
    bundles_.erase(found);
    if (!sent) return;
    const auto [place, fresh] = passed_on_.try_emplace(identity, what);
    place->second.to_destination |= what.to_destination;
    place->second.arrived |= what.arrived;
    place->second.tenures |= what.tenures;
    if (!fresh) return;
    order_.push_back(identity);
    if (order_.size() > kRemembered) passed_on_.erase(order_.pop_front());
}

std::optional<CriticalTable::PassedOn> CriticalTable::passed_on(const Hash128 &identity) const {
    const auto found = passed_on_.find(identity);
    return found == passed_on_.end() ? std::nullopt : std::optional(found->second);
}

}  // namespace farlink::storage
