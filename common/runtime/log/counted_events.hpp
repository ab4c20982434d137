// SPDX-License-Identifier: Apache-2.0
// Counts events that have one log line in an interval, with their number.
// Owned by its logger.
// One thread.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>

#include "common/base/time.hpp"
#include "common/runtime/log/log.hpp"

namespace farlink {

class CountedEvents {
public:
    explicit CountedEvents(Duration interval) : limiter_(interval) {}

    void add(std::uint64_t events = 1) { count_ += events; }
    /// If a line may be logged now: the number of events since the last one. Polled after an event
    /// and about once a second, so that the last events are not left out.
    [[nodiscard]] std::optional<std::uint64_t> poll(TimePoint now) {
        if (count_ == 0 || !limiter_.admit(now)) return std::nullopt;
        return std::exchange(count_, 0);
    }

private:
    LogLimiter limiter_;
    std::uint64_t count_ = 0;
};

}  // namespace farlink
