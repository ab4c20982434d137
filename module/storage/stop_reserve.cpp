// SPDX-License-Identifier: Apache-2.0
#include "module/storage/stop_reserve.hpp"

#include <sys/resource.h>

#include <algorithm>
#include <limits>
#include <system_error>

#include "common/base/disk_cost.hpp"
#include "module/storage/store/store_room.hpp"

namespace farlink::storage {
namespace {

/// Free room in octets, below which a reserve does not grow.
constexpr std::uint64_t kWorthATry = 64 * 1024;
/// 0 would mean that there is no reserve yet.
constexpr std::uint64_t kLeastMemory = 64 * 1024;

/// `LimitFSIZE=`: no file becomes larger.
std::uint64_t largest_file() {
    rlimit limit{};
    return ::getrlimit(RLIMIT_FSIZE, &limit) == 0 ? limit.rlim_cur
                                                  : std::numeric_limits<std::uint64_t>::max();
}

}  // namespace

void StopReserve::take(const std::deque<StorageDisk> &disks) {
    const auto open = static_cast<std::uint64_t>(std::ranges::count_if(disks, &StorageDisk::open));
    for (const StorageDisk &disk : disks) {
        if (!disk.open) continue;
        Part &part = parts_.emplace_back(Part{.disk = disk.name,
                                              .folder = disk.directory,
                                              .reserve = StoreReserve(disk.directory),
                                              .share = std::min(bytes_ / open, largest_file())});
        take(part);
    }
}

void StopReserve::take(Part &part) {
    fill(part);
    if (part.reserve.error() != 0) {
        unsupported_ = true;
        part.reserve.give_back();
        log_.warn(
            "disk {}: cannot take a reserve of {} bytes: {}; bundles in memory may be lost if the "
            "disk is full when the node stops",
            part.disk, part.share, std::generic_category().message(part.reserve.error()));
    } else if (part.is_short()) {
        log_.warn(
            "disk {}: full: the reserve has {} of {} bytes; until it is complete, the store "
            "accepts no bundles, and STCP and MTCP inducts do not listen, because the node could "
            "not store their bundles when it stops",
            part.disk, part.reserve.bytes(), part.aim);
    } else if (part.aim < part.share) {
        log_.warn(
            "disk {}: too small for a reserve of {} bytes: reserved {} bytes, and the memory for "
            "bundles in transit is limited accordingly",
            part.disk, part.share, part.aim);
    }
}

/// Only an attempt shows the room that a quota leaves: then the reserve has all of it, and gives
/// back what is more than half.
void StopReserve::fill(Part &part) {
    part.room = used_bytes_at(part.folder) + free_bytes_at(part.folder);
    part.aim = std::min(part.share, part.room / 2);
    part.reserve.grow(part.aim);
    if (!part.is_short()) return;
    const std::uint64_t used = std::max(used_bytes_at(part.folder), part.reserve.bytes());
    part.aim = std::min(part.aim, used / 2);
    part.reserve.shrink(part.aim);
}

bool StopReserve::grow() {
    if (unsupported_) return false;
    const std::uint64_t before = memory_bytes();
    for (Part &part : parts_) {
        if (part.aim == part.share && !part.is_short()) continue;
        const std::uint64_t free = free_bytes_at(part.folder);
        if (part.is_short()) {
            if (free < kWorthATry) continue;
            fill(part);
            if (!part.is_short()) log_.info("disk {}: the reserve is complete", part.disk);
        } else if (used_bytes_at(part.folder) + free > part.room + part.room / 4) {
            fill(part);
        }
    }
    return memory_bytes() != before;
}

void StopReserve::give_back() {
    for (Part &part : parts_) part.reserve.give_back();
    parts_.clear();
}

bool StopReserve::is_complete() const {
    if (unsupported_ || parts_.empty()) return true;
    return std::ranges::none_of(parts_, &Part::is_short) &&
           !std::ranges::all_of(parts_, &Part::has_nothing);
}

bool StopReserve::is_short(const std::string &folder) const {
    return !is_complete() && std::ranges::any_of(parts_, [&](const Part &part) {
        return part.folder == folder && (part.is_short() || part.has_nothing());
    });
}

std::uint64_t StopReserve::memory_bytes() const {
    if (unsupported_) return std::numeric_limits<std::uint64_t>::max();
    if (!is_complete()) return 0;
    std::uint64_t sum = 0;
    for (const Part &part : parts_) sum += part.reserve.bytes();
    return std::max(sum / kDiskPerMemory, kLeastMemory);
}

}  // namespace farlink::storage
