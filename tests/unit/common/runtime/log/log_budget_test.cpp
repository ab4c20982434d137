// SPDX-License-Identifier: Apache-2.0
#include "common/runtime/log/log_budget.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "common/runtime/log/log.hpp"

namespace farlink {
namespace {

TEST(LogBudget, AnIntervalHasSoManyLines) {
    LogBudget budget;
    TimePoint now{seconds(100)};
    for (std::uint32_t line = 0; line < LogBudget::kLines; ++line) EXPECT_EQ(budget.admit(now), 0U);
    for (int line = 0; line < 7; ++line) EXPECT_EQ(budget.admit(now), std::nullopt);
    now += LogBudget::kInterval - milliseconds(1);
    EXPECT_EQ(budget.admit(now), std::nullopt);
    now += milliseconds(1);
    EXPECT_EQ(budget.admit(now), 8U);
    EXPECT_EQ(budget.admit(now), 0U) << "it is reported once";
}

/// The lines that `logger` writes when a thousand links have a fault at once.
std::ptrdiff_t lines_of_many_links(const char *logger, LogLevel level) {
    testing::internal::CaptureStderr();
    const Logger log(logger);
    for (int link = 0; link < 1000; ++link) log.log(level, "link {}: rejected a peer", link);
    return std::ranges::count(testing::internal::GetCapturedStderr(), '\n');
}

TEST(LogBudget, AThousandLinksDoNotFloodTheLog) {
    EXPECT_EQ(lines_of_many_links("ltp", LogLevel::kWarn), LogBudget::kLines);
    EXPECT_EQ(lines_of_many_links("ltp", LogLevel::kInfo), 0) << "they share it";
    EXPECT_EQ(lines_of_many_links("ltp", LogLevel::kError), 1000) << "an error is never left out";
    EXPECT_EQ(lines_of_many_links("udp", LogLevel::kInfo), LogBudget::kLines);
    EXPECT_EQ(lines_of_many_links("audit", LogLevel::kInfo), 1000) << "it is not about links";
}

TEST(LogBudget, WhoAsksForDetailsGetsAll) {
    set_log_level(LogLevel::kDebug);
    EXPECT_EQ(lines_of_many_links("ltp", LogLevel::kDebug), 1000);
    set_log_level(LogLevel::kInfo);
}

}  // namespace
}  // namespace farlink
