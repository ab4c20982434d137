// SPDX-License-Identifier: Apache-2.0
// How many lines one logger may write for all links together: each link limits its own lines, and a
// node may have a thousand links.
// Owned by the registry of loggers, one for each of the loggers of links.
// Any thread, one at a time.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>

#include "common/base/time.hpp"

namespace farlink {

class LogBudget {
public:
    static constexpr Duration kInterval = seconds(10);
    static constexpr std::uint32_t kLines = 100;

    /// If a line may be logged: how many the interval before has suppressed, once. Else empty.
    [[nodiscard]] std::optional<std::uint64_t> admit(TimePoint now) {
        if (!begun_ || now - *begun_ >= kInterval) {
            begun_ = now;
            lines_ = 0;
        }
        if (lines_ == kLines) {
            ++suppressed_;
            return std::nullopt;
        }
        ++lines_;
        return std::exchange(suppressed_, 0);
    }

private:
    std::optional<TimePoint> begun_;  ///< of the interval
    std::uint32_t lines_ = 0;         ///< admitted in it
    std::uint64_t suppressed_ = 0;
};

}  // namespace farlink
