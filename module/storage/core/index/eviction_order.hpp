// SPDX-License-Identifier: Apache-2.0
// Which bundle goes first to make room: the oldest of a priority, over all flows.
// Owned by Inventory; one thread.
// A heap of flows for each set of quotas, by an arrival number that no bundle that may go precedes:
// it is corrected when the flow comes to the top. So the next victim costs the same for one flow
// and a million.
#pragma once

#include <array>
#include <map>
#include <vector>

#include "module/storage/core/index/destination_table.hpp"

namespace farlink::storage {

class EvictionOrder {
public:
    explicit EvictionOrder(DestinationTable &destinations) : destinations_(destinations) {}

    /// A bundle of that flow waits and may be deleted.
    void offer(FlowIndex index, std::uint64_t arrival) {
        if (arrival < destinations_.flow(index).eviction_key) list(index, arrival);
    }
    /// The oldest of that priority; with `blocking` only of flows in one of those quotas. kNoEntry
    /// when there is none.
    [[nodiscard]] EntryIndex oldest(const EntryTable &entries, Priority priority,
                                    QuotaSet blocking);
    /// Gives memory back when there is no destination.
    void give_back() {
        if (destinations_.held_destinations() > 0) return;
        for (auto &of_priority : heaps_) of_priority.clear();
        size_ = 0;
    }
    /// How many places the heaps have.
    [[nodiscard]] std::size_t size() const { return size_; }

private:
    struct Place {
        std::uint64_t arrival = 0;
        FlowIndex flow = kNoFlow;
        friend auto operator<=>(const Place &, const Place &) = default;
    };
    using Heap = std::vector<Place>;

    void list(FlowIndex index, std::uint64_t arrival);
    [[nodiscard]] EntryIndex top(const EntryTable &entries, QuotaSet quotas, Heap &heap);
    [[nodiscard]] bool stands(const Place &place, QuotaSet quotas);
    void drop_fallen();

    DestinationTable &destinations_;
    std::array<std::map<QuotaSet, Heap>, kPriorityCount> heaps_;
    std::size_t size_ = 0;
};

}  // namespace farlink::storage
