// SPDX-License-Identifier: Apache-2.0
// How many octets the held records take: on each disk, of each priority, and in custody.
// Owned by Inventory; one thread.
// Unreadable bundles count on their disk only.
#pragma once

#include <array>
#include <cstdint>

#include "common/base/invariant.hpp"
#include "common/base/types.hpp"
#include "module/storage/disk/disk_io.hpp"

namespace farlink::storage {

class StoreUsage {
public:
    /// A record on the disk is held, or no longer held.
    void count_record(DiskIndex disk, std::uint64_t bytes, bool held) {
        std::uint64_t &on_disk = on_disk_[disk];
        FARLINK_INVARIANT(held || on_disk >= bytes);
        count(on_disk, bytes, held);
        count(all_, bytes, held);
    }
    /// The same for all records of a bundle that can be read.
    void count_bundle(Priority priority, bool in_custody, std::uint64_t bytes, bool held) {
        const auto at = static_cast<std::size_t>(priority);
        count(of_priority_[at], bytes, held);
        if (in_custody) count(in_custody_[at], bytes, held);
    }

    /// Of all disks.
    [[nodiscard]] std::uint64_t bytes() const { return all_; }
    [[nodiscard]] std::uint64_t bytes_on(DiskIndex disk) const { return on_disk_[disk]; }
    [[nodiscard]] std::uint64_t bytes_of(Priority priority) const {
        return of_priority_[static_cast<std::size_t>(priority)];
    }
    /// The same of the bundles that this node is custodian of.
    [[nodiscard]] std::uint64_t custody_bytes(Priority priority) const {
        return in_custody_[static_cast<std::size_t>(priority)];
    }

private:
    static void count(std::uint64_t &sum, std::uint64_t bytes, bool held) {
        sum = held ? sum + bytes : sum - bytes;
    }

    std::uint64_t all_ = 0;
    std::array<std::uint64_t, kMaxDisks> on_disk_{};
    std::array<std::uint64_t, kPriorityCount> of_priority_{};
    std::array<std::uint64_t, kPriorityCount> in_custody_{};
};

}  // namespace farlink::storage
