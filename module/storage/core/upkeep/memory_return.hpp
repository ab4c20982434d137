// SPDX-License-Identifier: Apache-2.0
// Frees the memory that very many bundles and destinations have taken, once they have gone.
// Owned by StorageCore; one thread.
// Tables with little in them are kept as they are, or storage would pay for them after each pause.
#pragma once

#include <algorithm>

#include "module/storage/core/state/storage_context.hpp"

namespace farlink::storage {

class MemoryReturn {
public:
    explicit MemoryReturn(StorageContext &context) : context_(context) {}

    /// For once a second. About how many octets were freed since the last call, if they are many.
    [[nodiscard]] std::uint64_t poll() {
        context_.requests.free_unused();  // not counted: their use changes all the time
        return free_index() + freed_destinations() + context_.inventory.backlogs().free_empty();
    }

private:
    static constexpr std::size_t kMany = 16 * 1024;

    /// The tables of bundles, when there is none. Requests at a disk name places in them.
    [[nodiscard]] std::uint64_t free_index() {
        Inventory &inventory = context_.inventory;
        if (inventory.count() > 0) return 0;
        if (!std::ranges::all_of(context_.placement.volumes(), &Volume::idle)) return 0;
        const std::size_t before = inventory.memory_bytes();
        inventory.give_back();
        return before - inventory.memory_bytes();
    }
    /// A destination frees its memory with its last bundle; more than half of them have gone.
    [[nodiscard]] std::uint64_t freed_destinations() {
        const std::size_t now = context_.inventory.destinations().held_destinations();
        most_destinations_ = std::max(most_destinations_, now);
        const std::size_t gone = most_destinations_ - now;
        if (gone < kMany || gone < now) return 0;
        most_destinations_ = now;
        return gone * DestinationTable::kOctetsEach;
    }

    StorageContext &context_;
    std::size_t most_destinations_ = 0;  ///< since the last ones that have gone
};

}  // namespace farlink::storage
