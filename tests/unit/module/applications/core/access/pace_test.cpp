// SPDX-License-Identifier: Apache-2.0
#include "module/applications/core/access/pace.hpp"

#include <gtest/gtest.h>

namespace farlink::applications::pace_test {
namespace {

TEST(Pace, ASecondsWorthMayComeAtOnce) {
    const TimePoint now = TimePoint{} + seconds(100);
    Pace pace(10);
    pace.take(10, now);
    EXPECT_LE(pace.due(), now);
    pace.take(5, now);
    EXPECT_EQ(pace.due(), now + milliseconds(500));
    pace.take(10, now + seconds(60));
    EXPECT_LE(pace.due(), now + seconds(60)) << "no more is saved up";
}

TEST(Pace, ZeroIsNoLimit) {
    Pace pace(0);
    pace.take(~std::uint64_t{0}, TimePoint{});
    EXPECT_EQ(pace.due(), TimePoint{});
}

}  // namespace
}  // namespace farlink::applications::pace_test
