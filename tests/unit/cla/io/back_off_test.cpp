// SPDX-License-Identifier: Apache-2.0
#include "cla/io/back_off.hpp"

#include <gtest/gtest.h>

namespace farlink::cla::back_off_test {
namespace {

/// `wait` with up to a quarter of jitter.
testing::AssertionResult is_about(Duration got, Duration wait) {
    if (got >= wait && got <= wait + wait / 4 + nanoseconds(1)) return testing::AssertionSuccess();
    return testing::AssertionFailure() << got.count() << " ns instead of " << wait.count();
}

TEST(BackOff, DoublesUpToItsBound) {
    BackOff back_off(milliseconds(10), milliseconds(35), 1);
    EXPECT_TRUE(is_about(back_off.grow(), milliseconds(10)));
    EXPECT_TRUE(is_about(back_off.grow(), milliseconds(20)));
    EXPECT_TRUE(is_about(back_off.grow(), milliseconds(35)));
    EXPECT_TRUE(is_about(back_off.wait(), milliseconds(35)));
    back_off.reset();
    EXPECT_TRUE(is_about(back_off.wait(), milliseconds(10)));
    EXPECT_TRUE(is_about(back_off.grow(), milliseconds(10)));
}

TEST(BackOff, LinksWithOtherSeedsDoNotComeInStep) {
    BackOff one(seconds(1), seconds(1), 1);
    BackOff other(seconds(1), seconds(1), 2);
    EXPECT_NE(one.wait(), other.wait());
}

TEST(BackOff, AnUpperBoundBelowTheLowerOneIsTheLowerOne) {
    BackOff back_off(milliseconds(10), milliseconds(1), 1);
    EXPECT_TRUE(is_about(back_off.grow(), milliseconds(10)));
    EXPECT_TRUE(is_about(back_off.grow(), milliseconds(10)));
}

}  // namespace
}  // namespace farlink::cla::back_off_test
