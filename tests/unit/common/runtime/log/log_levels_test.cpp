// SPDX-License-Identifier: Apache-2.0
#include "common/runtime/log/log_levels.hpp"
#include "tests/support/build_folders.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <string>

namespace farlink::log_levels_test {
namespace {

class Levels : public testing::Test {
protected:
    void TearDown() override { set_log_level(LogLevel::kInfo); }
};

TEST_F(Levels, ATextNamesOneForAllAndOthersBehindIt) {
    EXPECT_EQ(parse_log_levels("warn", LogLevel::kInfo), (LogLevels{LogLevel::kWarn, {}}));
    EXPECT_EQ(
        parse_log_levels("info,egress=debug,ltp=trace", LogLevel::kOff),
        (LogLevels{LogLevel::kInfo, {{"egress", LogLevel::kDebug}, {"ltp", LogLevel::kTrace}}}));
    EXPECT_EQ(parse_log_levels("bus=off", LogLevel::kError),
              (LogLevels{LogLevel::kError, {{"bus", LogLevel::kOff}}}));
}

TEST_F(Levels, ATextThatIsNoneSaysWhatThereIs) {
    EXPECT_EQ(parse_log_levels("loud", LogLevel::kInfo).error(),
              "\"loud\": not a log level; expected one of trace, debug, info, warn, error, "
              "critical, off");
    EXPECT_EQ(parse_log_levels("ltp=debug,info", LogLevel::kInfo).error(),
              "the level of all loggers must be first: \"info,ltp=debug\"");
    EXPECT_TRUE(parse_log_levels("egres=debug", LogLevel::kInfo)
                    .error()
                    .starts_with("\"egres=debug\": no such logger; expected one of alarms,"));
    for (const char *wrong : {"", ",", "info,", "=debug", "ltp=", "ltp", "info,ltp=debug=info"})
        EXPECT_FALSE(parse_log_levels(wrong, LogLevel::kInfo)) << wrong;
}

TEST_F(Levels, OfALoggerIsItsOwnOrThatOfAll) {
    LogLevels levels{LogLevel::kWarn, {{"ingress", LogLevel::kTrace}}};
    EXPECT_EQ(levels.of("ingress"), LogLevel::kTrace);
    EXPECT_EQ(levels.of("ingress3"), LogLevel::kTrace) << "an instance";
    EXPECT_EQ(levels.of("egress"), LogLevel::kWarn);
    levels.set("egress", LogLevel::kOff);
    EXPECT_EQ(levels.of("egress2"), LogLevel::kOff);
    levels.set("", LogLevel::kDebug);
    EXPECT_EQ(levels, (LogLevels{LogLevel::kDebug, {}})) << "all means all";
}

TEST_F(Levels, HoldForLoggersOfBothSides) {
    const Logger before("ltp");
    set_log_levels({LogLevel::kError, {{"ltp", LogLevel::kDebug}, {"udp", LogLevel::kOff}}});
    EXPECT_TRUE(before.enabled(LogLevel::kDebug));
    EXPECT_FALSE(Logger("udp").enabled(LogLevel::kCritical));
    EXPECT_FALSE(Logger("bus").enabled(LogLevel::kWarn));
    set_log_level("udp", LogLevel::kInfo);
    EXPECT_TRUE(Logger("udp").enabled(LogLevel::kInfo));
    EXPECT_EQ(log_levels().of("udp"), LogLevel::kInfo);
    EXPECT_EQ(log_levels().all, LogLevel::kError);
}

TEST_F(Levels, EveryLoggerOfTheNodeCanBeNamed) {
    const std::regex made("\\bLogger(?: \\w+)?[({]\"(\\w+)\"");
    std::size_t found = 0;
    for (const char *folder : {"apps/farlink", "cla", "common", "module"}) {
        const auto root = std::filesystem::path(FARLINK_SOURCE_DIR) / folder;
        for (const auto &file : std::filesystem::recursive_directory_iterator(root)) {
            if (!file.is_regular_file()) continue;
            std::ifstream in(file.path());
            const std::string text{std::istreambuf_iterator<char>(in), {}};
            for (std::sregex_iterator at(text.begin(), text.end(), made), end; at != end; ++at) {
                ++found;
                EXPECT_EQ(wrong_logger((*at)[1].str()), "") << file.path() << ": " << (*at)[1];
            }
        }
    }
    EXPECT_GT(found, 10U);
    EXPECT_TRUE(std::ranges::is_sorted(kLoggerNames));
}

}  // namespace
}  // namespace farlink::log_levels_test
