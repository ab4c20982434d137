// SPDX-License-Identifier: Apache-2.0
#include "module/storage/core/identity_index.hpp"

#include <utility>

namespace farlink::storage {

bool IdentityIndex::erase(EntryIndex index) {
    std::size_t hole = home(entries_[index].identity);
    while (places_[hole] != index) {
        if (places_[hole] == kNoEntry) return false;
        hole = next(hole);
    }
    // Whatever would no longer be found from its home moves into the hole.
    for (std::size_t at = next(hole); places_[at] != kNoEntry; at = next(at)) {
        const std::size_t from = home(entries_[places_[at]].identity);
        const std::size_t mask = places_.size() - 1;
        if (((at - from) & mask) < ((at - hole) & mask)) continue;
        places_[hole] = places_[at];
        hole = at;
    }
    places_[hole] = kNoEntry;
    --count_;
    return true;
}

void IdentityIndex::place(EntryIndex index) {
    std::size_t at = home(entries_[index].identity);
    while (places_[at] != kNoEntry) at = next(at);
    places_[at] = index;
}

void IdentityIndex::rehash(std::size_t size) {
    const std::vector<EntryIndex> old =
        std::exchange(places_, std::vector<EntryIndex>(size, kNoEntry));
    for (const EntryIndex index : old)
        if (index != kNoEntry) place(index);
}

}  // namespace farlink::storage
