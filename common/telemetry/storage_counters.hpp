// SPDX-License-Identifier: Apache-2.0
// The counters of storage, and which of them are sides of the ledger (ledger.hpp).
// Owned by the storage core; its thread is the only writer.
// Enumerators are indices into a CounterReport; tables follow.
#pragma once

#include "common/telemetry/counter_table.hpp"

namespace farlink::telemetry {

enum class StorageCounter : std::size_t {
    kRestored,
    kStoredNow,
    kStoredBytes,
    kStoredTotal,
    kStoredTotalBytes,
    kReleased,
    kReturned,
    kCopiesDropped,
    kExpired,
    kDuplicates,
    kRefused,
    kRefusedQuota,
    kDeletedToMakeRoom,
    kDeletedUnreadable,
    kFlushes,
    kIoErrors,
    kMoved,
    kDisksSetAside,
    kSegments,
    kBatches,
    kCount_,
};

inline constexpr std::array<CounterRow<StorageCounter>, 20> kStorageCounters{{
    {StorageCounter::kRestored,
     {"storage_restored", "bundles", "Bundles found on disk when the store was opened."}},
    {StorageCounter::kStoredNow,
     {"storage_stored_now", "bundles", "Bundles on disk that wait for their link.", true}},
    {StorageCounter::kStoredBytes,
     {"storage_stored_bytes", "bytes", "Octets of the bundles in storage_stored_now.", true}},
    {StorageCounter::kStoredTotal,
     {"storage_stored_total", "bundles", "Bundles written and flushed since the start."}},
    {StorageCounter::kStoredTotalBytes,
     {"storage_stored_total_bytes", "bytes", "Octets of the bundles in storage_stored_total."}},
    {StorageCounter::kReleased,
     {"storage_released", "bundles", "Stored bundles that egress has taken."}},
    {StorageCounter::kReturned,
     {"storage_returned", "bundles",
      "Released bundles that came back because the link went down."}},
    {StorageCounter::kCopiesDropped,
     {"storage_copies_dropped", "bundles",
      "Copies of bundles that their next hop has acknowledged meanwhile."}},
    {StorageCounter::kExpired,
     {"storage_expired", "bundles", "Stored bundles whose lifetime ended."}},
    {StorageCounter::kDuplicates,
     {"storage_duplicates", "bundles", "Bundles offered that equal one on disk."}},
    {StorageCounter::kRefused,
     {"storage_refused", "bundles", "Bundles offered that found no space."}},
    {StorageCounter::kRefusedQuota,
     {"storage_refused_quota", "bundles", "Of those in storage_refused, for want of a quota."}},
    {StorageCounter::kDeletedToMakeRoom,
     {"storage_deleted_to_make_room", "bundles", "Deleted: others needed their room."}},
    {StorageCounter::kDeletedUnreadable,
     {"storage_deleted_unreadable", "bundles", "Deleted: the disk did not give them back intact."}},
    {StorageCounter::kFlushes,
     {"storage_flushes", "flushes", "Times the disk was told to keep what was written."}},
    {StorageCounter::kIoErrors,
     {"storage_io_errors", "errors", "Reads, writes and flushes that failed."}},
    {StorageCounter::kMoved,
     {"storage_moved", "bundles", "Bundles moved out of mostly dead files, so that those go."}},
    {StorageCounter::kDisksSetAside,
     {"storage_disks_set_aside", "disks",
      "Disks that are not written any more because they failed again and again.", true}},
    {StorageCounter::kSegments, {"storage_segments", "files", "Log files that exist now.", true}},
    {StorageCounter::kBatches,
     {"storage_batches", "batches", "Batches of stored bundles sent to egress."}},
}};
static_assert(describes_all(kStorageCounters));

using StorageCounters = Counters<StorageCounter>;

}  // namespace farlink::telemetry
