// SPDX-License-Identifier: Apache-2.0
#include "apps/shared/emulation/outage_plan.hpp"

#include <gtest/gtest.h>

namespace farlink::emulation::outage_plan_test {
namespace {

constexpr TimePoint kStart{seconds(25200)};

TEST(OutagePlanTest, AnOutageHasABeginningAndAnEnd) {
    const OutagePlan plan({{seconds(10), seconds(2)}}, {}, kStart);
    EXPECT_EQ(plan.end_of_outage(kStart), kStart);
    EXPECT_EQ(plan.end_of_outage(kStart + seconds(10)), kStart + seconds(12));
    EXPECT_EQ(plan.end_of_outage(kStart + seconds(11)), kStart + seconds(12));
    EXPECT_EQ(plan.end_of_outage(kStart + seconds(12)), kStart + seconds(12));
    EXPECT_EQ(plan.end_of_outage(kStart + seconds(110)), kStart + seconds(110));
}

TEST(OutagePlanTest, OutagesComeAgain) {
    const OutagePlan plan({{seconds(10), seconds(2)}}, seconds(100), kStart);
    EXPECT_EQ(plan.end_of_outage(kStart + seconds(111)), kStart + seconds(112));
    EXPECT_EQ(plan.end_of_outage(kStart + seconds(113)), kStart + seconds(113));
}

TEST(OutagePlanTest, OutagesThatTouchAreOne) {
    const OutagePlan plan({{seconds(12), seconds(3)}, {seconds(10), seconds(2)}}, {}, kStart);
    EXPECT_EQ(plan.end_of_outage(kStart + seconds(11)), kStart + seconds(15));
}

TEST(OutagePlanTest, ALinkMayBeOutForEver) {
    const OutagePlan plan({{seconds(0), seconds(10)}}, seconds(10), kStart);
    EXPECT_GT(plan.end_of_outage(kStart + seconds(3)), kStart + seconds(3));
}

}  // namespace
}  // namespace farlink::emulation::outage_plan_test
