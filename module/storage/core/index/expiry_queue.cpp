// SPDX-License-Identifier: Apache-2.0
#include "module/storage/core/index/expiry_queue.hpp"

#include <algorithm>
#include <bit>

namespace farlink::storage {

std::size_t ExpiryQueue::list_of(DtnTime expiry) const {
    return expiry <= looked_ ? 0 : static_cast<std::size_t>(std::bit_width(expiry ^ looked_));
}

void ExpiryQueue::insert(EntryIndex index) {
    const Entry &entry = entries_[index];
    if (entry.expiry != kDtnNever) push(lists_[list_of(entry.expiry)], index);
}

void ExpiryQueue::remove(EntryIndex index) {
    if (entries_[index].expires) unlink(index);
}

DtnTime ExpiryQueue::next() const {
    if (!lists_[0].empty() || !moving_.empty()) return 0;
    for (std::size_t at = 1; at < kLists; ++at) {
        if (lists_[at].empty()) continue;
        // All of them have this bit set and agree with looked_ above it.
        const DtnTime bit = DtnTime{1} << (at - 1);
        return (looked_ | bit) & ~(bit - 1);
    }
    return kDtnNever;
}

EntryIndex ExpiryQueue::pop(DtnTime now_ms) {
    look(now_ms);
    for (std::size_t step = 0; step < kStepsAtOnce && !moving_.empty(); ++step) {
        const EntryIndex index = moving_.first;
        unlink(index);
        push(lists_[list_of(entries_[index].expiry)], index);
    }
    const EntryIndex due = lists_[0].first;
    if (due != kNoEntry) unlink(due);
    return due;
}

/// Lists below the highest bit that has changed are due as a whole, the list of that bit is to be
/// spread over those below it; the others are not concerned.
void ExpiryQueue::look(DtnTime now_ms) {
    if (now_ms + kTrembleMs < looked_) {
        for (List &list : lists_) append_all(moving_, list);
        looked_ = now_ms;
    }
    if (now_ms <= looked_) return;
    const auto changed = static_cast<std::size_t>(std::bit_width(now_ms ^ looked_));
    for (std::size_t at = 1; at < changed; ++at) append_all(lists_[0], lists_[at]);
    append_all(moving_, lists_[changed]);
    looked_ = now_ms;
}

void ExpiryQueue::push(List &list, EntryIndex index) {
    Entry &entry = entries_[index];
    entry.expires = true;
    entry.expires_after = list.last;
    entry.expires_before = kNoEntry;
    (list.last == kNoEntry ? list.first : entries_[list.last].expires_before) = index;
    list.last = index;
}

/// An end of a list is the end of moving_ or of the list that its expiry names.
void ExpiryQueue::unlink(EntryIndex index) {
    Entry &entry = entries_[index];
    entry.expires = false;
    if (entry.expires_after != kNoEntry)
        entries_[entry.expires_after].expires_before = entry.expires_before;
    if (entry.expires_before != kNoEntry)
        entries_[entry.expires_before].expires_after = entry.expires_after;
    if (entry.expires_after != kNoEntry && entry.expires_before != kNoEntry) return;
    const bool moving = moving_.first == index || moving_.last == index;
    List &list = moving ? moving_ : lists_[list_of(entry.expiry)];
    if (list.first == index) list.first = entry.expires_before;
    if (list.last == index) list.last = entry.expires_after;
}

void ExpiryQueue::append_all(List &to, List &from) {
    if (from.empty()) return;
    if (to.empty()) {
        to = from;
    } else {
        entries_[to.last].expires_before = from.first;
        entries_[from.first].expires_after = to.last;
        to.last = from.last;
    }
    from = {};
}

}  // namespace farlink::storage
