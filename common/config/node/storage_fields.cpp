// SPDX-License-Identifier: Apache-2.0
#include "common/config/node/storage_fields.hpp"

#include "common/config/fields/byte_units.hpp"
#include "common/config/node/reassembly_fields.hpp"

namespace farlink::config {
namespace {

const Table<StorageDiskConfig> &storage_disk_table() {
    static const Table<StorageDiskConfig> table{
        "storageDiskConfigVector[]",
        "One disk of the store. Bundles are distributed over the disks by the load of each, so "
        "that their rates add up; a disk that fails is set aside and the others continue. Folders "
        "on one disk share its rate.",
        {
            {{.key = "name",
              .kind = FieldKind::kText,
              .computed_default = "the folder",
              .help = "Name of the disk in the log; unique."},
             &StorageDiskConfig::name},
            {{.key = "storeFilePath",
              .kind = FieldKind::kText,
              .required = true,
              .help = "Folder of this disk's log, created if missing; relative to the folder of "
                      "the configuration file."},
             &StorageDiskConfig::directory},
            {{.key = "capacityBytes",
              .kind = FieldKind::kInteger,
              .unit = "bytes",
              .minimum = 64 * kKiB,
              .maximum = 1024 * kTiB,
              .computed_default = "`totalStorageCapacityBytes`",
              .help = "Disk space that the store may use on this disk. At least `segmentBytes`."},
             &StorageDiskConfig::capacity_bytes},
        }};
    return table;
}

const Table<StorageQuota> &storage_quota_table() {
    static const Table<StorageQuota> table{
        "quotas[]",
        "Maximum share of the store for the bundles from, or to, certain endpoints. Each quota has "
        "either a source or a destination; a bundle counts in every quota that matches.",
        {
            {{.key = "source",
              .kind = FieldKind::kText,
              .help = "Endpoint from which the bundles come, or a pattern: `ipn:10.*`, "
                      "`dtn://name/*`."},
             &StorageQuota::source},
            {{.key = "destination",
              .kind = FieldKind::kText,
              .help = "Endpoint of the bundles' destination, or a pattern."},
             &StorageQuota::destination},
            {{.key = "capacityBytes",
              .kind = FieldKind::kInteger,
              .required = true,
              .unit = "bytes",
              .minimum = 1,
              .maximum = 1024 * kTiB,
              .help = "Disk space that these bundles may use together."},
             &StorageQuota::capacity_bytes},
        }};
    return table;
}

std::vector<Field<StorageConfig>> storage_limits() {
    return {
        {{.key = "compactionThresholdBytes",
          .kind = FieldKind::kInteger,
          .unit = "bytes",
          .minimum = 0,
          .maximum = 1024 * kTiB,
          .fallback = 256 * kMiB,
          .help = "When the dead data in the files of a disk are not less than this size, nor "
                  "less than the live data, the live bundles of a file that is mostly dead are "
                  "moved, so that the file can be deleted. 0: only by `farlinkctl storage "
                  "compact`."},
         &StorageConfig::compaction_threshold_bytes},
        {{.key = "reserveForExpeditedBytes",
          .kind = FieldKind::kInteger,
          .unit = "bytes",
          .minimum = 0,
          .maximum = 1024 * kTiB,
          .fallback = std::uint64_t{0},
          .help = "Part of `totalStorageCapacityBytes` that only expedited bundles may use."},
         &StorageConfig::expedited_reserve_bytes},
        {{.key = "whenFull",
          .kind = FieldKind::kChoice,
          .fallback = std::string_view("refuse"),
          .choices = {"refuse", "makeRoom"},
          .help = "Handling of a bundle without room. `refuse`: its sender keeps it. `makeRoom`: "
                  "stored bundles are deleted for it: first expired ones, then those of the lowest "
                  "priority, the oldest first. No bundle of a higher priority, no bundle in "
                  "custody, no critical bundle and no fragment of an incomplete set is deleted."},
         [](StorageConfig &to, const Value &value) {
             to.when_full =
                 value.as<std::string>() == "makeRoom" ? WhenFull::kMakeRoom : WhenFull::kRefuse;
         }},
        {{.key = "quotas",
          .kind = FieldKind::kList,
          .section = &storage_quota_table().info(),
          .help = "Limits by source and by destination, at most 64."},
         [](StorageConfig &to, const Value &value) {
             to.quotas = storage_quota_table().build_all(value.as<List>());
         }},
    };
}

std::vector<Field<StorageConfig>> storage_place() {
    return {
        {{.key = "storeFilePath",
          .kind = FieldKind::kText,
          .computed_default = "`farlink-store-<myNodeId>`",
          .help = "Folder of the store, created if missing; relative to the folder of the "
                  "configuration file. Two nodes must not share one. For several disks use "
                  "`storageDiskConfigVector` instead."},
         &StorageConfig::directory},
        {{.key = "storageDiskConfigVector",
          .kind = FieldKind::kList,
          .section = &storage_disk_table().info(),
          .help = "The disks of the store, at most 16, instead of `storeFilePath`."},
         [](StorageConfig &to, const Value &value) {
             to.disks = storage_disk_table().build_all(value.as<List>());
         }},
        {{.key = "totalStorageCapacityBytes",
          .kind = FieldKind::kInteger,
          .unit = "bytes",
          .minimum = 64 * kKiB,
          .maximum = 1024 * kTiB,
          .fallback = 16 * kGiB,
          .help = "Disk space that the store may use, on all disks together; see `whenFull`."},
         &StorageConfig::capacity_bytes},
        {{.key = "segmentBytes",
          .kind = FieldKind::kInteger,
          .unit = "bytes",
          .minimum = 64 * kKiB,
          .maximum = kGiB,
          .fallback = 64 * kMiB,
          .help = "Size of one file of the log. Space is reclaimed in whole files, so small files "
                  "suit small stores. At most `totalStorageCapacityBytes`."},
         &StorageConfig::segment_bytes},
        {{.key = "groupCommitWindowMilliseconds",
          .kind = FieldKind::kInteger,
          .unit = "milliseconds",
          .minimum = 0,
          .maximum = 1000,
          .fallback = std::uint64_t{5},
          .help = "Maximum time that a written bundle waits for others before the disk is flushed "
                  "for all of them. This is a maximum: an idle disk flushes immediately."},
         &StorageConfig::group_commit_window},
    };
}

std::vector<Field<StorageConfig>> storage_of_large_bundles() {
    return {
        {{.key = "stripeAboveBytes",
          .kind = FieldKind::kInteger,
          .unit = "bytes",
          .minimum = 0,
          .maximum = kTiB,
          .fallback = 4 * kMiB,
          .help = "Larger bundles are cut into stripes, one on each disk, so that they are written "
                  "and read at the combined rate of all disks; such a bundle cannot be sent while "
                  "a disk is missing. 0: every bundle is on one disk. Below 64 KiB stripes cost "
                  "more than they gain."},
         &StorageConfig::stripe_above_bytes},
        {{.key = "spoolAboveBytes",
          .kind = FieldKind::kInteger,
          .unit = "bytes",
          .minimum = 0,
          .maximum = kTiB,
          .fallback = 64 * kMiB,
          .help = "A larger bundle that arrives by TCPCL, STCP, MTCP or LTP, or from an "
                  "application, is written to disk while it arrives and read while it leaves, so "
                  "that its size may exceed the memory. The limit in force is never above a "
                  "quarter of `bufferBytes`: 32 MiB by default. TCPCL, MTCP and LTP carry up to "
                  "64 GiB, STCP up to 4 GiB. Such a bundle is not cut through, cut, joined with "
                  "other fragments, taken into custody, sent by several routes, sent by UDP, or "
                  "delivered to services and applications of this node. 0: never; every bundle is "
                  "in memory as a whole."},
         &StorageConfig::spool_above_bytes},
        {{.key = "reassembly",
          .kind = FieldKind::kObject,
          .section = &reassembly_table().info(),
          .help = "Limits for joining fragments."},
         [](StorageConfig &to, const Value &value) {
             to.reassembly = reassembly_table().build(value.as<Object>());
         }},
        {{.key = "overtakeStored",
          .kind = FieldKind::kBoolean,
          .fallback = false,
          .help = "While bundles to an endpoint are stored, new ones of the same priority are "
                  "stored after them. `true`: new bundles are sent immediately if their link is "
                  "up; the order is then lost."},
         &StorageConfig::overtake},
    };
}

std::vector<Field<StorageConfig>> storage_of_tests() {
    return {
        {{.key = "restore",
          .kind = FieldKind::kBoolean,
          .fallback = true,
          .help = "`false`: bundles that an earlier run has stored are deleted when the node, or "
                  "its storage, starts. For test set-ups: a node that stops loses its bundles."},
         &StorageConfig::restore},
        {{.key = "deleteOnExit",
          .kind = FieldKind::kBoolean,
          .fallback = false,
          .help = "`true`: the files of the store, and the bundles in them, are deleted when the "
                  "node has ended on request. For test set-ups."},
         &StorageConfig::delete_on_exit},
    };
}

}  // namespace

const Table<StorageConfig> &storage_table() {
    static const Table<StorageConfig> table = [] {
        std::vector<Field<StorageConfig>> fields = storage_place();
        append_fields(fields, storage_of_large_bundles());
        append_fields(fields, storage_limits());
        append_fields(fields, storage_of_tests());
        return Table<StorageConfig>{"storageConfig", "Storage of bundles whose link is down.",
                                    std::move(fields)};
    }();
    return table;
}

}  // namespace farlink::config
