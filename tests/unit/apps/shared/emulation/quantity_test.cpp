// SPDX-License-Identifier: Apache-2.0
#include "apps/shared/emulation/quantity.hpp"

#include <gtest/gtest.h>

namespace farlink::emulation::quantity_test {
namespace {

TEST(QuantityTest, ReadsDurations) {
    EXPECT_EQ(parse_duration("250ms"), milliseconds(250));
    EXPECT_EQ(parse_duration("2"), seconds(2));
    EXPECT_EQ(parse_duration("1.5h"), seconds(5400));
    EXPECT_EQ(parse_duration("0"), Duration::zero());
    for (const char *const wrong : {"", "s", "-1s", "2 s", "2weeks", "inf", "nan", "1e30s", "1s2"})
        EXPECT_FALSE(parse_duration(wrong)) << wrong;
}

TEST(QuantityTest, ReadsAmounts) {
    EXPECT_EQ(parse_amount("500k"), 500'000U);
    EXPECT_EQ(parse_amount("1.5G"), 1'500'000'000U);
    EXPECT_EQ(parse_amount("7"), 7U);
    for (const char *const wrong : {"", "k", "-1", "1K", "1e40", "1Gb"})
        EXPECT_FALSE(parse_amount(wrong)) << wrong;
}

TEST(QuantityTest, ReadsOutages) {
    const auto outage = parse_outage("10s+500ms");
    ASSERT_TRUE(outage);
    EXPECT_EQ(outage->begin, seconds(10));
    EXPECT_EQ(outage->length, milliseconds(500));
    for (const char *const wrong : {"10s", "+", "10s+", "+2s", "10s-2s"})
        EXPECT_FALSE(parse_outage(wrong)) << wrong;
}

}  // namespace
}  // namespace farlink::emulation::quantity_test
