// SPDX-License-Identifier: Apache-2.0
// Which bundles went with a log file that is cut short, emptied, swapped, damaged or gone, as far
// as its index or its own records still tell. Plain functions and values; the thread that opens the
// log. An index is written when its file has been flushed, so what it names was on disk.
#pragma once

#include <functional>
#include <vector>

#include "module/storage/store/directory/log_directory.hpp"
#include "module/storage/store/log/file_scan.hpp"

namespace farlink::storage {

struct LostBundle {
    RecordNumber number = 0;
    std::uint64_t bytes = 0;  ///< of the bundle; 0 when it is not known
    Bytes label;              ///< of its record: its destination
};

struct FileLoss {
    static constexpr std::size_t kMostNamed = 20;

    FileNumber file = 0;
    std::uint64_t bundles = 0;
    std::vector<LostBundle> named;  ///< the first of them
};

/// What of `file` is lost: records that its index names, or that `found` has as damaged or missing,
/// but for those that `found` has intact and those that are erased. `found` is null when the file
/// is gone.
[[nodiscard]] FileLoss loss_of(LogDirectory &directory, FileNumber file, const FileScan *found,
                               const std::function<bool(RecordNumber)> &erased);

}  // namespace farlink::storage
