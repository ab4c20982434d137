// SPDX-License-Identifier: Apache-2.0
// Logging for agents, links and programs; cores and codecs return events and never log.
// A Logger is a small handle on a named logger that lives as long as the process; copy it freely.
// Any thread. Only log.cpp includes spdlog, so that this header is cheap to include.
#pragma once

#include <fmt/core.h>

#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>

#include "common/base/time.hpp"

namespace spdlog {
class logger;
}

namespace farlink {

enum class LogLevel : std::uint8_t { kTrace, kDebug, kInfo, kWarn, kError, kCritical, kOff };

/// "trace", "debug", "info", "warn", "error", "critical", "off"; empty for any other text.
[[nodiscard]] std::optional<LogLevel> parse_log_level(std::string_view text);

/// Sets the level of every logger, later ones included. Logs go to stderr, one line per event:
/// `2026-01-02T03:04:05.678901Z info egress: text`.
void set_log_level(LogLevel level);

class SharedLogBudget;

class Logger {
public:
    /// The logger of a module, the same for the same name. Each of `link`, `ltp` and `udp`, whose
    /// lines are about many links, has a limit for information and warnings (log_budget.hpp).
    explicit Logger(std::string_view module);

    template <class... Args>
    void debug(fmt::format_string<Args...> text, Args &&...args) const {
        log(LogLevel::kDebug, text, std::forward<Args>(args)...);
    }
    template <class... Args>
    void info(fmt::format_string<Args...> text, Args &&...args) const {
        log(LogLevel::kInfo, text, std::forward<Args>(args)...);
    }
    template <class... Args>
    void warn(fmt::format_string<Args...> text, Args &&...args) const {
        log(LogLevel::kWarn, text, std::forward<Args>(args)...);
    }
    template <class... Args>
    void error(fmt::format_string<Args...> text, Args &&...args) const {
        log(LogLevel::kError, text, std::forward<Args>(args)...);
    }
    template <class... Args>
    void log(LogLevel level, fmt::format_string<Args...> text, Args &&...args) const {
        if (enabled(level)) write(level, text, fmt::make_format_args(args...));
    }
    [[nodiscard]] bool enabled(LogLevel level) const;

private:
    void write(LogLevel level, fmt::string_view text, fmt::format_args args) const;

    // Both are kept by the registry in log.cpp until the process ends.
    spdlog::logger *logger_;
    SharedLogBudget *budget_;  ///< null: its lines are not about links
};

/// Limits a repeated message to one per interval. Owned by its logger; one thread.
class LogLimiter {
public:
    explicit LogLimiter(Duration interval) : interval_(interval) {}

    /// If this message may be logged: the number held back since the last one. Else empty.
    [[nodiscard]] std::optional<std::uint64_t> admit(TimePoint now) {
        if (admitted_before_ && now - last_ < interval_) {
            ++held_back_;
            return std::nullopt;
        }
        admitted_before_ = true;
        last_ = now;
        return std::exchange(held_back_, 0);
    }

private:
    Duration interval_;
    TimePoint last_{};
    std::uint64_t held_back_ = 0;
    bool admitted_before_ = false;
};

}  // namespace farlink
