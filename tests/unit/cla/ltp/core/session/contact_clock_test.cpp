// SPDX-License-Identifier: Apache-2.0
#include "cla/ltp/core/session/contact_clock.hpp"

#include <gtest/gtest.h>

namespace farlink::cla::ltp::contact_clock_test {
namespace {

TEST(LtpContactClock, StandsStillWhileClosed) {
    ContactClock clock;
    const TimePoint start(seconds(100));
    EXPECT_EQ(clock.at(start), TimePoint{});
    EXPECT_EQ(clock.real(TimePoint(seconds(3))), kNever);
    clock.open(start);
    EXPECT_EQ(clock.at(start + seconds(5)), TimePoint(seconds(5)));
    clock.close(start + seconds(5));
    EXPECT_EQ(clock.at(start + seconds(50)), TimePoint(seconds(5)));
    EXPECT_EQ(clock.real(TimePoint(seconds(8))), kNever);
    clock.open(start + seconds(60));
    clock.open(start + seconds(61));
    EXPECT_EQ(clock.at(start + seconds(62)), TimePoint(seconds(7)));
    EXPECT_EQ(clock.real(TimePoint(seconds(8))), start + seconds(63));
    EXPECT_EQ(clock.real(kNever), kNever);
}

}  // namespace
}  // namespace farlink::cla::ltp::contact_clock_test
