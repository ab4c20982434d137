// SPDX-License-Identifier: Apache-2.0
// The log lines about the state of one subject, such as a link that comes and goes: at most so many
// in an interval, and the last state once it has lasted for a while.
// Owned by the user of its logger; one thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "common/base/time.hpp"
#include "common/runtime/log/log.hpp"
#include "common/runtime/log/suppressed_lines.hpp"

namespace farlink {

class StateLines {
public:
    /// A state that has lasted so long is logged, if its line was held back.
    static constexpr Duration kLasting = seconds(60);

    StateLines(Duration interval, std::uint32_t lines) : limiter_(interval, lines) {}

    /// Logs the new state, or holds its line back. The first one is always logged.
    void log(const Logger &logger, LogLevel level, std::string text, TimePoint now) {
        if (const auto suppressed = limiter_.admit(now)) {
            held_back_.reset();
            logger.log(level, "{}{}", text, suppressed_lines_text(*suppressed));
        } else {
            held_back_ = Line{level, std::move(text), now};
        }
    }
    /// Called about once a second.
    void handle_time(const Logger &logger, TimePoint now) {
        if (!held_back_ || now - held_back_->since < kLasting) return;
        const std::uint64_t others = limiter_.take_held_back() - 1;
        logger.log(held_back_->level, "{}{}", held_back_->text, suppressed_lines_text(others));
        held_back_.reset();
    }

private:
    struct Line {
        LogLevel level = LogLevel::kInfo;
        std::string text;
        TimePoint since{};
    };

    LogLimiter limiter_;
    std::optional<Line> held_back_;
};

}  // namespace farlink
