// SPDX-License-Identifier: Apache-2.0
// Which bundles went with a log file that is cut short, emptied, swapped, damaged or gone, as far
// as its index or its own records still tell. Plain functions and values; the thread that opens the
// log. An index is written when its file has been flushed, so what it names was on disk.
#pragma once

#include <functional>
#include <optional>
#include <string>
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

/// A log file that has fewer octets than it had.
struct ShortFile {
    FileNumber file = 0;
    std::uint64_t bytes = 0;     ///< that it has
    std::uint64_t expected = 0;  ///< by its index, or reserved; 0: not known, the header is gone
    bool indexed = false;        ///< its index is there and names what is lost
    /// It ends behind a record: it may have been completed, too, if the index was not written.
    bool clean = false;
};
/// "log file 21 has 700 of 67108864 bytes: ...".
[[nodiscard]] std::string words_of(const ShortFile &found);

/// Whether `file` is shorter than its index states, or without one, than the room that was reserved
/// for it. `found` is what a scan has found; `youngest`: no file has a higher number.
[[nodiscard]] std::optional<ShortFile> find_short(LogDirectory &directory, FileNumber file,
                                                  const FileScan &found, bool youngest);

/// Whether the index of the file is there and valid.
[[nodiscard]] bool has_index(LogDirectory &directory, FileNumber file);

/// What of `file` is lost: records that its index names, or that `found` has as damaged or missing,
/// but for those that `found` has intact and those that are erased. `found` is null when the file
/// is gone.
[[nodiscard]] FileLoss loss_of(LogDirectory &directory, FileNumber file, const FileScan *found,
                               const std::function<bool(RecordNumber)> &erased);

}  // namespace farlink::storage
