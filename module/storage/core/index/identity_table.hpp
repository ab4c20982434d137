// SPDX-License-Identifier: Apache-2.0
// Finds the entry with a given identity: a hash table of entry numbers that doubles at once.
// Owned by IdentityIndex, which has many of them; one thread.
// Robin Hood hashing. Beside each number stands how far it lies from its home and a few bits of the
// identity, so that finding nothing and taking out touch no entry. The identity is a keyed hash
// itself: its low bits are the home.
#pragma once

#include <vector>

#include "module/storage/core/index/entry_table.hpp"

namespace farlink::storage {

class IdentityTable {
public:
    explicit IdentityTable(const EntryTable &entries) : entries_(entries), slots_(kLeast) {}

    /// kNoEntry when there is none.
    [[nodiscard]] EntryIndex find(const Hash128 &identity) const;
    /// Has the memory fetched that find() and insert() look at.
    void foresee(const Hash128 &identity) const { __builtin_prefetch(&slots_[home(identity)], 1); }
    /// No entry with the same identity is in it.
    void insert(EntryIndex index);
    /// True when this entry was in it.
    bool erase(EntryIndex index);

    [[nodiscard]] std::size_t memory_bytes() const { return slots_.capacity() * sizeof(Slot); }

private:
    /// Distance from home, from 1, in the upper 10 bits; a part of the identity in the others.
    using Mark = std::uint16_t;
    static constexpr Mark kEmpty = 0;
    static constexpr Mark kOneStep = 1 << 6;
    static constexpr Mark kFarthest = 0xffff & ~(kOneStep - 1);
    static constexpr std::size_t kLeast = 16;

    /// Mark and number lie together, in 6 bytes, so that a look costs one cache line.
    struct Slot {
        Mark mark = kEmpty;
        std::uint16_t high = 0;
        std::uint16_t low = 0;

        Slot() = default;
        Slot(Mark with, EntryIndex index)
            : mark(with),
              high(static_cast<std::uint16_t>(index >> 16)),
              low(static_cast<std::uint16_t>(index)) {}
        [[nodiscard]] EntryIndex index() const { return (EntryIndex{high} << 16) | low; }
    };

    [[nodiscard]] static Mark mark_at_home(const Hash128 &identity) {
        return static_cast<Mark>(kOneStep | (identity.high & (kOneStep - 1)));
    }
    [[nodiscard]] std::size_t home(const Hash128 &identity) const {
        return identity.low & (slots_.size() - 1);
    }
    [[nodiscard]] std::size_t next(std::size_t at) const { return (at + 1) & (slots_.size() - 1); }
    /// Whether what lies there is nearer to its home than `mark`, or nothing lies there.
    [[nodiscard]] bool nearer(std::size_t at, Mark mark) const {
        return slots_[at].mark / kOneStep < mark / kOneStep;
    }
    void place(Slot slot, std::size_t at);
    void place(EntryIndex index) {
        const Hash128 &identity = entries_[index].identity;
        place({mark_at_home(identity), index}, home(identity));
    }
    void rehash(std::size_t size);

    const EntryTable &entries_;
    std::vector<Slot> slots_;  ///< a power of two, at most 13/16 full
    /// Those that would lie too far from home. With a keyed hash there are none.
    std::vector<EntryIndex> strays_;
    std::size_t count_ = 0;
};

}  // namespace farlink::storage
