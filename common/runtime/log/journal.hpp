// SPDX-License-Identifier: Apache-2.0
// Whether the log is written to the journal of systemd.
// Plain functions without state.
// Any thread.
#pragma once

#include <string_view>

#include "common/runtime/log/log.hpp"

namespace farlink {

/// Whether standard error is the stream that `JOURNAL_STREAM` names as `device:inode`
/// (systemd.exec(5)).
[[nodiscard]] bool logs_to_journal();
/// `<3>`, which sets the severity of a line in the journal (sd-daemon(3), RFC 5424 section 6.2.1).
[[nodiscard]] std::string_view severity_prefix(LogLevel level);

}  // namespace farlink
