// SPDX-License-Identifier: Apache-2.0
// Which bundle expires next: lists of entries by how far away their end is.
// Owned by Inventory; one thread.
// A radix queue: list 0 is due, list b holds those whose expiry differs from the time of the last
// look first at bit b - 1. Putting in and taking out cost the same for one bundle and ten million,
// and a bundle costs two links in its entry.
#pragma once

#include <array>

#include "module/storage/core/index/entry_table.hpp"

namespace farlink::storage {

class ExpiryQueue {
public:
    explicit ExpiryQueue(EntryTable &entries) : entries_(entries) {}

    void insert(EntryIndex index);
    /// The entry is about to be released; it may have been popped before.
    void remove(EntryIndex index);

    /// When to look next, or kDtnNever: no bundle expires before it. Looks that find nothing
    /// happen, at most one for each bit of the time that is left.
    [[nodiscard]] DtnTime next() const;
    /// Removes and returns one that has expired at `now_ms`; kNoEntry when there is none, or none
    /// was found in a bounded number of steps: then next() is due at once.
    [[nodiscard]] EntryIndex pop(DtnTime now_ms);

private:
    struct List {
        EntryIndex first = kNoEntry;
        EntryIndex last = kNoEntry;
        [[nodiscard]] bool empty() const { return first == kNoEntry; }
    };
    static constexpr std::size_t kLists = 65;
    static constexpr std::size_t kStepsAtOnce = 4096;
    /// A clock that trembles does not bring back what was due.
    static constexpr DtnTime kTrembleMs = 1000;

    [[nodiscard]] std::size_t list_of(DtnTime expiry) const;
    void look(DtnTime now_ms);
    void push(List &list, EntryIndex index);
    void unlink(EntryIndex index);
    void append_all(List &to, List &from);

    EntryTable &entries_;
    std::array<List, kLists> lists_;
    List moving_;         ///< on their way from a list whose time has come to one nearer by
    DtnTime looked_ = 0;  ///< the time that the lists refer to
};

}  // namespace farlink::storage
