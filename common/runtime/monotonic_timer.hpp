// SPDX-License-Identifier: Apache-2.0
// A timer of an event loop by `monotonic_now`, which a test may drive.
// Owned by links; made on their loop.
// The loop's thread.
#pragma once

#include <boost/asio/basic_waitable_timer.hpp>

#include "common/runtime/clock.hpp"

namespace farlink {

/// The process's monotonic clock in the form that Asio requires.
struct MonotonicClock : MonotonicTimeline {
    [[nodiscard]] static TimePoint now() { return monotonic_now(); }
};

/// How long the loop may sleep before it looks at the clock again.
struct MonotonicWait {
    [[nodiscard]] static Duration to_wait_duration(Duration left);
    [[nodiscard]] static Duration to_wait_duration(TimePoint due);
};

using MonotonicTimer = boost::asio::basic_waitable_timer<MonotonicClock, MonotonicWait>;

}  // namespace farlink
