// SPDX-License-Identifier: Apache-2.0
// The levels of the loggers of the process: one for all, and others for single loggers.
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

/// The names for operators. Further instances of a module ("ingress2") have the level of the first.
inline constexpr std::array<std::string_view, 16> kLoggerNames{
    "alarms",  "api",  "applications", "audit", "bus",       "control", "egress",    "farlink",
    "ingress", "link", "ltp",          "plan",  "scheduler", "storage", "telemetry", "udp"};

/// "warn": as parse_log_level() reads it.
[[nodiscard]] std::string_view to_string(LogLevel level);

struct LogLevels {
    LogLevel all = LogLevel::kInfo;
    std::map<std::string, LogLevel, std::less<>> loggers{};  ///< those with a level of their own

    /// Of a logger by its name; that of `ingress2` is that of `ingress`.
    [[nodiscard]] LogLevel of(std::string_view logger) const;
    /// Sets one logger; empty: all, those with a level of their own included.
    void set(std::string_view logger, LogLevel level);

    friend bool operator==(const LogLevels &, const LogLevels &) = default;
};

/// "info", or "info,egress=debug,ltp=trace": a level for all, which may be omitted, followed by
/// levels of single loggers. `all` is the default level. The error describes the text.
[[nodiscard]] Result<LogLevels, std::string> parse_log_levels(std::string_view text, LogLevel all);
/// The error for an unknown logger; empty if it exists, or if the name is empty, for all.
[[nodiscard]] std::string wrong_logger(std::string_view name);
/// The error for an unknown level; empty if it exists.
[[nodiscard]] std::string wrong_level(std::string_view text);

/// The current levels; they also apply to loggers made later.
void set_log_levels(const LogLevels &levels);
void set_log_level(std::string_view logger, LogLevel level);
[[nodiscard]] LogLevels log_levels();

}  // namespace farlink
