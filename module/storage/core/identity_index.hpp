// SPDX-License-Identifier: Apache-2.0
// Finds the entry with a given identity: an open hash of entry numbers, 8 bytes a bundle or less.
// Owned by Inventory; one thread.
// The identity itself stands in the entry only; it is uniform, so its low bits are the hash.
#pragma once

#include <vector>

#include "module/storage/core/entry_table.hpp"

namespace farlink::storage {

class IdentityIndex {
public:
    explicit IdentityIndex(const EntryTable &entries)
        : entries_(entries), places_(kLeast, kNoEntry) {}

    /// kNoEntry when there is none.
    [[nodiscard]] EntryIndex find(const Hash128 &identity) const {
        for (std::size_t at = home(identity);; at = next(at)) {
            const EntryIndex index = places_[at];
            if (index == kNoEntry || entries_[index].identity == identity) return index;
        }
    }
    /// No entry with the same identity is in it.
    void insert(EntryIndex index) {
        if ((count_ + 1) * 4 > places_.size() * 3) rehash(places_.size() * 2);
        place(index);
        ++count_;
    }
    /// True when this entry was in it.
    bool erase(EntryIndex index);

private:
    static constexpr std::size_t kLeast = 1024;
    [[nodiscard]] std::size_t home(const Hash128 &identity) const {
        return identity.low & (places_.size() - 1);
    }
    [[nodiscard]] std::size_t next(std::size_t at) const { return (at + 1) & (places_.size() - 1); }
    void place(EntryIndex index);
    void rehash(std::size_t size);

    const EntryTable &entries_;
    std::vector<EntryIndex> places_;  ///< a power of two, at most three quarters full
    std::size_t count_ = 0;
};

}  // namespace farlink::storage
