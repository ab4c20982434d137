// SPDX-License-Identifier: Apache-2.0
#include "common/telemetry/latency_histogram.hpp"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace farlink::telemetry::latency_histogram_test {
namespace {

TEST(LatencyHistogram, EmptyAnswersZero) {
    const LatencyHistogram histogram;
    EXPECT_EQ(histogram.count(), 0U);
    EXPECT_EQ(histogram.percentile(50), 0U);
    EXPECT_EQ(histogram.smallest(), 0U);
    EXPECT_EQ(histogram.mean(), 0U);
}

TEST(LatencyHistogram, BucketsCoverEveryValueWithoutGap) {
    std::size_t bucket = 0;
    for (std::uint64_t value = 0; value < 100'000; ++value) {
        const std::size_t next = LatencyHistogram::bucket_of(value);
        ASSERT_TRUE(next == bucket || next == bucket + 1) << value;
        if (next != bucket) {
            ASSERT_EQ(LatencyHistogram::upper_end(bucket), value - 1);
        }
        bucket = next;
    }
    EXPECT_EQ(LatencyHistogram::upper_end(LatencyHistogram::bucket_of(LatencyHistogram::kLargest)),
              LatencyHistogram::kLargest);
}

TEST(LatencyHistogram, ABucketIsNeverWiderThanAThirtySecond) {
    std::mt19937_64 random(1);
    for (int i = 0; i < 100'000; ++i) {
        const std::uint64_t value = random() >> (23 + random() % 41);
        const std::uint64_t end = LatencyHistogram::upper_end(LatencyHistogram::bucket_of(value));
        ASSERT_GE(end, value);
        ASSERT_LE((end - value) * 32, value + 31) << value;
    }
}

TEST(LatencyHistogram, PercentilesAreCloseToTheSortedValues) {
    std::mt19937_64 random(7);
    LatencyHistogram histogram;
    std::vector<std::uint64_t> values;
    for (int i = 0; i < 10'000; ++i) {
        values.push_back(1000 + random() % 1'000'000);
        histogram.add(values.back());
    }
    std::ranges::sort(values);
    for (const double percent : {1.0, 25.0, 50.0, 90.0, 99.0, 99.9}) {
        const auto rank = static_cast<std::size_t>(percent / 100.0 * 10'000) - 1;
        const std::uint64_t exact = values[rank];
        EXPECT_GE(histogram.percentile(percent), exact);
        EXPECT_LE(histogram.percentile(percent), exact + exact / 32 + 1);
    }
    EXPECT_EQ(histogram.percentile(0), histogram.percentile(0.01));
    EXPECT_EQ(histogram.percentile(100), values.back());
    EXPECT_EQ(histogram.smallest(), values.front());
    EXPECT_EQ(histogram.largest(), values.back());
}

TEST(LatencyHistogram, HugeValuesStayInTheLastBucket) {
    LatencyHistogram histogram;
    histogram.add(~std::uint64_t{0});
    EXPECT_EQ(histogram.percentile(50), LatencyHistogram::kLargest);
    EXPECT_EQ(histogram.largest(), ~std::uint64_t{0});
}

TEST(LatencyHistogram, MergeIsTheSameAsAddingEverythingToOne) {
    std::mt19937_64 random(3);
    LatencyHistogram first;
    LatencyHistogram second;
    LatencyHistogram both;
    for (int i = 0; i < 1000; ++i) {
        const std::uint64_t value = random() % (1 << 20);
        (i % 3 == 0 ? first : second).add(value);
        both.add(value);
    }
    first.merge(second);
    EXPECT_EQ(first.count(), both.count());
    EXPECT_EQ(first.mean(), both.mean());
    EXPECT_EQ(first.smallest(), both.smallest());
    EXPECT_EQ(first.largest(), both.largest());
    for (int percent = 0; percent <= 100; ++percent)
        EXPECT_EQ(first.percentile(percent), both.percentile(percent));
    first.clear();
    EXPECT_EQ(first.count(), 0U);
}

}  // namespace
}  // namespace farlink::telemetry::latency_histogram_test
