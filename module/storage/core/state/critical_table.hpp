// SPDX-License-Identifier: Apache-2.0
// Critical bundles: which neighbours each has gone to or has yet to go to, and which have gone to
// all of them and are critical here no more.
// Owned by StorageContext; one thread.
// One record on disk serves all neighbours. Nothing of this is on disk: after a restart a bundle
// goes to all of them, and a neighbour that has it already recognises it.
#pragma once

#include <optional>
#include <unordered_map>
#include <vector>

#include "common/base/types.hpp"
#include "common/buffer/ring.hpp"
#include "module/storage/core/index/entry_table.hpp"
#include "module/storage/core/state/custody_table.hpp"

namespace farlink::storage {

/// A bundle's way by one neighbour: listed -> lent -> sent. One that the link gives back is none
/// any more, until its ways are looked up again; so is one that is too late for its contact, when
/// the next begins.
struct CriticalCopy {
    enum class State : std::uint8_t {
        kListed,   ///< waits for its link
        kLent,     ///< being read for it, or with it
        kTooLate,  ///< waits for another contact
        kSent,
    };
    NodeNumber neighbour;
    LinkId link = kNoLink;
    State state = State::kListed;
};

class CriticalTable {
public:
    using Copies = std::vector<CriticalCopy>;
    using State = CriticalCopy::State;
    /// How many are remembered once they are gone, at about 100 bytes each.
    static constexpr std::size_t kRemembered = 65'536;

    /// The bundle is on disk. `tenure`: of its former custodian.
    void add(EntryIndex index, Tenure tenure = 0) {
        bundles_.try_emplace(index).first->second.tenures |= bits_of(tenure);
        look_at(index);
    }
    /// It comes again from a custodian. True for the first time in that tenure; rarely false
    /// although it is the first.
    [[nodiscard]] bool note_tenure(EntryIndex index, Tenure tenure);
    /// The same once it is gone.
    [[nodiscard]] bool note_tenure(const Hash128 &identity, Tenure tenure);
    [[nodiscard]] Copies &copies(EntryIndex index) { return bundles_.at(index).copies; }
    [[nodiscard]] bool any(EntryIndex index, State state) const;
    /// The copy that this link has now; null when it has none.
    [[nodiscard]] CriticalCopy *lent_to(LinkId link, EntryIndex index);
    /// It is no longer listed, lent or sent there.
    void drop(const CriticalCopy &copy, EntryIndex index);
    /// Its next custodian does not answer: it goes to all neighbours again.
    void send_again(EntryIndex index);
    /// Its destination has taken custody of it: no further neighbour needs it.
    void arrived(EntryIndex index);
    [[nodiscard]] bool has_arrived(EntryIndex index) const {
        const auto found = bundles_.find(index);
        return found != bundles_.end() && found->second.arrived;
    }
    /// It was sent to that neighbour, or is in flight.
    [[nodiscard]] bool went_to(EntryIndex index, NodeNumber neighbour) const;
    /// Another contact of the link begins.
    void reopen(LinkId link);

    /// Copies for a neighbour that `may(neighbour)` need not wait for another contact any more.
    template <class May>
    void retry(EntryIndex index, May &&may) {
        const auto found = bundles_.find(index);
        if (found == bundles_.end()) return;
        const auto again = [&](const CriticalCopy &copy) {
            return copy.state == State::kTooLate && may(copy.neighbour);
        };
        if (std::erase_if(found->second.copies, again) > 0) look_at(index);
    }

    /// Its ways are to be looked up, for the first time or again.
    void look_at(EntryIndex index);
    void look_at_all();
    /// The next of those; kNoEntry when there is none.
    [[nodiscard]] EntryIndex poll_unseen();

    /// The entry goes, or goes on like any other.
    void forget(EntryIndex index, const Hash128 &identity, NodeNumber destination);
    /// A bundle that was here, has gone to its neighbours, and is among the last of those.
    struct PassedOn {
        bool to_destination = false;  ///< which has it, by the outcome of its link
        bool arrived = false;         ///< its destination has confirmed it
        std::uint64_t tenures = 0;    ///< in which it has come: a Bloom filter
    };
    [[nodiscard]] std::optional<PassedOn> passed_on(const Hash128 &identity) const;

private:
    struct Bundle {
        Copies copies;
        bool unseen = false;   ///< in unseen_
        bool arrived = false;  ///< at its destination
        std::uint64_t tenures = 0;
    };
    /// Three bits of a Bloom filter: a tenure is a hash.
    [[nodiscard]] static std::uint64_t bits_of(Tenure tenure) {
        const auto bit = [tenure](unsigned from) {
            return std::uint64_t{1} << ((tenure >> from) & 63U);
        };
        return tenure == 0 ? 0 : bit(26) | bit(20) | bit(14);
    }
    [[nodiscard]] static bool add_tenure(std::uint64_t &tenures, Tenure tenure) {
        const std::uint64_t before = tenures;
        tenures |= bits_of(tenure);
        return tenures != before;
    }
    struct IdentityHash {
        std::size_t operator()(const Hash128 &identity) const { return identity.low; }
    };

    std::unordered_map<EntryIndex, Bundle> bundles_;
    Ring<EntryIndex> unseen_;
    std::unordered_map<Hash128, PassedOn, IdentityHash> passed_on_;
    Ring<Hash128> order_;  ///< of passed_on_, oldest first
};

}  // namespace farlink::storage
