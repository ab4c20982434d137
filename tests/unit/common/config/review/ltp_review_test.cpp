// SPDX-License-Identifier: Apache-2.0
#include "common/config/review/ltp_review.hpp"

#include <gtest/gtest.h>

#include "common/config/node/load_node_config.hpp"

namespace farlink::config::ltp_review_test {
namespace {

struct LtpReviewTest : testing::Test {
    using Lines = std::vector<std::string>;

    /// With these members beside the url of an induct, and of an outduct to node 3.
    static Lines review(const std::string &induct, const std::string &outduct,
                        const ContactPlan *plan = nullptr) {
        const auto config = parse_node_config(
            R"({"myNodeId": 1, "inductsConfig": [{"url": "ltp://0.0.0.0:1113")" + induct +
            R"(}], "outductsConfig": [{"url": "ltp://far:1113", "nextHopNodeId": 3)" + outduct +
            "}]}");
        EXPECT_TRUE(config) << config.error().to_string();
        return review_ltp(*config, plan);
    }
    static std::string only_warning(const Lines &lines) {
        EXPECT_EQ(lines.size(), 2U);
        return lines.size() < 2 ? "" : lines[1];
    }
};

TEST_F(LtpReviewTest, TellsTheOutageThatASenderSurvives) {
    EXPECT_EQ(review("", ""), Lines{"outductsConfig[0]: LTP engine 3, survives an outage of 2 s"});
    EXPECT_EQ(review(R"(, "oneWayLightTimeMs": 2000)",
                     R"(, "oneWayLightTimeMs": 1300, "ltpMaxRetriesPerSerialNumber": 20)"),
              Lines{"outductsConfig[0]: LTP engine 3, survives an outage of 60 s"});
}

TEST_F(LtpReviewTest, NamesWhatWouldFillTheLink) {
    const std::string line =
        only_warning(review(R"(, "oneWayLightTimeMs": 2000)",
                            R"(, "oneWayLightTimeMs": 2000, "rateLimitBitsPerSec": 1000000000,
                    "maxSumOfBundleBytesInPipeline": 8000000,
                    "maxNumberOfBundlesInPipeline": 10000)"));
    EXPECT_EQ(line,
              "outductsConfig[0]: warning: maxSumOfBundleBytesInPipeline is 8000000, too low for "
              "1000000000 bit/s at a one-way light time of 2000 ms with a margin of 200 ms: it "
              "must be at least 550000000");
}

TEST_F(LtpReviewTest, TheContactsOfThePlanCount) {
    ContactPlan plan;
    plan.contacts = {
        {1, NodeNumber{1}, NodeNumber{3}, 0, 10'000, BitRate{1'000'000'000}, seconds(2)},
        {2, NodeNumber{1}, NodeNumber{3}, 20'000, 30'000, BitRate{1'000}, seconds(1)},
        {3, NodeNumber{3}, NodeNumber{1}, 0, 10'000, BitRate{}, seconds(900)}};
    const Lines lines = review(R"(, "neighbours": [{"nodeId": 3, "address": "192.0.2.3"}])",
                               R"(, "maxSumOfBundleBytesInPipeline": 8000000,
                                    "maxNumberOfBundlesInPipeline": 10000)",
                               &plan);
    ASSERT_EQ(lines.size(), 2U);
    EXPECT_EQ(lines[0], "outductsConfig[0]: LTP engine 3, survives an outage of 12 s")
        << "the least that it does";
    EXPECT_TRUE(lines[1].ends_with("it must be at least 550000000")) << lines[1];
}

TEST_F(LtpReviewTest, AContactWithoutALightTimeHasThatOfTheLink) {
    ContactPlan plan;
    plan.contacts = {{1, NodeNumber{1}, NodeNumber{3}, 0, 10'000, BitRate{1'000}}};
    EXPECT_EQ(review(R"(, "oneWayLightTimeMs": 2000)",
                     R"(, "oneWayLightTimeMs": 1300, "ltpMaxRetriesPerSerialNumber": 20)", &plan),
              Lines{"outductsConfig[0]: LTP engine 3, survives an outage of 60 s"});
}

TEST_F(LtpReviewTest, WarnsWhereBundlesAreHeldBackForLongerThanASenderWaits) {
    const auto lines = [](const std::string &members) {
        const auto config = parse_node_config(
            R"({"myNodeId": 1, "inductsConfig": [{"url": "ltp://0.0.0.0:1113"}])" + members + "}");
        EXPECT_TRUE(config) << config.error().to_string();
        return review_ltp(*config, nullptr);
    };
    EXPECT_TRUE(lines("").empty());
    EXPECT_EQ(lines(R"(, "maxPauseMilliseconds": 1001)"),
              Lines{"inductsConfig[0]: warning: maxPauseMilliseconds is 1001, but a sender of LTP "
                    "blocks with these settings needs a report after 1000 ms: bundles are held "
                    "back for 500 ms at most; a larger oneWayMarginTimeMs or "
                    "ltpMaxRetriesPerSerialNumber allows more"});
}

TEST_F(LtpReviewTest, WarnsOfImplausibleValues) {
    EXPECT_EQ(only_warning(review("", R"(, "oneWayLightTimeMs": 600000)")),
              "inductsConfig[0]: warning: oneWayLightTimeMs is 0, but the neighbour of "
              "outductsConfig[0] is 600000 ms away: reports to it are repeated and abandoned "
              "before it can answer");
    const Lines margin = review("", R"(, "oneWayMarginTimeMs": 1)");
    ASSERT_EQ(margin.size(), 3U);
    EXPECT_NE(margin[1].find("MarginTimeMs is 1,"), std::string::npos);
    EXPECT_NE(margin[2].find("maxPauseMilliseconds"), std::string::npos);
    EXPECT_NE(only_warning(review("", R"(, "maxSumOfBundleBytesInPipeline": 1)"))
                  .find("less than a segment"),
              std::string::npos);
    EXPECT_NE(only_warning(review("", R"(, "remoteLtpEngineId": 1)")).find("has the same number"),
              std::string::npos);
}

}  // namespace
}  // namespace farlink::config::ltp_review_test
