// SPDX-License-Identifier: Apache-2.0
// Reads one log file from end to end, as it is found at start: records, erasures, and damage.
// Plain function; the thread that opens the log.
// A damaged place costs the record that it hits: reading goes on at the next record.
#pragma once

#include <optional>

#include "common/base/result.hpp"
#include "module/storage/store/directory/log_directory.hpp"
#include "module/storage/store/log/file_scan.hpp"

namespace farlink::storage {

/// The header of a log file or its copy; empty when neither can be read.
[[nodiscard]] std::optional<FileHeader> read_file_header(LogDirectory &directory, FileNumber file);

/// `last`: no younger file holds a good record, so the end of this one may never have been flushed.
[[nodiscard]] Result<FileScan, FileError> scan_file(LogDirectory &directory, FileNumber file,
                                                    bool last);

}  // namespace farlink::storage
