// SPDX-License-Identifier: Apache-2.0
#include "cfdp/core/due_times.hpp"

#include <gtest/gtest.h>

namespace farlink::cfdp::due_times_test {
namespace {

TEST(CfdpDueTimes, EachThingHasItsLatestTime) {
    DueTimes<int> times;
    EXPECT_EQ(times.first(), kNever);
    TimePoint one = kNever;
    TimePoint two = kNever;
    times.move(1, one, TimePoint{} + seconds(5));
    times.move(2, two, TimePoint{} + seconds(3));
    times.move(1, one, TimePoint{} + seconds(2));
    EXPECT_EQ(times.first(), TimePoint{} + seconds(2));
    EXPECT_EQ(times.due(TimePoint{} + seconds(3)), (std::vector{1, 2}));
    times.move(1, one, kNever);
    EXPECT_EQ(one, kNever);
    EXPECT_EQ(times.due(TimePoint{} + seconds(9)), std::vector{2});
    times.move(2, two, kNever);
    EXPECT_EQ(times.first(), kNever);
}

}  // namespace
}  // namespace farlink::cfdp::due_times_test
