// SPDX-License-Identifier: Apache-2.0
// What storage tells of its disks and of what waits in them, for people.
#include <utility>

#include "module/storage/core/storage_core.hpp"

namespace farlink::storage {
namespace {

/// A disk with less than this part of its capacity free is called full.
constexpr std::uint64_t kFullPart = 100;

}  // namespace

bus::DiskState StorageCore::disk_state(DiskIndex disk) const {
    const Volume &volume = context_.placement.volumes()[disk];
    if (volume.is_set_aside()) return bus::DiskState::kSetAside;
    if (volume.trouble() == DiskTrouble::kFailing) return bus::DiskState::kFailing;
    const std::uint64_t capacity = volume.capacity_bytes();
    const bool full = context_.inventory.disk_bytes(disk) >= capacity - capacity / kFullPart;
    return full || volume.trouble() == DiskTrouble::kFull ? bus::DiskState::kFull
                                                          : bus::DiskState::kOk;
}

bus::DiskReport StorageCore::disk_report(DiskIndex disk) const {
    return {.path = {},
            .state = disk_state(disk),
            .used_bytes = context_.inventory.disk_bytes(disk),
            .capacity_bytes = context_.placement.volumes()[disk].capacity_bytes()};
}

// What changes nothing of this changes nothing of the figures, but for the time of the next expiry.
void StorageCore::survey_pending() {
    const Surveyed now{context_.inventory.changes(), context_.inventory.disk_bytes(),
                       context_.counters.value(StorageCounter::kStoredNow)};
    if (survey_.running() || surveyed_ == now) return;
    surveyed_ = now;
    survey_.start();
}

std::optional<PendingSurvey::Result> StorageCore::poll_survey() {
    return survey_.step(context_.inventory.destinations(), context_.inventory.entries());
}

}  // namespace farlink::storage
