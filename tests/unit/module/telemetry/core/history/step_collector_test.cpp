// SPDX-License-Identifier: Apache-2.0
#include "module/telemetry/core/history/step_collector.hpp"

#include <gtest/gtest.h>

namespace farlink::telemetry::step_collector_test {
namespace {

constexpr DtnTime kBegin = 800'000'000'000;  // a multiple of ten seconds

TEST(StepCollector, ARowIsTheMeanOfItsSeconds) {
    StepCollector collector(10);
    for (std::uint64_t second = 1; second <= 10; ++second) {
        EXPECT_FALSE(collector.begin_second(kBegin + second * 1000));
        collector.add("in", second);
        if (second > 8) collector.add("late", 100);
    }
    const auto row = collector.begin_second(kBegin + 11'000);
    ASSERT_TRUE(row);
    EXPECT_EQ(row->begin, kBegin);
    EXPECT_EQ(row->kind(), HistoryKind::kFineRates);
    EXPECT_EQ(row->values,
              (std::vector<std::pair<std::string, std::uint64_t>>{{"in", 6}, {"late", 100}}));
}

TEST(StepCollector, AStepWithoutValuesHasNoRow) {
    StepCollector collector(60);
    EXPECT_FALSE(collector.begin_second(kBegin + 1000));
    EXPECT_FALSE(collector.begin_second(kBegin + 61'000));
    EXPECT_FALSE(collector.finish());
}

TEST(StepCollector, AClockThatIsSetBackBeginsAnotherRow) {
    StepCollector collector(10);
    EXPECT_FALSE(collector.begin_second(kBegin + 1000));
    collector.add("in", 5);
    const auto row = collector.begin_second(kBegin - 50'000);
    ASSERT_TRUE(row);
    EXPECT_EQ(row->begin, kBegin);
    collector.add("in", ~std::uint64_t{0});
    const auto rest = collector.finish();
    ASSERT_TRUE(rest);
    EXPECT_EQ(rest->begin, kBegin - 60'000);
    EXPECT_EQ(rest->values[0].second, std::uint64_t{1} << 53);
}

}  // namespace
}  // namespace farlink::telemetry::step_collector_test
