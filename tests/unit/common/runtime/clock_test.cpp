// SPDX-License-Identifier: Apache-2.0
#include "common/runtime/clock.hpp"

#include <gtest/gtest.h>

namespace farlink::clock_test {
namespace {

TEST(Clock, MonotonicNeverStepsBack) {
    TimePoint before = monotonic_now();
    for (int i = 0; i < 1000; ++i) {
        const TimePoint now = monotonic_now();
        ASSERT_GE(now, before);
        before = now;
    }
}

TEST(Clock, WallClockIsTheUnixClockSinceTheDtnEpoch) {
    const std::uint64_t unix_before = unix_nanoseconds() / 1'000'000;
    const WallClock wall = read_wall_clock();
    const std::uint64_t unix_after = unix_nanoseconds() / 1'000'000;
    const std::uint64_t unix_ms = wall.dtn_ms + kDtnEpochUnixSeconds * 1000;
    EXPECT_GE(unix_ms, unix_before);
    EXPECT_LE(unix_ms, unix_after);
    EXPECT_LE(wall.at, monotonic_now());
}

TEST(Clock, WallClockCarriesOverToOtherMoments) {
    const WallClock wall = read_wall_clock();
    EXPECT_EQ(wall.dtn_at(wall.at + seconds(2)), wall.dtn_ms + 2000);
    EXPECT_EQ(wall.point_of(wall.dtn_ms + 1500), wall.at + milliseconds(1500));
}

}  // namespace
}  // namespace farlink::clock_test
