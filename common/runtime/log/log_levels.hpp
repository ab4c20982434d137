// SPDX-License-Identifier: Apache-2.0
// Which lines each logger of the process writes: one level for all, and others for some of them.
// No owner; the levels belong to the process, and may change while it runs.
// Any thread.
#pragma once

#include <array>
#include <map>
#include <string>
#include <string_view>

#include "common/base/result.hpp"
#include "common/runtime/log/log.hpp"

namespace farlink {

/// What an operator may name. A further instance of a module ("ingress2") is steered with the
/// first.
inline constexpr std::array<std::string_view, 14> kLoggerNames{
    "api",  "audit", "bus",  "control",   "egress",  "farlink",   "ingress",
    "link", "ltp",   "plan", "scheduler", "storage", "telemetry", "udp"};

/// "warn": as parse_log_level() reads it.
[[nodiscard]] std::string_view to_string(LogLevel level);

struct LogLevels {
    LogLevel all = LogLevel::kInfo;
    std::map<std::string, LogLevel, std::less<>> loggers{};  ///< those with a level of their own

    /// Of a logger by its name; that of `ingress2` is that of `ingress`.
    [[nodiscard]] LogLevel of(std::string_view logger) const;
    /// One logger; empty: all of them, also those that had a level of their own.
    void set(std::string_view logger, LogLevel level);

    friend bool operator==(const LogLevels &, const LogLevels &) = default;
};

/// "info", or "info,egress=debug,ltp=trace": a level for all, which may be left out, and others
/// behind it. `all` holds where the text has none. The error says what is wrong with the text.
[[nodiscard]] Result<LogLevels, std::string> parse_log_levels(std::string_view text, LogLevel all);
/// Why there is no logger of that name; empty: there is, or the name is empty, which means all.
[[nodiscard]] std::string wrong_logger(std::string_view name);
/// Why this is no level; empty: it is one.
[[nodiscard]] std::string wrong_level(std::string_view text);

/// Those in force. Loggers that are made later have theirs, too.
void set_log_levels(const LogLevels &levels);
void set_log_level(std::string_view logger, LogLevel level);
[[nodiscard]] LogLevels log_levels();

}  // namespace farlink
