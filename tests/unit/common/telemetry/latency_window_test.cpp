// SPDX-License-Identifier: Apache-2.0
#include "common/telemetry/latency_window.hpp"

#include <gtest/gtest.h>

namespace farlink::telemetry::latency_window_test {
namespace {

constexpr TimePoint kStart{seconds(1000)};

TEST(LatencyWindow, HasWhatCameWithinAMinute) {
    LatencyWindow window;
    LatencyHistogram all;
    for (int i = 0; i < 100; ++i) all.add(1'000'000);
    EXPECT_EQ(window.recent(all, kStart).count(), 100U);
    for (int i = 0; i < 10; ++i) all.add(1000);
    EXPECT_EQ(window.recent(all, kStart + seconds(29)).count(), 110U);
    EXPECT_EQ(window.recent(all, kStart + seconds(30)).count(), 110U);
    all.add(2000);
    const LatencyHistogram later = window.recent(all, kStart + seconds(60));
    EXPECT_EQ(later.count(), 1U);
    EXPECT_GE(later.percentile(99), 2000U);
    EXPECT_LT(later.percentile(99), 2100U);
}

TEST(LatencyWindow, IsEmptyAMinuteAfterTheLastValue) {
    LatencyWindow window;
    LatencyHistogram all;
    all.add(1000);
    for (int second = 0; second <= 60; ++second) (void)window.recent(all, kStart + seconds(second));
    const LatencyHistogram recent = window.recent(all, kStart + seconds(61));
    EXPECT_EQ(recent.count(), 0U);
    EXPECT_EQ(recent.sum(), 0U);
    EXPECT_EQ(recent.percentile(50), 0U);
}

}  // namespace
}  // namespace farlink::telemetry::latency_window_test
