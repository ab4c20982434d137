// SPDX-License-Identifier: Apache-2.0
#include "cla/session/session_limits.hpp"

#include <gtest/gtest.h>

namespace farlink::cla::session_limits_test {
namespace {

constexpr TimePoint at(int seconds_passed) {
    return TimePoint{} + seconds(seconds_passed);
}

TEST(SessionLimits, WithoutLimitsNothingIsDue) {
    SessionLimits limits({});
    limits.handle_established(at(0), at(0));
    EXPECT_EQ(limits.next(), kNever);
    limits.handle_unfinished(at(0), at(0));
    EXPECT_EQ(limits.stall_due(), kNever);
    EXPECT_EQ(limits.next(), at(0) + milliseconds(10)) << "the unfinished bundle is compacted";
}

TEST(SessionLimits, ASessionIsIdleFromItsLastBundleOn) {
    SessionLimits limits({.idle = seconds(10)});
    limits.handle_established(at(0), at(1));
    EXPECT_EQ(limits.idle_due(), at(11));
    limits.handle_bundle(at(5));
    EXPECT_FALSE(limits.idle_passed(false, at(0), at(11)));
    EXPECT_EQ(limits.idle_due(), at(15));
    EXPECT_FALSE(limits.idle_passed(true, at(0), at(15))) << "bundles are under way";
    EXPECT_TRUE(limits.idle_passed(false, at(0), at(25)));
    EXPECT_EQ(limits.idle_due(), kNever);
}

TEST(SessionLimits, AStrangerHasLessTimeUntilItIsTrusted) {
    SessionLimits limits({.idle = seconds(100), .stranger = seconds(10)});
    limits.handle_established(at(2), at(3));
    EXPECT_EQ(limits.idle_due(), at(12));
    EXPECT_FALSE(limits.idle_passed(false, at(4), at(12)));
    EXPECT_EQ(limits.idle_due(), at(14));
    limits.handle_trusted();
    EXPECT_FALSE(limits.idle_passed(false, at(4), at(14)));
    EXPECT_EQ(limits.idle_due(), at(103));
}

TEST(SessionLimits, ABundleHasStoppedWhenNoOctetComesForTheLimit) {
    SessionLimits limits({.transfer = seconds(10)});
    limits.handle_unfinished(at(1), at(2));
    EXPECT_EQ(limits.stall_due(), at(11));
    limits.handle_unfinished(at(5), at(6));
    EXPECT_EQ(limits.stall_due(), at(11)) << "the timer is not moved with each octet";
    EXPECT_FALSE(limits.transfer_stalled(at(5), at(11)));
    EXPECT_EQ(limits.stall_due(), at(15));
    EXPECT_TRUE(limits.transfer_stalled(at(5), at(15)));
    EXPECT_EQ(limits.stall_due(), kNever);
}

TEST(SessionLimits, CompactionIsTriedAgainUntilItIsDone) {
    SessionLimits limits({});
    limits.handle_unfinished(at(1), at(1));
    limits.handle_compacted(false, at(2));
    EXPECT_EQ(limits.compact_due(), at(2) + milliseconds(10));
    limits.handle_compacted(true, at(3));
    EXPECT_EQ(limits.compact_due(), kNever);
}

}  // namespace
}  // namespace farlink::cla::session_limits_test
