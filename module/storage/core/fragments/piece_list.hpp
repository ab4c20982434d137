// SPDX-License-Identifier: Apache-2.0
// The stored pieces of a set, by offset, and how many octets they have together.
// Owned by a FragmentSet; one thread.
// One that is alone lies in the list itself: most sets that never become whole have no other.
#pragma once

#include <memory>
#include <vector>

#include "module/storage/core/index/entry_table.hpp"

namespace farlink::storage {

/// A stored fragment: octets [offset, end) of the data unit.
struct FragmentPiece {
    std::uint64_t offset = 0;
    std::uint64_t end = 0;
    EntryIndex entry = kNoEntry;
    bool flushed = false;

    [[nodiscard]] std::uint64_t bytes() const { return end - offset; }
};

class PieceList {
public:
    void add(const FragmentPiece &piece);
    /// Returns it.
    FragmentPiece remove(EntryIndex entry);
    /// Removes those that are flushed, and returns them.
    [[nodiscard]] std::vector<FragmentPiece> remove_flushed();
    void set_flushed(EntryIndex entry);

    /// They may overlap.
    [[nodiscard]] const FragmentPiece *begin() const {
        return many_ == nullptr ? &one_ : many_->pieces.data();
    }
    [[nodiscard]] const FragmentPiece *end() const { return begin() + size(); }
    [[nodiscard]] const FragmentPiece &front() const { return *begin(); }
    [[nodiscard]] bool empty() const { return size() == 0; }
    [[nodiscard]] std::size_t size() const {
        if (many_ != nullptr) return many_->pieces.size();
        return one_.entry == kNoEntry ? 0 : 1;
    }

    /// Of all pieces.
    [[nodiscard]] std::uint64_t bytes() const {
        return many_ == nullptr ? one_.bytes() : many_->bytes;
    }
    [[nodiscard]] std::uint64_t flushed_bytes() const {
        if (many_ != nullptr) return many_->flushed_bytes;
        return one_.flushed ? one_.bytes() : 0;
    }
    /// No piece reaches beyond.
    [[nodiscard]] std::uint64_t furthest() const {
        return many_ == nullptr ? one_.end : many_->furthest;
    }
    /// Beside the list itself.
    [[nodiscard]] std::size_t memory_bytes() const {
        if (many_ == nullptr) return 0;
        return sizeof(Many) + many_->pieces.capacity() * sizeof(FragmentPiece);
    }

private:
    struct Many {
        std::vector<FragmentPiece> pieces;
        std::uint64_t bytes = 0;
        std::uint64_t flushed_bytes = 0;
        std::uint64_t furthest = 0;
    };

    void insert(const FragmentPiece &piece);
    [[nodiscard]] FragmentPiece &find(EntryIndex entry);

    FragmentPiece one_;           ///< without an entry: there is none
    std::unique_ptr<Many> many_;  ///< then all of them, and `one_` has no meaning
};

}  // namespace farlink::storage
