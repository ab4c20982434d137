// SPDX-License-Identifier: Apache-2.0
// Time that stands still until the test says otherwise, for timers of a loop, too.
#include "common/runtime/driven_clock.hpp"

#include <gtest/gtest.h>

#include <boost/asio/io_context.hpp>

#include "common/runtime/monotonic_timer.hpp"

namespace farlink::driven_clock_test {
namespace {

TEST(DrivenClockTest, StandsStillUntilItIsDriven) {
    DrivenClock clock;
    const TimePoint start = monotonic_now();
    EXPECT_EQ(monotonic_now(), start);
    clock.advance(seconds(5));
    EXPECT_EQ(monotonic_now(), start + seconds(5));
    EXPECT_EQ(clock.now(), monotonic_now());
}

TEST(DrivenClockTest, TheMachinesClockIsBackAfterwards) {
    const TimePoint before = monotonic_now();
    {
        DrivenClock clock;
        clock.advance(seconds(1'000'000));
    }
    EXPECT_LT(monotonic_now(), before + seconds(1'000'000));
    EXPECT_GE(monotonic_now(), before);
}

TEST(DrivenClockTest, ATimerFollowsIt) {
    DrivenClock clock;
    boost::asio::io_context io{1};
    MonotonicTimer timer(io);
    bool rang = false;
    timer.expires_after(milliseconds(5));
    timer.async_wait([&rang](const boost::system::error_code &error) { rang = !error; });
    // Longer than that by the machine's clock.
    io.run_for(milliseconds(20));
    EXPECT_FALSE(rang);
    clock.advance(milliseconds(4));
    io.run_for(milliseconds(5));
    EXPECT_FALSE(rang);
    clock.advance(milliseconds(1));
    io.run_one();
    EXPECT_TRUE(rang);
}

TEST(DrivenClockTest, ATimerOfTheMachinesClockNeedsNoDriving) {
    boost::asio::io_context io{1};
    MonotonicTimer timer(io);
    bool rang = false;
    timer.expires_after(milliseconds(1));
    timer.async_wait([&rang](const boost::system::error_code &error) { rang = !error; });
    io.run_one();
    EXPECT_TRUE(rang);
}

}  // namespace
}  // namespace farlink::driven_clock_test
