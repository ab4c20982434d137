// SPDX-License-Identifier: Apache-2.0
// The clock of a simulation: an event queue whose time advances from event to event.
// Owned by a SimWorld, shared by all its parts; one thread.
// Events of the same moment run in the order in which they were scheduled.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <utility>

#include "common/base/invariant.hpp"
#include "common/base/time.hpp"

namespace farlink::sim {

class SimClock {
public:
    using Event = std::function<void()>;

    /// DTN time at the start of the simulation; the wall clock has no drift.
    static constexpr DtnTime kStartDtn = 800'000'000'000;

    [[nodiscard]] TimePoint now() const { return now_; }
    [[nodiscard]] WallClock wall_clock() const { return {TimePoint{}, kStartDtn}; }
    [[nodiscard]] DtnTime dtn_now() const { return wall_clock().dtn_at(now_); }

    void at(TimePoint when, Event event) {
        events_.emplace(std::pair(std::max(when, now_), next_++), std::move(event));
    }
    void after(Duration delay, Event event) { at(now_ + delay, std::move(event)); }

    /// Runs every event up to `end`; then the time is `end`.
    void run_until(TimePoint end) {
        while (!events_.empty() && events_.begin()->first.first <= end) {
            auto first = events_.extract(events_.begin());
            now_ = first.key().first;
            first.mapped()();
        }
        now_ = end;
    }
    void run_for(Duration time) { run_until(now_ + time); }

private:
    TimePoint now_{};
    std::uint64_t next_ = 0;
    std::map<std::pair<TimePoint, std::uint64_t>, Event> events_;
};

}  // namespace farlink::sim
