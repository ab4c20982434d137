// SPDX-License-Identifier: Apache-2.0
// Which stored fragments belong together, and which parts of their data unit are here.
// Owned by GatheredFragments; one thread.
// A set is all fragments of a bundle that state the same total length and destination: a forged one
// with another makes a set of its own. A set with one fragment takes about 170 octets, its entry
// included, and the first set of a source about 60 more. The pieces of a bundle that is too large
// for memory are such a set, too, in a table of their own.
#pragma once

#include <cstdint>
#include <deque>
#include <unordered_map>
#include <vector>

#include "common/base/siphash.hpp"
#include "module/storage/core/fragments/fragment_label.hpp"
#include "module/storage/core/fragments/piece_list.hpp"
#include "module/storage/core/index/identity_table.hpp"

namespace farlink::storage {

struct FragmentSet {
    Hash128 key;
    std::uint64_t total = 0;  ///< bytes of the data unit
    std::uint64_t source = 0;
    PieceList pieces;
    EntryIndex whole = kNoEntry;     ///< the bundle, once all of it is flushed
    std::uint32_t readers : 31 = 0;  ///< reads of its records that are under way
    bool dropped : 1 = false;        ///< it has pieces that are being written, and no use

    /// Every octet of the data unit is flushed.
    [[nodiscard]] bool complete() const;
    /// The parts of the data unit that are not here, the first `most` of them.
    [[nodiscard]] std::vector<bp::FragmentExtent> gaps(std::size_t most) const;
};
static_assert(sizeof(FragmentSet) == 72);

using SetIndex = std::uint32_t;
inline constexpr SetIndex kNoSet = 0xffffffffU;

/// The incomplete sets of one source.
struct SourceUsage {
    std::uint32_t sets = 0;
    std::uint32_t fragments = 0;
    std::uint64_t bytes = 0;
};

class FragmentSets {
public:
    FragmentSets() = default;
    FragmentSets(const FragmentSets &) = delete;
    FragmentSets &operator=(const FragmentSets &) = delete;

    /// The set of a fragment; kNoSet when none of it is here.
    [[nodiscard]] SetIndex find(const Hash128 &key) const { return by_key_.find(key); }
    /// Adds the entry of a fragment, not flushed yet; returns its set.
    [[nodiscard]] SetIndex add(const FragmentLabel &label, EntryIndex entry);
    /// The fragment is gone; its set goes with its last one.
    void remove(SetIndex set, EntryIndex entry);
    /// All fragments are gone, and the set with them; returns what it had.
    std::vector<FragmentPiece> remove_all(SetIndex set);
    /// The set has no use any more: its flushed pieces are gone, those that are being written stay
    /// in it until they are removed. Returns what is gone.
    std::vector<FragmentPiece> drop(SetIndex set);
    void set_flushed(SetIndex set, EntryIndex entry);
    /// The identity of the bundle, if it is not the key.
    void set_identity(SetIndex set, const Hash128 &identity) { identities_[set] = identity; }
    [[nodiscard]] const Hash128 &identity_of(SetIndex set) const;
    /// All of it is flushed, and `whole` stands for it; or kNoEntry: it is incomplete again.
    void set_whole(SetIndex set, EntryIndex whole);

    [[nodiscard]] FragmentSet &operator[](SetIndex set) { return sets_[set]; }
    [[nodiscard]] const FragmentSet &operator[](SetIndex set) const { return sets_[set]; }
    /// The set that this bundle was joined from.
    [[nodiscard]] SetIndex of_whole(EntryIndex whole) const { return by_whole_.at(whole); }
    /// The pieces that have an octet of the extent in common.
    [[nodiscard]] std::vector<FragmentPiece> overlapping(SetIndex set,
                                                         const bp::FragmentExtent &extent) const;
    [[nodiscard]] SourceUsage usage_of(std::uint64_t source) const;
    /// How many there are, complete ones too.
    [[nodiscard]] std::size_t size() const { return by_key_.size(); }
    [[nodiscard]] std::size_t incomplete() const { return by_key_.size() - by_whole_.size(); }
    /// Sets are below it, empty ones too.
    [[nodiscard]] std::size_t places() const { return sets_.size(); }
    [[nodiscard]] std::size_t memory_bytes() const;

private:
    using Keys = IdentityTable<std::deque<FragmentSet>, &FragmentSet::key>;
    static_assert(Keys::kNone == kNoSet);

    [[nodiscard]] SetIndex begin(const FragmentLabel &label);
    void end(SetIndex set);
    void count(const FragmentSet &set, bool incomplete);
    void count_piece(std::uint64_t source, const FragmentPiece &piece, bool held);

    std::deque<FragmentSet> sets_;
    std::vector<SetIndex> free_;
    Keys by_key_{sets_};
    std::unordered_map<SetIndex, Hash128> identities_;  ///< where they are not the keys
    std::unordered_map<EntryIndex, SetIndex> by_whole_;
    std::unordered_map<std::uint64_t, SourceUsage> sources_;
    std::size_t piece_bytes_ = 0;  ///< of memory, beside the sets
};

}  // namespace farlink::storage
