// SPDX-License-Identifier: Apache-2.0
#include "apps/shared/traffic/rate_text.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace farlink::traffic::rate_text_test {
namespace {

TEST(RateText, InUnitsThatFit) {
    EXPECT_EQ(bit_rate_text(0), "0.00 bit/s");
    EXPECT_EQ(bit_rate_text(950), "950 bit/s");
    EXPECT_EQ(bit_rate_text(1234), "1.23 kbit/s");
    EXPECT_EQ(bit_rate_text(45.6e6), "45.6 Mbit/s");
    EXPECT_EQ(bit_rate_text(789e9), "789 Gbit/s");
    EXPECT_EQ(time_text(0.0000351), "35.1 us");
    EXPECT_EQ(time_text(0.00123), "1.23 ms");
    EXPECT_EQ(time_text(4.5), "4.50 s");
}

TEST(RateText, NoneOfWhatIsTooShort) {
    EXPECT_EQ(rates_text(1, 100'000, 2), "run too short to compute a rate");
    EXPECT_EQ(rates_text(5, 100'000, 0.0001), "run too short to compute a rate");
    EXPECT_EQ(rates_text(5, 100'000, 0), "run too short to compute a rate");
    EXPECT_EQ(rates_text(1000, 1'000'000, 2), "500 bundles/s, 4.00 Mbit/s of payload");
}

TEST(RateText, JsonHasNoRateOfWhatIsTooShort) {
    nlohmann::json report;
    add_rates(report, 5, 100'000, 0.0001);
    EXPECT_TRUE(report["bundlesPerSecond"].is_null()) << report;
    EXPECT_TRUE(report["goodputBitsPerSec"].is_null()) << report;
    add_rates(report, 1, 100'000, 2);
    EXPECT_TRUE(report["bundlesPerSecond"].is_null()) << report;
    add_rates(report, 1000, 1'000'000, 2);
    EXPECT_EQ(report["bundlesPerSecond"], 500);
    EXPECT_EQ(report["goodputBitsPerSec"], 4e6);
}

}  // namespace
}  // namespace farlink::traffic::rate_text_test
