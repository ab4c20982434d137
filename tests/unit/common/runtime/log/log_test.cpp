// SPDX-License-Identifier: Apache-2.0
#include "common/runtime/log/log.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <span>
#include <string>

#include "common/runtime/log/log_format.hpp"

namespace farlink {
namespace {

class Log : public testing::Test {
protected:
    void TearDown() override { set_log_level(LogLevel::kInfo); }
};

TEST_F(Log, LevelsComeFromText) {
    EXPECT_EQ(parse_log_level("trace"), LogLevel::kTrace);
    EXPECT_EQ(parse_log_level("warn"), LogLevel::kWarn);
    EXPECT_EQ(parse_log_level("off"), LogLevel::kOff);
    EXPECT_EQ(parse_log_level("loud"), std::nullopt);
    EXPECT_EQ(parse_log_level(""), std::nullopt);
}

TEST_F(Log, LevelAppliesToLoggersOfBothSides) {
    const Logger before("log_test_before");
    set_log_level(LogLevel::kWarn);
    const Logger after("log_test_after");
    for (const Logger &logger : {before, after}) {
        EXPECT_FALSE(logger.enabled(LogLevel::kInfo));
        EXPECT_TRUE(logger.enabled(LogLevel::kWarn));
    }
    set_log_level(LogLevel::kOff);
    EXPECT_FALSE(before.enabled(LogLevel::kCritical));
}

TEST_F(Log, OneLineAnEvent) {
    testing::internal::CaptureStderr();
    const Logger logger("log_test");
    logger.info("{} bundles in {:.1f} s of {}", 3, 1.5, "\u00e4\n\x1b[31m\x7f\n");
    logger.debug("hidden at level info");
    std::string line = testing::internal::GetCapturedStderr();
    const std::size_t time_ends = std::min(line.find(' '), line.size());
    for (char &c : std::span(line).first(time_ends))
        if (c >= '0' && c <= '9') c = '0';
    EXPECT_EQ(line,
              "0000-00-00T00:00:00.000000Z info log_test: 3 bundles in 1.5 s of "
              "\u00e4\\n\\x1b[31m\\x7f\n");
}

TEST_F(Log, ALineForTheJournalBeginsWithItsSeverity) {
    set_log_format(LogFormat::kSyslog);
    testing::internal::CaptureStderr();
    Logger("log_test").warn("a");
    Logger("log_test").error("b");
    set_log_format(LogFormat::kText);
    const std::string lines = testing::internal::GetCapturedStderr();
    EXPECT_TRUE(lines.starts_with("<4>20")) << lines;
    EXPECT_NE(lines.find("\n<3>20"), std::string::npos) << lines;
    EXPECT_TRUE(lines.ends_with("Z error log_test: b\n")) << lines;
}

TEST(LogLimiter, LetsOneThroughAnIntervalAndCountsTheRest) {
    LogLimiter limiter(seconds(1));
    const TimePoint start{seconds(100)};
    EXPECT_EQ(limiter.admit(start), 0U);
    EXPECT_EQ(limiter.admit(start), std::nullopt);
    EXPECT_EQ(limiter.admit(start + milliseconds(999)), std::nullopt);
    EXPECT_EQ(limiter.admit(start + seconds(1)), 2U);
    EXPECT_EQ(limiter.admit(start + seconds(5)), 0U);
}

TEST(LogLimiter, TheFirstMessageAlwaysPasses) {
    LogLimiter limiter(seconds(3600));
    EXPECT_EQ(limiter.admit(TimePoint{}), 0U);
}

}  // namespace
}  // namespace farlink
