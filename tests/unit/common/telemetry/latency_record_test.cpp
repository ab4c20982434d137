// SPDX-License-Identifier: Apache-2.0
#include "common/telemetry/latency_record.hpp"

#include <gtest/gtest.h>

namespace farlink::telemetry::latency_record_test {
namespace {

TEST(LatencyRecord, PercentilesOfFewDurationsAreDurations) {
    LatencyRecord record;
    EXPECT_EQ(record.percentile(50), 0U);
    // In any order; none is an edge of a bucket of the histogram.
    for (const std::uint64_t ns : {5'000'003U, 1'000'001U, 3'000'007U, 2'000'005U, 4'000'009U})
        record.add(ns);
    EXPECT_EQ(record.percentile(0), 1'000'001U);
    EXPECT_EQ(record.percentile(20), 1'000'001U);
    EXPECT_EQ(record.percentile(50), 3'000'007U);
    EXPECT_EQ(record.percentile(60), 3'000'007U);
    EXPECT_EQ(record.percentile(61), 4'000'009U);
    EXPECT_EQ(record.percentile(99), 5'000'003U);
    EXPECT_EQ(record.percentile(100), 5'000'003U);
    EXPECT_EQ(record.count(), 5U);
    EXPECT_EQ(record.mean(), 3'000'005U);
    EXPECT_EQ(record.smallest(), 1'000'001U);
    EXPECT_EQ(record.largest(), 5'000'003U);
}

TEST(LatencyRecord, ManyDurationsAreAHistogram) {
    LatencyRecord record;
    LatencyHistogram histogram;
    for (std::uint64_t i = 0; i < LatencyRecord::kMostExact; ++i) {
        record.add(1'000'001 + i);
        histogram.add(1'000'001 + i);
    }
    EXPECT_EQ(record.percentile(50), 1'000'000 + LatencyRecord::kMostExact / 2);
    record.add(1'000'001);
    histogram.add(1'000'001);
    for (const double percent : {0.0, 50.0, 99.0, 100.0})
        EXPECT_EQ(record.percentile(percent), histogram.percentile(percent));
}

}  // namespace
}  // namespace farlink::telemetry::latency_record_test
