// SPDX-License-Identifier: Apache-2.0
// How a line of the log is written: as text for people, or as a JSON object for programs.
// No owner; the format belongs to the process and is chosen before the first line.
// Any thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "common/runtime/log/log.hpp"

namespace farlink {

enum class LogFormat : std::uint8_t {
    kText = 0,    ///< `2026-01-02T03:04:05.678901Z info egress: text`
    kJson = 1,    ///< `{"time":"...","level":"info","module":"egress","message":"text"}`
    kSyslog = 2,  ///< as text, behind the severity for the journal: `<4>`
};

/// "text", "json" or "syslog"; empty for any other text.
[[nodiscard]] std::optional<LogFormat> parse_log_format(std::string_view text);
/// The same texts.
[[nodiscard]] std::string_view to_string(LogFormat format);
void set_log_format(LogFormat format);
[[nodiscard]] LogFormat log_format();

/// The message with control characters as `\n` and `\x1b`: quoted text cannot begin a second line
/// or control the terminal. Line ends at its end are removed.
[[nodiscard]] std::string text_log_message(std::string_view message);
/// One object, without a line end, also at the end of the message. Invalid UTF-8 is replaced by
/// U+FFFD.
[[nodiscard]] std::string json_log_line(std::string_view time, LogLevel level,
                                        std::string_view module, std::string_view message);

}  // namespace farlink
