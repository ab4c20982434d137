// SPDX-License-Identifier: Apache-2.0
#include "apps/bpgen/report.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace farlink::bpgen::report_test {
namespace {

constexpr std::uint64_t kPayloadBytes = 1000;

GeneratorReport report_of(std::uint64_t bundles, std::uint64_t acknowledged, double seconds) {
    GeneratorReport report;
    report.bundles = bundles;
    report.acknowledged_bundles = report.rated_bundles = acknowledged;
    report.seconds = seconds;
    return report;
}

TEST(BpgenReport, TheRateIsOfAcknowledgedBundles) {
    const GeneratorReport report = report_of(3000, 1000, 2);
    const auto json = nlohmann::json::parse(report_json(report, kPayloadBytes));
    EXPECT_EQ(json["bundles"], 3000);
    EXPECT_EQ(json["acknowledgedBundles"], 1000);
    EXPECT_EQ(json["bundlesPerSecond"], 500);
    EXPECT_EQ(json["goodputBitsPerSec"], 4e6);
    EXPECT_EQ(report_text(report, kPayloadBytes),
              "sent 3000 bundles, 1000 of them acknowledged in 2.00 s: 500 bundles/s, 4.00 Mbit/s "
              "of payload; 1000 acknowledged, 0 resent, 0 refused");
}

TEST(BpgenReport, NamesBundlesOnceIfAllAreAcknowledged) {
    EXPECT_EQ(report_text(report_of(1000, 1000, 2), kPayloadBytes),
              "sent 1000 bundles in 2.00 s: 500 bundles/s, 4.00 Mbit/s of payload; 1000 "
              "acknowledged, 0 resent, 0 refused");
}

TEST(BpgenReport, SaysThatNothingWasSent) {
    EXPECT_EQ(report_text(report_of(0, 0, 0), kPayloadBytes),
              "nothing was sent; 0 acknowledged, 0 resent, 0 refused");
}

TEST(BpgenReport, HasNoRateWithoutAcknowledgements) {
    const GeneratorReport report = report_of(1000, 0, 0);
    EXPECT_EQ(report_text(report, kPayloadBytes),
              "sent 1000 bundles, none of them acknowledged; 0 acknowledged, 0 resent, 0 refused");
    const auto json = nlohmann::json::parse(report_json(report, kPayloadBytes));
    EXPECT_TRUE(json["bundlesPerSecond"].is_null()) << json;
}

}  // namespace
}  // namespace farlink::bpgen::report_test
