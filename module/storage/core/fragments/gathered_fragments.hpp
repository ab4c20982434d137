// SPDX-License-Identifier: Apache-2.0
// The fragments that are gathered on the disks, and the bundles that stand for complete sets.
// Owned by StorageContext; one thread.
// A bundle that is joined has an entry, in its flow like any other, but no record: the records of
// its fragments are read in its place. So joining writes nothing, and a restart finds all of it.
#pragma once

#include "module/storage/core/fragments/fragment_sets.hpp"
#include "module/storage/core/index/inventory.hpp"

namespace farlink::storage {

class GatheredFragments {
public:
    explicit GatheredFragments(Inventory &inventory) : inventory_(inventory) {}

    [[nodiscard]] FragmentSets &sets() { return sets_; }
    [[nodiscard]] const FragmentSets &sets() const { return sets_; }

    /// A new entry, in state kWriting.
    [[nodiscard]] EntryIndex add(const RecordHead &head, FlowIndex flow, DiskIndex disk,
                                 const FragmentLabel &label);
    /// kWriting to kGathered: it is on disk. Returns its bundle, in state kWaiting, if it was the
    /// last one that was missing; else kNoEntry.
    [[nodiscard]] EntryIndex gather(EntryIndex fragment);
    /// The fragment leaves its set, which has no bundle.
    void leave(EntryIndex fragment);
    /// The bundle of the fragment's set; kNoEntry when it is incomplete, or it has left its set.
    [[nodiscard]] EntryIndex whole_of(EntryIndex fragment) const;
    /// The records of the fragment are being read.
    [[nodiscard]] bool is_read(EntryIndex fragment) const;

    /// The flushed fragments of a bundle, by offset.
    [[nodiscard]] std::vector<EntryIndex> of(EntryIndex whole) const;
    /// The bundle is one no more: its fragments wait again for what was missing.
    void disjoin(EntryIndex whole);
    /// The bundle is gone, and its fragments are in no set: they are removed next.
    std::vector<EntryIndex> end(EntryIndex whole);
    /// Octets that are read for a bundle: of its records, or those of its fragments.
    [[nodiscard]] std::uint64_t bytes_to_read(EntryIndex index) const;

private:
    [[nodiscard]] EntryIndex join(SetIndex set);

    Inventory &inventory_;
    FragmentSets sets_;
};

}  // namespace farlink::storage
