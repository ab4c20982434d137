// SPDX-License-Identifier: Apache-2.0
#include "apps/shared/traffic/pacer.hpp"

#include <gtest/gtest.h>

namespace farlink::traffic::pacer_test {
namespace {

constexpr TimePoint kStart{seconds(1000)};

TEST(Pacer, LetsTheFirstBundleGoAtOnce) {
    Pacer pacer(10, kStart);
    EXPECT_EQ(pacer.due(kStart - nanoseconds(1)), 0U);
    EXPECT_EQ(pacer.due(kStart), 1U);
    pacer.spend(1);
    EXPECT_EQ(pacer.due(kStart), 0U);
    EXPECT_EQ(pacer.next_due(), kStart + milliseconds(100));
}

TEST(Pacer, KeepsTheRateHoweverOftenItIsAsked) {
    for (const double rate : {0.5, 3.0, 999.0, 1e5, 1.234567e6}) {
        Pacer pacer(rate, kStart);
        std::uint64_t sent = 0;
        const TimePoint end = kStart + seconds(10);
        for (TimePoint now = kStart; now < end; now += microseconds(937)) {
            const std::uint64_t due = pacer.due(now);
            sent += due;
            pacer.spend(due);
        }
        EXPECT_NEAR(static_cast<double>(sent), 10 * rate, 1 + rate * 1e-3) << rate;
    }
}

TEST(Pacer, HasABundleDueWhenItSaid) {
    for (const double rate : {0.3, 7.0, 333.0, 99'999.0}) {
        Pacer pacer(rate, kStart);
        TimePoint now = kStart;
        for (int i = 0; i < 1000; ++i) {
            ASSERT_EQ(pacer.due(now), 1U) << rate << ' ' << i;
            pacer.spend(1);
            now = pacer.next_due();
        }
    }
}

TEST(Pacer, MakesUpForAtMostABurst) {
    Pacer pacer(1000, kStart);
    pacer.spend(1);
    // Blocked for a minute: a burst's worth is due, and the rate goes on from there.
    const TimePoint later = kStart + seconds(60);
    const std::uint64_t due = pacer.due(later);
    EXPECT_EQ(due, 101U);
    pacer.spend(due);
    EXPECT_EQ(pacer.due(later), 0U);
    EXPECT_EQ(pacer.due(later + milliseconds(10)), 10U);
}

}  // namespace
}  // namespace farlink::traffic::pacer_test
