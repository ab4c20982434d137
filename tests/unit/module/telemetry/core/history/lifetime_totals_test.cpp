// SPDX-License-Identifier: Apache-2.0
#include "module/telemetry/core/history/lifetime_totals.hpp"

#include <gtest/gtest.h>

namespace farlink::telemetry::lifetime_totals_test {
namespace {

constexpr DtnTime kBegin = 800'000'000'000;

TEST(LifetimeTotals, RunsAreAddedUp) {
    const LifetimeTotals first(kBegin);
    const auto second =
        LifetimeTotals::parse(first.to_text({{"receivedBundles", 5}, {"old", 1}}, seconds(60)));
    ASSERT_TRUE(second);
    const auto third = LifetimeTotals::parse(second->to_text({{"receivedBundles", 7}}, seconds(5)));
    ASSERT_TRUE(third);
    const Json document = third->document({{"receivedBundles", 1}, {"new", 2}}, seconds(1));
    EXPECT_EQ(document["since"], "2025-05-08T06:13:20.000Z");
    EXPECT_EQ(document["starts"], 3);
    EXPECT_EQ(document["upSeconds"], 66);
    EXPECT_EQ(document["totals"], Json::parse(R"({"receivedBundles":13,"old":1,"new":2})"));
}

TEST(LifetimeTotals, EachDamageIsFound) {
    const std::string text = LifetimeTotals(kBegin).to_text({{"receivedBundles", 5}}, seconds(60));
    for (std::size_t at = 0; at + 1 < text.size(); ++at) {
        std::string damaged = text;
        damaged[at] ^= 0x01;
        EXPECT_FALSE(LifetimeTotals::parse(damaged)) << damaged;
        EXPECT_FALSE(LifetimeTotals::parse(text.substr(0, at)));
    }
}

TEST(LifetimeTotals, ANewerVersionIsNotTakenForDamage) {
    Json document = Json::parse(LifetimeTotals(kBegin).to_text({}, seconds(0)));
    EXPECT_EQ(document["version"], kHistoryVersion);
    EXPECT_EQ(LifetimeTotals::parse(R"({"crc32c":0,"version":2})").error(), HeaderError::kDamaged);
    // The CRC-32C of {"version":2}.
    EXPECT_EQ(LifetimeTotals::parse(R"({"crc32c":2917221635,"version":2})").error(),
              HeaderError::kNewer);
}

}  // namespace
}  // namespace farlink::telemetry::lifetime_totals_test
