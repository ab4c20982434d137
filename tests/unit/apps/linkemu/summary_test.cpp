// SPDX-License-Identifier: Apache-2.0
#include "apps/linkemu/summary.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace farlink::linkemu::summary_test {
namespace {

Totals some_totals() {
    Totals totals;
    totals.forth.taken = 3;
    totals.forth.carried = 2;
    totals.forth.lost = 1;
    totals.dropped = 4;
    return totals;
}

TEST(LinkemuSummary, TextHasTheCountersAboveZero) {
    const std::string text = summary_text(some_totals());
    EXPECT_NE(text.find("forth:\n"), std::string::npos) << text;
    EXPECT_NE(text.find("  lost: 1\n"), std::string::npos) << text;
    EXPECT_NE(text.find("back:\n  carried: 0\n"), std::string::npos) << text;
    EXPECT_EQ(text.find("duplicated"), std::string::npos) << text;
}

TEST(LinkemuSummary, JsonHasEveryCounter) {
    const auto json = nlohmann::json::parse(summary_json(some_totals(), 7));
    EXPECT_EQ(json["seed"], 7);
    EXPECT_EQ(json["forth"]["lost"], 1);
    EXPECT_EQ(json["back"]["duplicated"], 0);
    EXPECT_EQ(json["dropped"], 4);
}

}  // namespace
}  // namespace farlink::linkemu::summary_test
