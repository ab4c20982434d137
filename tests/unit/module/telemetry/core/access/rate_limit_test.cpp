// SPDX-License-Identifier: Apache-2.0
#include "module/telemetry/core/access/rate_limit.hpp"

#include <gtest/gtest.h>

namespace farlink::telemetry::rate_limit_test {
namespace {

constexpr TimePoint kNow{seconds(100)};

TEST(RateLimit, ABurstThenOneEachInterval) {
    RateLimit limit(milliseconds(100), 3);
    for (int i = 0; i < 3; ++i) EXPECT_EQ(limit.take("a", kNow), Duration::zero());
    EXPECT_EQ(limit.take("a", kNow), milliseconds(100));
    EXPECT_EQ(limit.take("b", kNow), Duration::zero());
    EXPECT_EQ(limit.take("a", kNow + milliseconds(99)), milliseconds(1));
    EXPECT_EQ(limit.take("a", kNow + milliseconds(100)), Duration::zero());
    EXPECT_GT(limit.missing("a", kNow + milliseconds(100)), Duration::zero());
}

TEST(RateLimit, ForgetsStrangers) {
    RateLimit limit(milliseconds(1), 1);
    for (std::size_t i = 0; i < 3 * RateLimit::kMostKnown; ++i)
        (void)limit.take(std::to_string(i), kNow);
    EXPECT_LE(limit.known(), RateLimit::kMostKnown);
}

}  // namespace
}  // namespace farlink::telemetry::rate_limit_test
