// SPDX-License-Identifier: Apache-2.0
// Finds what has a given identity: a hash table of numbers that doubles at once.
// Owned by IdentityIndex, which has many of them, and by FragmentSets; one thread.
// Robin Hood hashing. Beside each number stands how far it lies from its home and a few bits of the
// identity, so that finding nothing and taking out touch no item. The identity is a keyed hash
// itself: its low bits are the home.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "common/base/siphash.hpp"

namespace farlink::storage {

/// `items[number].*kIdentity` is the identity of an item while its number is in the table.
template <class Items, auto kIdentity>
class IdentityTable {
public:
    using Number = std::uint32_t;
    static constexpr Number kNone = 0xffffffffU;

    explicit IdentityTable(const Items &items) : items_(items), slots_(kLeast) {}

    /// kNone when there is none.
    [[nodiscard]] Number find(const Hash128 &identity) const;
    /// Has the memory fetched that find() and insert() look at.
    void foresee(const Hash128 &identity) const { __builtin_prefetch(&slots_[home(identity)], 1); }
    /// No item with the same identity is in it.
    void insert(Number number) {
        if ((count_ + 1) * 16 > slots_.size() * 13) rehash(slots_.size() * 2);
        place(number);
        ++count_;
    }
    /// True when this number was in it.
    bool erase(Number number);

    /// Gives memory back when nothing is in it.
    void give_back() {
        if (count_ == 0 && slots_.size() > kLeast) slots_ = std::vector<Slot>(kLeast);
    }

    [[nodiscard]] std::size_t size() const { return count_; }
    [[nodiscard]] std::size_t memory_bytes() const { return slots_.capacity() * sizeof(Slot); }

private:
    /// Distance from home, from 1, in the upper 10 bits; a part of the identity in the others.
    using Mark = std::uint16_t;
    static constexpr Mark kEmpty = 0;
    static constexpr Mark kOneStep = 1 << 6;
    static constexpr Mark kFarthest = 0xffff & ~(kOneStep - 1);
    static constexpr std::size_t kLeast = 16;
    /// Items lie anywhere in memory: they are fetched while others are placed.
    static constexpr std::size_t kAhead = 16;

    /// Mark and number lie together, in 6 bytes, so that a look costs one cache line.
    struct Slot {
        Mark mark = kEmpty;
        std::uint16_t high = 0;
        std::uint16_t low = 0;

        Slot() = default;
        Slot(Mark with, Number number)
            : mark(with),
              high(static_cast<std::uint16_t>(number >> 16)),
              low(static_cast<std::uint16_t>(number)) {}
        [[nodiscard]] Number number() const { return (Number{high} << 16) | low; }
    };

    [[nodiscard]] const Hash128 &identity_of(Number number) const {
        return items_[number].*kIdentity;
    }
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
    void place(Number number) {
        const Hash128 &identity = identity_of(number);
        place({mark_at_home(identity), number}, home(identity));
    }
    void rehash(std::size_t size);

    const Items &items_;
    std::vector<Slot> slots_;  ///< a power of two, at most 13/16 full
    /// Those that would lie too far from home. With a keyed hash there are none.
    std::vector<Number> strays_;
    std::size_t count_ = 0;
};

template <class Items, auto kIdentity>
auto IdentityTable<Items, kIdentity>::find(const Hash128 &identity) const -> Number {
    Mark mark = mark_at_home(identity);
    for (std::size_t at = home(identity); !nearer(at, mark) && mark < kFarthest; at = next(at)) {
        const Slot &slot = slots_[at];
        if (slot.mark == mark && identity_of(slot.number()) == identity) return slot.number();
        mark = static_cast<Mark>(mark + kOneStep);
    }
    for (const Number number : strays_)
        if (identity_of(number) == identity) return number;
    return kNone;
}

/// The one that is farther from home stays, the other one goes on.
template <class Items, auto kIdentity>
void IdentityTable<Items, kIdentity>::place(Slot slot, std::size_t at) {
    for (; slots_[at].mark != kEmpty; at = next(at)) {
        if (nearer(at, slot.mark)) std::swap(slots_[at], slot);
        slot.mark = static_cast<Mark>(slot.mark + kOneStep);
        if (slot.mark >= kFarthest) return strays_.push_back(slot.number());
    }
    slots_[at] = slot;
}

template <class Items, auto kIdentity>
bool IdentityTable<Items, kIdentity>::erase(Number number) {
    const Hash128 &identity = identity_of(number);
    Mark mark = mark_at_home(identity);
    std::size_t hole = home(identity);
    for (; slots_[hole].mark != mark || slots_[hole].number() != number; hole = next(hole)) {
        if (nearer(hole, mark) || mark >= kFarthest) {
            const bool stray = std::erase(strays_, number) > 0;
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

template <class Items, auto kIdentity>
void IdentityTable<Items, kIdentity>::rehash(std::size_t size) {
    const std::vector<Slot> old = std::exchange(slots_, std::vector<Slot>(size));
    for (std::size_t at = 0; at < old.size(); ++at) {
        if (at + kAhead < old.size() && old[at + kAhead].mark != kEmpty)
            __builtin_prefetch(&items_[old[at + kAhead].number()]);
        if (old[at].mark != kEmpty) place(old[at].number());
    }
    for (const Number stray : std::exchange(strays_, {})) place(stray);
}

}  // namespace farlink::storage
