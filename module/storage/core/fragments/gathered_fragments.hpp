// SPDX-License-Identifier: Apache-2.0
// The fragments that are gathered on the disks, and the bundles that stand for complete sets.
// Owned by StorageContext; one thread.
// A bundle that is joined has an entry, in its flow like any other, but no record: the records of
// its fragments are read in its place. So joining writes nothing, and a restart finds all of it.
// The same holds for a bundle that is too large for memory, and its pieces.
#pragma once

#include "module/storage/core/fragments/fragment_sets.hpp"
#include "module/storage/core/fragments/piece_label.hpp"
#include "module/storage/core/index/inventory.hpp"

namespace farlink::storage {

class GatheredFragments {
public:
    explicit GatheredFragments(Inventory &inventory) : inventory_(inventory) {}

    [[nodiscard]] FragmentSets &sets() { return sets_; }
    [[nodiscard]] const FragmentSets &sets() const { return sets_; }
    /// Of the pieces of bundles that are too large for memory.
    [[nodiscard]] FragmentSets &spools() { return spools_; }
    [[nodiscard]] const FragmentSets &spools() const { return spools_; }

    /// A new entry, in state kWriting.
    [[nodiscard]] EntryIndex add(const RecordHead &head, FlowIndex flow, DiskIndex disk,
                                 const FragmentLabel &label);
    /// The same for a piece.
    [[nodiscard]] EntryIndex add_piece(const RecordHead &head, FlowIndex flow, DiskIndex disk,
                                       const PieceLabel &label);
    /// kWriting to kGathered: it is on disk. Returns its bundle, in state kWaiting, if it was the
    /// last one that was missing; else kNoEntry. Of pieces there is no bundle while an equal one is
    /// held.
    [[nodiscard]] EntryIndex gather(EntryIndex fragment);
    /// The fragment leaves its set, which has no bundle.
    void leave(EntryIndex fragment);
    /// The bundle of the fragment's set; kNoEntry when it is incomplete, or it has left its set.
    [[nodiscard]] EntryIndex whole_of(EntryIndex fragment) const;
    /// The records of the fragment are being read.
    [[nodiscard]] bool is_read(EntryIndex fragment) const;

    /// The flushed fragments of a bundle, by offset.
    [[nodiscard]] std::vector<EntryIndex> of(EntryIndex whole) const;
    /// All octets of the bundle that the piece belongs to are flushed.
    [[nodiscard]] bool is_complete(EntryIndex piece) const;
    /// Of a bundle in pieces, the one that begins there.
    [[nodiscard]] EntryIndex piece_at(EntryIndex whole, std::uint64_t offset) const;
    /// Of a bundle in pieces, the one that has the octet at `offset`.
    [[nodiscard]] const FragmentPiece &piece_with(EntryIndex whole, std::uint64_t offset) const;
    /// A record of a set is being read, and is not any more: it may not move meanwhile.
    void begin_read(EntryIndex fragment) { ++set_of(fragment).readers; }
    void end_read(EntryIndex fragment) { --set_of(fragment).readers; }
    /// What was flushed of the spool is in no set any more, and is removed next.
    [[nodiscard]] std::vector<EntryIndex> drop(SetIndex spool);
    /// The bundle is one no more: its fragments wait again for what was missing.
    void disjoin(EntryIndex whole);
    /// The bundle is gone, and its fragments are in no set: they are removed next.
    std::vector<EntryIndex> end(EntryIndex whole);
    /// Octets that are read for a bundle at a time: of its records, those of its fragments, or its
    /// first piece.
    [[nodiscard]] std::uint64_t bytes_to_read(EntryIndex index) const;
    /// Octets of the bundle that are lent at a time, at least.
    [[nodiscard]] std::uint64_t bytes_to_lend(EntryIndex index) const {
        const Entry &entry = inventory_.entry(index);
        return entry.spooled && entry.joined ? inventory_.entry(piece_at(index, 0)).size
                                             : entry.bytes();
    }

private:
    [[nodiscard]] EntryIndex join(FragmentSets &sets, SetIndex set);
    [[nodiscard]] FragmentSets &table_of(EntryIndex index) {
        return inventory_.entry(index).spooled ? spools_ : sets_;
    }
    [[nodiscard]] const FragmentSets &table_of(EntryIndex index) const {
        return inventory_.entry(index).spooled ? spools_ : sets_;
    }
    [[nodiscard]] FragmentSet &set_of(EntryIndex fragment) {
        return table_of(fragment)[inventory_.entry(fragment).next];
    }

    Inventory &inventory_;
    FragmentSets sets_;
    FragmentSets spools_;
};

}  // namespace farlink::storage
