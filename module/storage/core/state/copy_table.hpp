// SPDX-License-Identifier: Apache-2.0
// Copies of bundles that ingress has lent to egress, until their outcome is reported.
// Owned by StorageContext; one thread.
// A copy belongs to its original and goes with it. A copy that equals a bundle which
// is being sent already has no record of its own: it shares that one, which stays as long as any of
// them needs it. So a bundle that circles has no more records than it came in times.
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "module/storage/core/index/entry_table.hpp"

namespace farlink::storage {

class CopyTable {
public:
    /// It may still be on its way to the disk when its outcome is known.
    struct Copy {
        std::uint64_t handle = 0;   ///< of its record
        std::uint8_t instance = 0;  ///< of ingress
        bool on_disk = false;
        bool sent = false;
        bool kept = false;
    };

    /// A copy with a record of its own, by the arrival of its original.
    void add(std::uint64_t arrival, const Copy &copy) { copies_[arrival] = copy; }
    /// One that shares the record of an entry, which storage has lent or which is a copy itself.
    void share(Entry &entry, std::uint64_t handle, std::uint64_t arrival, std::uint8_t instance);
    /// Null when there is none, or none any more.
    [[nodiscard]] Copy *find(std::uint64_t arrival) {
        const auto found = copies_.find(arrival);
        return found == copies_.end() ? nullptr : &found->second;
    }
    void erase(std::uint64_t arrival) { copies_.erase(arrival); }
    /// The same, with what is known of it.
    [[nodiscard]] Copy take(std::uint64_t arrival) {
        const auto found = copies_.extract(arrival);
        return found.empty() ? Copy{} : found.mapped();
    }
    /// Those of an instance of ingress without an outcome yet, the oldest first.
    [[nodiscard]] std::vector<std::uint64_t> open_of(std::size_t instance) const;

    /// Of a shared record: storage itself has lent the bundle.
    [[nodiscard]] bool is_lent(std::uint64_t handle) const { return shared_.at(handle).lent; }
    /// It has come back from there. True when copies need the record.
    bool leave_lent(std::uint64_t handle);
    /// That copy, erased already, needs the shared record no more. True when others do.
    bool leave(Entry &entry, std::uint64_t handle, std::uint64_t arrival);
    /// No copy shares the record any more; returns how many did.
    std::size_t end_sharing(Entry &entry, std::uint64_t handle);

private:
    struct Shared {
        std::vector<std::uint64_t> arrivals;  ///< of the originals
        bool lent = false;
    };

    std::unordered_map<std::uint64_t, Copy> copies_;
    std::unordered_map<std::uint64_t, Shared> shared_;  ///< by handle
};

}  // namespace farlink::storage
