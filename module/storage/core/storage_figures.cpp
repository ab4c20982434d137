// SPDX-License-Identifier: Apache-2.0
#include "module/storage/core/storage_figures.hpp"

namespace farlink::storage {
namespace {

/// A disk with less than this part of its capacity free is called full.
constexpr std::uint64_t kFullPart = 100;

}  // namespace

bus::DiskState StorageFigures::disk_state(DiskIndex disk) const {
    if (is_set_aside(disk)) return bus::DiskState::kSetAside;
    if (trouble(disk) == DiskTrouble::kFailing) return bus::DiskState::kFailing;
    const std::uint64_t capacity = volume(disk).capacity_bytes();
    const bool full = context_.inventory.usage().bytes_on(disk) >= capacity - capacity / kFullPart;
    return full || trouble(disk) == DiskTrouble::kFull ? bus::DiskState::kFull
                                                       : bus::DiskState::kOk;
}

bus::DiskReport StorageFigures::disk_report(DiskIndex disk) const {
    return {.path = {},
            .state = disk_state(disk),
            .used_bytes = context_.inventory.usage().bytes_on(disk),
            .capacity_bytes = volume(disk).capacity_bytes()};
}

std::optional<Unreadable> StorageFigures::poll_unreadable() {
    if (context_.unreadable.empty()) return std::nullopt;
    return context_.unreadable.pop_front();
}

std::uint64_t StorageFigures::overdue() const {
    const DtnTime now = context_.clock.dtn_at(context_.clock.read_at());
    std::uint64_t count = 0;
    context_.inventory.entries().for_each_held(
        [&](const Entry &entry) { count += entry.counts() && entry.expiry <= now ? 1 : 0; });
    return count;
}

// If all of this is as it was, so are the figures, except for the time of the next expiry.
void StorageFigures::survey_pending() {
    const Surveyed now{context_.inventory.changes(), context_.inventory.usage().bytes(),
                       context_.counters.value(StorageCounter::kStoredNow)};
    if (survey_.running() || surveyed_ == now) return;
    surveyed_ = now;
    survey_.start();
}

std::optional<PendingSurvey::Result> StorageFigures::poll_survey() {
    return survey_.step(context_.inventory.destinations(), context_.inventory.entries());
}

}  // namespace farlink::storage
