// SPDX-License-Identifier: Apache-2.0
// The index beside a log file: saves reading every bundle of it when the log is opened.
// Plain functions; the log's thread.
// An index is a convenience: it is not flushed, and a file without a good one is scanned.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "module/storage/store/log/index_format.hpp"
#include "module/storage/store/log/log_scanner.hpp"

namespace farlink::storage {

enum class IndexFaultKind : std::uint8_t {
    kMissing = 0,   ///< the file was not completed in good order
    kDamaged = 1,   ///< torn, flipped, or of a later version
    kMismatch = 2,  ///< it is the index of something else
};
[[nodiscard]] std::string_view to_string(IndexFaultKind kind);

/// Why a log file had to be scanned.
struct IndexFault {
    IndexFaultKind kind = IndexFaultKind::kMissing;
    FileNumber file = 0;
};

/// The contents of a log file by its index. A log file that has lost its own header is served all
/// the same, and that damage named.
[[nodiscard]] Result<FileScan, IndexFault> read_index(LogDirectory &directory, FileNumber file);

/// Indexes without a log file among `files`; both ascending. An index is removed before its file,
/// so an index without a file shows that another program removed the file.
[[nodiscard]] std::vector<FileNumber> find_orphans(LogDirectory &directory,
                                                   std::span<const FileNumber> files);
/// Writes the index of a scanned file, in which no damage was found.
[[nodiscard]] Result<void, FileError> write_index(LogDirectory &directory, const FileScan &scan);

}  // namespace farlink::storage
