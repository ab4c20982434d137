// SPDX-License-Identifier: Apache-2.0
// Which files of the history are deleted: those beyond their days, and the oldest when the history
// needs more room than it may have.
// Plain functions on values.
// Any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "common/config/operations/history_config.hpp"
#include "module/telemetry/core/history/history_file.hpp"

namespace farlink::telemetry {

struct KeptFile {
    HistoryFile file;
    std::uint64_t bytes = 0;
};

/// Whether the file has only contents that are older than the configuration keeps.
[[nodiscard]] bool is_outdated(const HistoryFile &file, const config::HistoryConfig &limits,
                               DtnTime now);
/// The next file to delete for room: the oldest of the kind that takes most, the newest file of
/// each kind excepted. Nothing: there is no other.
[[nodiscard]] std::optional<HistoryFile> next_to_delete(const std::vector<KeptFile> &files);

}  // namespace farlink::telemetry
