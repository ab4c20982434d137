// SPDX-License-Identifier: Apache-2.0
#include "common/config/review/ltp_advice.hpp"

#include <gtest/gtest.h>

namespace farlink::config::ltp_advice_test {
namespace {

LinkOptions far_link() {
    LinkOptions link;
    link.ltp.owlt = seconds(2);
    link.ltp.margin = milliseconds(200);
    link.ltp.max_retries = 5;
    link.ltp.max_send_sessions = 10'000;
    link.max_in_flight_bytes = 600'000'000;
    link.max_in_flight_bundles = 10'000;
    return link;
}

TEST(LtpAdviceTest, ComputesTheOutageThatASenderSurvives) {
    EXPECT_EQ(survivable_outage(far_link().ltp), seconds(22));
}

TEST(LtpAdviceTest, BundlesAreHeldBackForLessThanTheSendersTimeout) {
    NodeConfig config;
    config.max_pause = seconds(60);
    EXPECT_EQ(longest_pause(config), seconds(60));
    InductConfig induct;
    static_cast<LinkOptions &>(induct) = far_link();
    induct.url.scheme = "ltp";
    config.inducts.push_back(induct);
    EXPECT_EQ(closing_report_hold(induct.ltp), seconds(11));
    EXPECT_EQ(longest_pause(config), milliseconds(5500));
    config.max_pause = seconds(1);
    EXPECT_EQ(longest_pause(config), seconds(1));
}

TEST(LtpAdviceTest, ComputesWhatFillsALink) {
    EXPECT_EQ(bytes_to_fill(far_link().ltp, BitRate{1'000'000'000}), 550'000'000U);
    EXPECT_EQ(bytes_to_fill(far_link().ltp, BitRate{0}), 0U);
}

TEST(LtpAdviceTest, IsSilentWhereTheLimitsDo) {
    EXPECT_TRUE(pipeline_warnings(far_link(), BitRate{1'000'000'000}, 100'000).empty());
    EXPECT_TRUE(pipeline_warnings(far_link(), BitRate{0}, 100).empty());
}

TEST(LtpAdviceTest, NamesEachLimitAndTheValueThatWouldDo) {
    LinkOptions link = far_link();
    link.max_in_flight_bytes = 8'000'000;
    const auto warnings = pipeline_warnings(link, BitRate{1'000'000'000}, 5'000);
    ASSERT_EQ(warnings.size(), 3U);
    EXPECT_EQ(warnings[0],
              "maxSumOfBundleBytesInPipeline is 8000000, too low for 1000000000 bit/s at a one-way "
              "light time of 2000 ms with a margin of 200 ms: it must be at least 550000000");
    EXPECT_NE(warnings[1].find("maxNumberOfBundlesInPipeline is 10000"), std::string::npos);
    EXPECT_NE(warnings[2].find("it must be at least 110000"), std::string::npos);
}

TEST(LtpAdviceTest, AggregationNeedsFewerSessions) {
    LinkOptions link = far_link();
    link.max_in_flight_bundles = 1'000'000;
    link.ltp.aggregation_bytes = 100'000;
    EXPECT_TRUE(pipeline_warnings(link, BitRate{1'000'000'000}, 1'000).empty());
}

}  // namespace
}  // namespace farlink::config::ltp_advice_test
