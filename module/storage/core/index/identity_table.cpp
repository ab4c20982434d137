// SPDX-License-Identifier: Apache-2.0
#include "module/storage/core/index/identity_table.hpp"

#include <algorithm>
#include <utility>

namespace farlink::storage {
namespace {

/// Entries lie anywhere in memory: they are fetched while others are placed.
constexpr std::size_t kAhead = 16;

}  // namespace

EntryIndex IdentityTable::find(const Hash128 &identity) const {
    Mark mark = mark_at_home(identity);
    for (std::size_t at = home(identity); !nearer(at, mark) && mark < kFarthest; at = next(at)) {
        const Slot &slot = slots_[at];
        if (slot.mark == mark && entries_[slot.index()].identity == identity) return slot.index();
        mark = static_cast<Mark>(mark + kOneStep);
    }
    for (const EntryIndex index : strays_)
        if (entries_[index].identity == identity) return index;
    return kNoEntry;
}

void IdentityTable::insert(EntryIndex index) {
    if ((count_ + 1) * 16 > slots_.size() * 13) rehash(slots_.size() * 2);
    place(index);
    ++count_;
}

/// The entry that is farther from home stays, the other one goes on.
void IdentityTable::place(Slot slot, std::size_t at) {
    for (; slots_[at].mark != kEmpty; at = next(at)) {
        if (nearer(at, slot.mark)) std::swap(slots_[at], slot);
        slot.mark = static_cast<Mark>(slot.mark + kOneStep);
        if (slot.mark >= kFarthest) return strays_.push_back(slot.index());
    }
    slots_[at] = slot;
}

bool IdentityTable::erase(EntryIndex index) {
    const Hash128 &identity = entries_[index].identity;
    Mark mark = mark_at_home(identity);
    std::size_t hole = home(identity);
    for (; slots_[hole].mark != mark || slots_[hole].index() != index; hole = next(hole)) {
        if (nearer(hole, mark) || mark >= kFarthest) {
            const bool stray = std::erase(strays_, index) > 0;
            count_ -= stray ? 1 : 0;
            return stray;
        }
        mark = static_cast<Mark>(mark + kOneStep);
    }
    // Whatever does not lie at its home moves one step nearer to it.
    for (std::size_t at = next(hole); slots_[at].mark / kOneStep > 1; at = next(at)) {
        slots_[hole] = slots_[at];
        slots_[hole].mark = static_cast<Mark>(slots_[at].mark - kOneStep);
        hole = at;
    }
    slots_[hole] = {};
    --count_;
    return true;
}

void IdentityTable::rehash(std::size_t size) {
    const std::vector<Slot> old = std::exchange(slots_, std::vector<Slot>(size));
    for (std::size_t at = 0; at < old.size(); ++at) {
        if (at + kAhead < old.size() && old[at + kAhead].mark != kEmpty)
            __builtin_prefetch(&entries_[old[at + kAhead].index()]);
        if (old[at].mark != kEmpty) place(old[at].index());
    }
    for (const EntryIndex stray : std::exchange(strays_, {})) place(stray);
}

}  // namespace farlink::storage
