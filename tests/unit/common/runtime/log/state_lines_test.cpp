// SPDX-License-Identifier: Apache-2.0
#include "common/runtime/log/state_lines.hpp"

#include <gtest/gtest.h>

namespace farlink::state_lines_test {
namespace {

class StateLinesTest : public testing::Test {
protected:
    static TimePoint at(int second) { return TimePoint{} + seconds(100 + second); }
    /// What one change writes.
    std::string log(const std::string &text, TimePoint now) {
        testing::internal::CaptureStderr();
        lines_.log(logger_, LogLevel::kInfo, text, now);
        return without_time(testing::internal::GetCapturedStderr());
    }
    std::string wait(TimePoint now) {
        testing::internal::CaptureStderr();
        lines_.handle_time(logger_, now);
        return without_time(testing::internal::GetCapturedStderr());
    }
    static std::string without_time(const std::string &line) {
        const std::size_t text = line.find(": ");
        return text == std::string::npos ? line : line.substr(text + 2);
    }

    Logger logger_{"state_lines_test"};
    StateLines lines_{std::chrono::minutes(10), 2};
};

TEST_F(StateLinesTest, TheLastStateOfASuppressedRunIsLoggedOnceItLasts) {
    EXPECT_EQ(log("down", at(0)), "down\n") << "the first one always";
    EXPECT_EQ(log("up", at(1)), "up\n");
    EXPECT_EQ(log("down", at(2)), "");
    EXPECT_EQ(log("up", at(3)), "");
    EXPECT_EQ(log("down again", at(4)), "");
    EXPECT_EQ(wait(at(63)), "");
    EXPECT_EQ(wait(at(64)), "down again (2 more not shown)\n");
    EXPECT_EQ(wait(at(65)), "") << "once";
    EXPECT_EQ(log("up", at(66)), "") << "the interval lasts";
    EXPECT_EQ(log("down", at(600)), "down (1 more not shown)\n");
    EXPECT_EQ(wait(at(700)), "") << "nothing is held back";
}

}  // namespace
}  // namespace farlink::state_lines_test
