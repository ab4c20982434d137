// SPDX-License-Identifier: Apache-2.0
// Reads records back and verifies them: neighbours in the log and in memory with one call.
// Plain function; the log's thread.
// A record that is not what was written gets kDamaged; the others of the request are served.
#pragma once

#include <span>

#include "module/storage/store/log_directory.hpp"
#include "module/storage/store/log_files.hpp"

namespace farlink::storage {

void read_records(LogDirectory &directory, const LogFiles &files, std::span<DiskRecord> records);

}  // namespace farlink::storage
