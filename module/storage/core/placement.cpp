// SPDX-License-Identifier: Apache-2.0
#include "module/storage/core/placement.hpp"

#include <algorithm>
#include <tuple>

namespace farlink::storage {

Placement::Placement(const config::StorageConfig &config, const Inventory &inventory)
    : inventory_(inventory),
      capacity_bytes_(config.capacity_bytes),
      reserve_bytes_(std::min(config.expedited_reserve_bytes, config.capacity_bytes)),
      largest_room_bytes_(config.largest_room_bytes()) {
    FARLINK_INVARIANT(config.disks.size() <= kMaxDisks);
    for (const config::StorageDiskConfig &disk : config.disks)
        volumes_.emplace_back(config.group_commit_window,
                              disk.capacity_bytes == 0 ? capacity_bytes_ : disk.capacity_bytes);
    if (volumes_.empty()) volumes_.emplace_back(config.group_commit_window, capacity_bytes_);
    // A reserve is one of what there is, not of what the disks cannot hold.
    std::uint64_t sum = 0;
    for (const Volume &volume : volumes_)
        sum += std::min(volume.capacity_bytes(), capacity_bytes_ - sum);
    capacity_bytes_ = sum;
    reserve_bytes_ = std::min(reserve_bytes_, capacity_bytes_);
}

bool Placement::has_room(DiskIndex disk, std::uint64_t bytes) const {
    const Volume &volume = volumes_[disk];
    return !volume.is_set_aside() && bytes <= volume.capacity_bytes() &&
           inventory_.disk_bytes(disk) <= volume.capacity_bytes() - bytes;
}

std::optional<DiskIndex> Placement::choose(std::uint64_t bytes, Priority priority,
                                           std::optional<DiskIndex> preferred,
                                           TimePoint now) const {
    const std::uint64_t limit = limit_for(priority);
    if (bytes > limit || inventory_.disk_bytes() > limit - bytes) return std::nullopt;
    if (preferred && has_room(*preferred, bytes)) return preferred;
    // The disk that will be done first; of idle ones the emptier, so that they take turns.
    const auto rank = [&](DiskIndex disk) {
        const Volume &volume = volumes_[disk];
        return std::tuple(volume.doubtful(now), volume.expected_seconds(),
                          inventory_.disk_bytes(disk));
    };
    std::optional<DiskIndex> best;
    for (std::size_t at = 0; at < volumes_.size(); ++at) {
        const auto disk = static_cast<DiskIndex>(at);
        if (has_room(disk, bytes) && (!best || rank(disk) < rank(*best))) best = disk;
    }
    return best;
}

bool Placement::set_aside(DiskIndex disk) {
    const auto in_use = [](const Volume &volume) { return !volume.is_set_aside(); };
    if (!in_use(volumes_[disk]) || std::ranges::count_if(volumes_, in_use) < 2) return false;
    volumes_[disk].set_aside();
    return true;
}

}  // namespace farlink::storage
