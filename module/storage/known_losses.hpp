// SPDX-License-Identifier: Apache-2.0
// The losses that the log has reported at earlier starts, so that none is counted twice.
// Plain functions; the storage agent's thread.
// A small text file beside the log files. Without it, or if it is damaged, losses are reported
// again.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "module/storage/disk/disk_io.hpp"

namespace farlink::storage {

/// Lost records by log file.
using KnownLosses = std::map<FileNumber, std::uint64_t>;

[[nodiscard]] KnownLosses read_known_losses(const std::string &folder);
/// Replaces what is known.
void keep_known_losses(const std::string &folder, const KnownLosses &losses);

}  // namespace farlink::storage
