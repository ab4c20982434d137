// SPDX-License-Identifier: Apache-2.0
#include "module/telemetry/core/history/rate_table.hpp"

#include <gtest/gtest.h>

#include "module/telemetry/core/text/json.hpp"

namespace farlink::telemetry::rate_table_test {
namespace {

constexpr DtnTime kBegin = 800'000'000'000;

Json series(const RateTable &table, const char *name) {
    return Json::parse(table.to_json())["series"][name];
}

TEST(RateTable, ValuesAreMeansOfTheirStep) {
    RateTable table({kBegin, kBegin + 90'000, 30, {}, false});
    for (std::uint64_t i = 0; i < 6; ++i) table.add(kBegin + i * 10'000, 10, "in", i * 10);
    const Json json = Json::parse(table.to_json());
    EXPECT_EQ(json["from"], "2025-05-08T06:13:20.000Z");
    EXPECT_EQ(json["step"], 30);
    EXPECT_EQ(json["series"]["in"], Json::parse("[10,40,null]"));
}

TEST(RateTable, ShortStepsTakeCoarseRowsOnlyWhereThereAreNoFineOnes) {
    RateTable table({kBegin, kBegin + 60'000, 20, {}, false});
    table.add(kBegin, 60, "in", 100);
    table.add(kBegin + 20'000, 10, "in", 7);
    EXPECT_EQ(series(table, "in"), Json::parse("[100,7,100]"));
}

TEST(RateTable, MinutesTakeFineRowsOnlyWhereThereAreNoCoarseOnes) {
    RateTable table({kBegin, kBegin + 120'000, 60, {}, false});
    table.add(kBegin, 10, "in", 7);
    table.add(kBegin + 60'000, 10, "in", 9);
    table.add(kBegin, 60, "in", 100);
    EXPECT_EQ(series(table, "in"), Json::parse("[100,9]"));
}

TEST(RateTable, RowsOutsideOfThePeriodAndOtherSeriesAreLeftOut) {
    RateTable table({kBegin, kBegin + 60'000, 60, {"in"}, false});
    table.add(kBegin - 60'000, 60, "in", 1);
    table.add(kBegin + 60'000, 60, "in", 1);
    table.add(kBegin, 60, "out", 1);
    table.add(~DtnTime{0} - 5, 60, "in", 1);
    EXPECT_EQ(Json::parse(table.to_json())["series"], Json::object());
    table.add(kBegin - 30'000, 60, "in", 3);  // in part
    EXPECT_EQ(series(table, "in"), Json::parse("[3]"));
}

TEST(RateTable, TooManyValuesAreRefused) {
    RateTable table({kBegin, kBegin + RateTable::kMostPoints * 10'000, 10, {}, false});
    const auto fits = RateTable::kMostValues / RateTable::kMostPoints;
    for (std::uint64_t i = 0; i < fits; ++i) table.add(kBegin, 10, std::to_string(i), 1);
    EXPECT_FALSE(table.too_large());
    table.add(kBegin, 10, "one more", 1);
    EXPECT_TRUE(table.too_large());
}

TEST(RateTable, CommaSeparatedValuesHaveALineAStep) {
    RateTable table({kBegin, kBegin + 120'000, 60, {}, true});
    table.add(kBegin, 60, "in", 5);
    table.add(kBegin + 60'000, 60, "a,b", 6);
    EXPECT_EQ(table.to_csv(),
              "time,\"a,b\",in\r\n"
              "2025-05-08T06:13:20.000Z,,5\r\n"
              "2025-05-08T06:14:20.000Z,6,\r\n");
}

}  // namespace
}  // namespace farlink::telemetry::rate_table_test
