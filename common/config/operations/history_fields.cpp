// SPDX-License-Identifier: Apache-2.0
#include "common/config/operations/history_fields.hpp"

#include <algorithm>
#include <filesystem>

#include "common/config/fields/byte_units.hpp"

namespace farlink::config {
namespace {

/// Equal for different spellings of the same folder.
std::filesystem::path plain(const std::string &text) {
    const auto path = std::filesystem::path(text).lexically_normal();
    return path.has_filename() ? path : path.parent_path();
}

std::vector<Field<HistoryConfig>> limits() {
    return {
        {{.key = "eventDays",
          .kind = FieldKind::kInteger,
          .unit = "days",
          .minimum = 1,
          .maximum = 3660,
          .fallback = std::uint64_t{30},
          .help = "How long events are kept."},
         &HistoryConfig::event_days},
        {{.key = "rateDays",
          .kind = FieldKind::kInteger,
          .unit = "days",
          .minimum = 1,
          .maximum = 366,
          .fallback = std::uint64_t{7},
          .help = "How long rates are kept in steps of 60 s. In steps of 10 s they are kept for a "
                  "day, in steps of 1 s for an hour in memory."},
         &HistoryConfig::rate_days},
        {{.key = "maxBytes",
          .kind = FieldKind::kInteger,
          .unit = "bytes",
          .minimum = kMiB,
          .maximum = kTiB,
          .fallback = 128 * kMiB,
          .help = "Disk space that the history may use, without the records of `bundles`. When it "
                  "is used up, the oldest files are deleted."},
         &HistoryConfig::max_bytes},
        {{.key = "freeSpaceBytes",
          .kind = FieldKind::kInteger,
          .unit = "bytes",
          .minimum = 0,
          .maximum = kTiB,
          .fallback = 256 * kMiB,
          .help = "Free space of the file system below which no history is written. If a disk of "
                  "the store is on the same file system, the oldest history is deleted first."},
         &HistoryConfig::free_space_bytes},
        {{.key = "bundles",
          .kind = FieldKind::kInteger,
          .unit = "records",
          .minimum = 0,
          .maximum = 1'000'000'000,
          .fallback = std::uint64_t{1'000'000},
          .help = "Number of records of past bundles that each module keeps: when the bundle "
                  "left, by which link and why, for `farlinkctl bundle find`. A record takes 64 "
                  "bytes on disk and as many in the page cache while it is written, two or more "
                  "times 64 for a fragment or a `dtn` name. 0: none are kept."},
         &HistoryConfig::bundles},
    };
}

}  // namespace

const Table<HistoryConfig> &history_table() {
    static const Table<HistoryConfig> table = [] {
        std::vector<Field<HistoryConfig>> fields{
            {{.key = "enabled",
              .kind = FieldKind::kBoolean,
              .fallback = true,
              .help = "`false`: nothing is written; events and an hour of rates are in memory."},
             &HistoryConfig::enabled},
            {{.key = "folder",
              .kind = FieldKind::kText,
              .computed_default = "`history` in `stateFolder`",
              .help = "Folder of the files, created if missing; relative to the folder of the "
                      "configuration file. Two nodes must not share one."},
             &HistoryConfig::folder},
            {{.key = "bundlesFolder",
              .kind = FieldKind::kText,
              .computed_default = "`bundles` in `folder`",
              .help = "Folder of the records of `bundles`; relative to the folder of the "
                      "configuration file. In a `tmpfs` they need no disk writes, and are lost "
                      "when the machine stops."},
             &HistoryConfig::bundles_folder},
        };
        append_fields(fields, limits());
        return Table<HistoryConfig>{
            "history",
            "Events, rates, totals and past bundles on disk, which survive a restart. They are "
            "kept by a node with `api` or `controlSocket`. See [control.md](control.md).",
            std::move(fields)};
    }();
    return table;
}

void check_history(const HistoryConfig &history, std::span<const std::string> store_folders,
                   std::vector<ConfigError> &errors) {
    const auto check = [&](const char *key, const std::string &folder) {
        const bool taken =
            !folder.empty() && std::ranges::any_of(store_folders, [&](const std::string &store) {
                return !store.empty() && plain(store) == plain(folder);
            });
        if (taken) errors.push_back({key, "found a folder of the store", "another folder", {}});
    };
    check("history.folder", history.folder);
    check("history.bundlesFolder", history.bundles_folder);
}

}  // namespace farlink::config
