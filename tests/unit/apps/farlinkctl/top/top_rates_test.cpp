// SPDX-License-Identifier: Apache-2.0
#include "apps/farlinkctl/top/top_rates.hpp"

#include <gtest/gtest.h>

namespace farlink::ctl::top_rates_test {
namespace {

using Json = nlohmann::ordered_json;

Json state(double uptime, int bundles, int octets) {
    return {
        {"node", {{"uptimeSeconds", uptime}}},
        {"flow", {{"receivedBundles", bundles}, {"receivedBytes", octets}}},
        {"links",
         {{"1", {{"inBundles", bundles}, {"inBytes", octets}, {"outBundles", 0}, {"outBytes", 0}}},
          {"2", {{"number", 2}}}}}};
}

TEST(TopRates, AreWhatHasComeInTheTimeBetween) {
    const auto rates = rates_between(state(10, 100, 1'000), state(12, 300, 5'000));
    ASSERT_TRUE(rates);
    EXPECT_EQ(rates->node.in_bundles, 100);
    EXPECT_EQ(rates->node.in_bits, 16'000);
    EXPECT_EQ(rates->node.out_bits, 0);
    EXPECT_EQ(rates->links.at("1").in_bits, 16'000);
    EXPECT_FALSE(rates->links.contains("2")) << "it has counted nothing";
}

TEST(TopRates, ANodeThatWasStartedAnewHasNone) {
    EXPECT_FALSE(rates_between(state(10, 1, 1), state(1, 0, 0)));
    EXPECT_FALSE(rates_between(state(10, 1, 1), state(10, 1, 1)));
    EXPECT_FALSE(rates_between(Json::object(), state(10, 1, 1)));
}

TEST(TopRates, ACounterThatBeganAnewCountsNothing) {
    const auto rates = rates_between(state(10, 100, 1'000), state(11, 1, 5));
    ASSERT_TRUE(rates);
    EXPECT_EQ(rates->links.at("1").in_bits, 0);
}

}  // namespace
}  // namespace farlink::ctl::top_rates_test
