// SPDX-License-Identifier: Apache-2.0
// The bundles of one flow on disk, in the order of their arrival: a list through the entries.
// Owned by DestinationTable; one thread.
// A bundle stays at its place while it is read and lent out, so a bundle that comes back unsent is
// again where it belongs. `cursor_` is the first that may wait; nothing before it does.
#pragma once

#include "module/storage/core/index/entry_table.hpp"

namespace farlink::storage {

class FlowQueue {
public:
    /// Puts a waiting bundle at its place. Costs nothing for the youngest and the oldest, and a
    /// step for each bundle between its place and the last one inserted otherwise.
    void insert(EntryTable &entries, EntryIndex index);
    void remove(EntryTable &entries, EntryIndex index);

    /// The oldest that waits; kNoEntry when none does.
    [[nodiscard]] EntryIndex first_waiting(const EntryTable &entries);
    /// The oldest that waits and may be deleted to make room; kNoEntry when there is none.
    [[nodiscard]] EntryIndex first_spare(const EntryTable &entries);
    /// The bundle waits no more; it stays at its place.
    void take(EntryTable &entries, EntryIndex index, EntryState to = EntryState::kReading);
    /// A bundle that was taken, or is aside, waits again.
    void give_back(EntryTable &entries, EntryIndex index);
    /// A bundle that was taken waits no more, and may be deleted to make room.
    void set_aside(EntryTable &entries, EntryIndex index);

    /// The oldest, in whatever state; kNoEntry when the queue is empty.
    [[nodiscard]] EntryIndex first() const { return head_; }
    /// How many wait.
    [[nodiscard]] std::uint32_t waiting() const { return waiting_; }
    [[nodiscard]] std::uint64_t waiting_bytes() const { return waiting_bytes_; }

private:
    void begin_waiting(EntryTable &entries, EntryIndex index);
    void link(EntryTable &entries, EntryIndex index, EntryIndex after);
    void step_back(const EntryTable &entries, EntryIndex index);
    static void step_back(EntryIndex &cursor, const EntryTable &entries, EntryIndex index);

    EntryIndex head_ = kNoEntry;
    EntryIndex tail_ = kNoEntry;
    EntryIndex hint_ = kNoEntry;  ///< where the last insertion was
    EntryIndex cursor_ = kNoEntry;
    EntryIndex spare_ = kNoEntry;  ///< the same for those that may be deleted
    std::uint32_t waiting_ = 0;
    std::uint64_t waiting_bytes_ = 0;
};

}  // namespace farlink::storage
