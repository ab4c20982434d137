// SPDX-License-Identifier: Apache-2.0
#include "common/runtime/log/log.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <span>
#include <string>

#include "common/runtime/log/log_format.hpp"

namespace farlink::log_test {
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

TEST(LogLimiter, AnIntervalMayHaveSeveralLines) {
    LogLimiter limiter(seconds(10), 100);
    TimePoint now{seconds(100)};
    for (int line = 0; line < 100; ++line) EXPECT_EQ(limiter.admit(now), 0U);
    for (int line = 0; line < 7; ++line) EXPECT_EQ(limiter.admit(now), std::nullopt);
    now += seconds(10) - milliseconds(1);
    EXPECT_EQ(limiter.admit(now), std::nullopt);
    now += milliseconds(1);
    EXPECT_EQ(limiter.admit(now), 8U);
    EXPECT_EQ(limiter.admit(now), 0U) << "it is reported once";
}

/// The lines that `logger` writes when a thousand links have a fault at once.
std::ptrdiff_t lines_of_many_links(const char *logger, LogLevel level) {
    testing::internal::CaptureStderr();
    const Logger log(logger);
    for (int link = 0; link < 1000; ++link) log.log(level, "link {}: rejected a peer", link);
    return std::ranges::count(testing::internal::GetCapturedStderr(), '\n');
}

TEST_F(Log, AThousandLinksDoNotFloodTheLog) {
    EXPECT_EQ(lines_of_many_links("ltp", LogLevel::kWarn), Logger::kLinkLines);
    EXPECT_EQ(lines_of_many_links("ltp", LogLevel::kInfo), 0) << "they share it";
    EXPECT_EQ(lines_of_many_links("ltp", LogLevel::kError), 1000) << "an error is never left out";
    EXPECT_EQ(lines_of_many_links("udp", LogLevel::kInfo), Logger::kLinkLines);
    EXPECT_EQ(lines_of_many_links("audit", LogLevel::kInfo), 1000) << "it is not about links";
}

TEST_F(Log, WhoAsksForDetailsGetsAll) {
    set_log_level(LogLevel::kDebug);
    EXPECT_EQ(lines_of_many_links("ltp", LogLevel::kDebug), 1000);
    set_log_level(LogLevel::kInfo);
}

}  // namespace
}  // namespace farlink::log_test
