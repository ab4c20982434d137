// SPDX-License-Identifier: Apache-2.0
#include "common/buffer/pace_meter.hpp"

#include <gtest/gtest.h>

namespace farlink::pace_meter_test {
namespace {

constexpr std::uint64_t kFast = ~std::uint64_t{0};

TEST(PaceMeter, NothingIsSlowInItsFirstSecond) {
    PaceMeter meter;
    const TimePoint begun{seconds(100)};
    meter.start(0, begun);
    EXPECT_EQ(meter.pace(0, begun + milliseconds(999)), kFast);
    EXPECT_EQ(meter.pace(0, begun + milliseconds(1000)), 0U);
}

TEST(PaceMeter, ABurstIsOverSoon) {
    PaceMeter meter;
    TimePoint now{seconds(100)};
    meter.start(0, now);
    now += milliseconds(100);
    meter.update(10'000'000, now);
    now += milliseconds(1900);
    EXPECT_EQ(meter.pace(10'000'000, now), 5'000'000U);
    now += milliseconds(100);
    EXPECT_EQ(meter.pace(10'000'000, now), 0U);
}

TEST(PaceMeter, WhoAsksSaysHowLongASilenceMayBe) {
    PaceMeter meter;
    TimePoint now{seconds(100)};
    meter.start(0, now);
    meter.update(10'000'000, now);
    now += milliseconds(500);
    EXPECT_EQ(meter.pace(10'000'000, now, milliseconds(501)), kFast);
    EXPECT_EQ(meter.pace(10'000'000, now, milliseconds(500)), 0U);
}

TEST(PaceMeter, ATrickleBehindABurstIsATrickle) {
    PaceMeter meter;
    TimePoint now{seconds(100)};
    meter.start(10'000'000, now);
    std::uint64_t bytes = 10'000'000;
    for (int second = 0; second < 5; ++second) {
        now += seconds(1);
        meter.update(++bytes, now);
    }
    EXPECT_EQ(meter.pace(bytes, now), 1U);
}

TEST(PaceMeter, WhatIsExcusedDoesNotCount) {
    PaceMeter meter;
    TimePoint now{seconds(100)};
    meter.start(0, now);
    meter.excuse(0, now + seconds(60));
    EXPECT_EQ(meter.pace(0, now + seconds(60) + milliseconds(500)), kFast);
}

}  // namespace
}  // namespace farlink::pace_meter_test
