// SPDX-License-Identifier: Apache-2.0
// What is known of every file of the log while it is open: its mark, what lives in it, and the
// erasures that must outlive it.
// Owned by LogDisk; its thread only.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "module/storage/store/log/log_format.hpp"

namespace farlink::storage {

/// active -> sealed -> (evacuating -> evacuated -> covered -> dead) -> unlinked -> gone
enum class FileState : std::uint8_t {
    kActive,      ///< the one that is written
    kSealed,      ///< complete; read only
    kUnreadable,  ///< its header is lost: kept as it is, for a human
    kEvacuating,  ///< nothing lives in it, but erasures that are still needed must be copied
    kEvacuated,   ///< the copies are written
    kCovered,     ///< the copies are being flushed
    kDead,        ///< nothing needs it: it may be removed
    kUnlinked,    ///< removed, but the directory is not flushed yet
};

struct LogFile {
    FileState state = FileState::kSealed;
    std::uint64_t mark = 0;
    std::uint64_t bytes = 0;  ///< up to the end of the last record
    std::uint32_t live = 0;   ///< bundles not erased
    /// Records of other files whose erasure is in this file.
    std::vector<RecordNumber> erasures;
};

using LogFiles = std::map<FileNumber, LogFile>;

}  // namespace farlink::storage
