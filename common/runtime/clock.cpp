// SPDX-License-Identifier: Apache-2.0
#include "common/runtime/clock.hpp"

namespace farlink {

TimePoint monotonic_now() {
    const auto since_boot = std::chrono::steady_clock::now().time_since_epoch();
    return TimePoint{std::chrono::duration_cast<Duration>(since_boot)};
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
