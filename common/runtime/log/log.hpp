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

class SharedLogLimiter;

class Logger {
public:
    /// How many lines of information and warnings one of the loggers `link`, `ltp` and `udp` may
    /// write in an interval for all links together: each link limits its own lines, and a node may
    /// have a thousand links.
    static constexpr std::uint32_t kLinkLines = 100;
    static constexpr Duration kLinkInterval = seconds(10);

    /// The logger of a module, the same for the same name.
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
    SharedLogLimiter *limiter_;  ///< null: its lines are not about links
};

/// Limits repeated messages to one, or so many, per interval. Owned by its logger; one thread.
class LogLimiter {
public:
    explicit LogLimiter(Duration interval, std::uint32_t lines = 1)
        : interval_(interval), most_(lines) {}

    /// If this message may be logged: the number held back since the last one. Else empty.
    [[nodiscard]] std::optional<std::uint64_t> admit(TimePoint now) {
        if (!begun_ || now - *begun_ >= interval_) {
            begun_ = now;
            lines_ = 0;
        }
        if (lines_ == most_) {
            ++held_back_;
            return std::nullopt;
        }
        ++lines_;
        return take_held_back();
    }
    /// The number held back since the last message or call.
    [[nodiscard]] std::uint64_t take_held_back() { return std::exchange(held_back_, 0); }

private:
    Duration interval_;
    std::uint32_t most_;              ///< lines in an interval
    std::uint32_t lines_ = 0;         ///< admitted in this one
    std::optional<TimePoint> begun_;  ///< of the interval
    std::uint64_t held_back_ = 0;
};

}  // namespace farlink
