// SPDX-License-Identifier: Apache-2.0
#include "common/base/seconds.hpp"

#include <gtest/gtest.h>

namespace farlink::seconds_test {
namespace {

TEST(Seconds, HaveFractions) {
    EXPECT_EQ(from_seconds(0), Duration{});
    EXPECT_EQ(from_seconds(1.5), milliseconds(1500));
    EXPECT_EQ(from_seconds(100.0 * 86'400), seconds(100 * 86'400));
}

}  // namespace
}  // namespace farlink::seconds_test
