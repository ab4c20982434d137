// SPDX-License-Identifier: Apache-2.0
#include "apps/bpsink/report.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace farlink::bpsink::report_test {
namespace {

nlohmann::json empty_report() {
    nlohmann::json report{{"complete", false}, {"seconds", 0.0}};
    for (const char *const count : {"received", "lost", "duplicates", "outOfOrder", "corrupt",
                                    "malformed", "misdelivered", "fragments", "payloadBytes"})
        report[count] = 0;
    return report;
}

TEST(BpsinkReport, SaysThatNothingWasReceived) {
    const std::string text = report_text(empty_report());
    EXPECT_TRUE(text.ends_with("run incomplete\nnothing was received\n")) << text;
    EXPECT_EQ(text.find("rate"), std::string::npos) << text;
}

TEST(BpsinkReport, ABundleThatIsMalformedIsNotNothing) {
    nlohmann::json report = empty_report();
    report["malformed"] = 1;
    EXPECT_TRUE(report_text(report).ends_with("run incomplete\n")) << report_text(report);
}

}  // namespace
}  // namespace farlink::bpsink::report_test
