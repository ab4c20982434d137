// SPDX-License-Identifier: Apache-2.0
#include "module/storage/core/state/copy_table.hpp"

#include <algorithm>

namespace farlink::storage {

void CopyTable::share(Entry &entry, std::uint64_t handle, std::uint64_t arrival,
                      std::uint8_t instance) {
    Shared &shared = shared_[handle];
    if (!entry.shared) {
        const Copy *const first = find(entry.arrival);
        shared.lent = first == nullptr || first->handle != handle;
        if (!shared.lent) shared.arrivals.push_back(entry.arrival);
        entry.shared = true;
    }
    shared.arrivals.push_back(arrival);
    copies_[arrival] = {.handle = handle, .instance = instance, .on_disk = true};
}

std::vector<std::uint64_t> CopyTable::open_of(std::size_t instance) const {
    std::vector<std::uint64_t> arrivals;
    for (const auto &[arrival, copy] : copies_)
        if (copy.instance == instance && !copy.sent && !copy.kept) arrivals.push_back(arrival);
    std::ranges::sort(arrivals);
    return arrivals;
}

bool CopyTable::leave_lent(std::uint64_t handle) {
    Shared &shared = shared_.at(handle);
    shared.lent = false;
    return !shared.arrivals.empty();
}

bool CopyTable::leave(Entry &entry, std::uint64_t handle, std::uint64_t arrival) {
    Shared &shared = shared_.at(handle);
    std::erase(shared.arrivals, arrival);
    if (!shared.arrivals.empty()) return true;
    const bool lent = shared.lent;
    shared_.erase(handle);
    entry.shared = false;
    return lent;
}

std::size_t CopyTable::end_sharing(Entry &entry, std::uint64_t handle) {
    const auto found = shared_.find(handle);
    const std::vector<std::uint64_t> arrivals = std::move(found->second.arrivals);
    for (const std::uint64_t arrival : arrivals) copies_.erase(arrival);
    shared_.erase(found);
    entry.shared = false;
    return arrivals.size();
}

}  // namespace farlink::storage
