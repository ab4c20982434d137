// SPDX-License-Identifier: Apache-2.0
// Bundles in custody, beside their entries: their former custodians, and, once they are sent, the
// id that an answer names and the time until which an answer is expected.
// Owned by StorageContext; one thread.
// A bundle that was never sent costs four octets here, one that was about 150.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "common/base/time.hpp"
#include "module/storage/core/index/entry_table.hpp"
#include "module/storage/core/state/potential_custodians.hpp"

namespace farlink::storage {

/// One custodian's time with a bundle, hashed. 0: not known.
using Tenure = std::uint32_t;

class CustodyTable {
public:
    /// A bundle that has been lent to a link since the start.
    struct Sent {
        std::optional<std::uint64_t> id;        ///< in its CTEB
        TimePoint due = kNever;                 ///< when no signal is expected any more
        std::uint8_t attempts = 0;              ///< transmissions that were not answered
        bool released = false;                  ///< answered while a link has it again
        bool refused = false;                   ///< by an answer to its last transmission
        CustodianSet potential_custodians = 0;  ///< the nodes that may answer for it
    };

    void set_tenure(EntryIndex index, Tenure tenure);
    [[nodiscard]] Tenure tenure(EntryIndex index) const {
        return index < tenures_.size() ? tenures_[index] : 0;
    }

    /// It is about to be lent, for the first time or again, and these may answer for it from now
    /// on.
    Sent &lend(EntryIndex index, std::optional<std::uint64_t> id,
               std::span<const NodeNumber> nodes);
    [[nodiscard]] Sent *find(EntryIndex index);
    /// All with an id from `first` to `last`, in order, to `found`.
    void collect(std::uint64_t first, std::uint64_t last, std::vector<EntryIndex> &found) const;
    /// There is one.
    [[nodiscard]] bool any(std::uint64_t first, std::uint64_t last) const {
        const auto at = by_id_.lower_bound(first);
        return at != by_id_.end() && at->first <= last;
    }
    [[nodiscard]] const PotentialCustodians &potential_custodians() const {
        return potential_custodians_;
    }

    /// Waits for a signal until `due`.
    void await(EntryIndex index, TimePoint due);
    void stop_waiting(EntryIndex index);
    /// One whose time has passed; kNoEntry when there is none.
    [[nodiscard]] EntryIndex pop_due(TimePoint now);
    [[nodiscard]] TimePoint next_timeout() const;

    /// The entry goes.
    void forget(EntryIndex index);

private:
    struct Timer {
        TimePoint due;
        EntryIndex index;
        friend auto operator<=>(const Timer &, const Timer &) = default;
    };
    [[nodiscard]] bool stands(const Timer &timer) const;
    void drop_fallen();

    std::vector<Tenure> tenures_;  ///< by entry
    std::unordered_map<EntryIndex, Sent> sent_;
    std::map<std::uint64_t, EntryIndex> by_id_;
    PotentialCustodians potential_custodians_;
    std::vector<Timer> timers_;  ///< a heap; one that does not stand any more goes at the top
};

}  // namespace farlink::storage
