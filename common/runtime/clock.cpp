// SPDX-License-Identifier: Apache-2.0
#include "common/runtime/clock.hpp"

#include <algorithm>

#include "common/base/invariant.hpp"
#include "common/runtime/driven_clock.hpp"
#include "common/runtime/monotonic_timer.hpp"

namespace farlink {
namespace {

/// The clock of a test; null: the machine's clock.
const DrivenClock *driven = nullptr;
/// The interval at which timers check a driven clock.
constexpr Duration kDrivenWait = microseconds(100);

}  // namespace

TimePoint monotonic_now() {
    if (driven != nullptr) [[unlikely]]
        return driven->now();
    const auto since_boot = std::chrono::steady_clock::now().time_since_epoch();
    return TimePoint{std::chrono::duration_cast<Duration>(since_boot)};
}

DrivenClock::DrivenClock() : now_(monotonic_now()) {
    FARLINK_INVARIANT(driven == nullptr);  // one at a time
    driven = this;
}

DrivenClock::~DrivenClock() {
    driven = nullptr;
}

Duration MonotonicWait::to_wait_duration(Duration left) {
    return driven == nullptr ? left : std::min(left, kDrivenWait);
}

Duration MonotonicWait::to_wait_duration(TimePoint due) {
    return to_wait_duration(due - monotonic_now());
}

std::uint64_t unix_nanoseconds() {
    const auto since_epoch = std::chrono::system_clock::now().time_since_epoch();
    const auto count = std::chrono::duration_cast<nanoseconds>(since_epoch).count();
    return count < 0 ? 0 : static_cast<std::uint64_t>(count);
}

WallClock read_wall_clock() {
    const TimePoint at = monotonic_now();
    const std::uint64_t unix_ms = unix_nanoseconds() / 1'000'000;
    constexpr std::uint64_t kDtnEpochUnixMs = kDtnEpochUnixSeconds * 1000;
    return {at, unix_ms < kDtnEpochUnixMs ? 0 : unix_ms - kDtnEpochUnixMs};
}

}  // namespace farlink
