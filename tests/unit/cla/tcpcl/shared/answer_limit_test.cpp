// SPDX-License-Identifier: Apache-2.0
#include "cla/tcpcl/shared/answer_limit.hpp"

#include <gtest/gtest.h>

namespace farlink::cla::tcpcl::answer_limit_test {
namespace {

constexpr TimePoint at(std::int64_t ms) {
    return TimePoint{} + milliseconds(ms);
}

TEST(TcpclAnswerLimit, IsOffWithoutALimit) {
    AnswerLimit limit(seconds(0));
    limit.observe(true, 0, at(0));
    EXPECT_EQ(limit.due(), kNever);
    EXPECT_FALSE(limit.passed(true, at(1'000'000)));
}

TEST(TcpclAnswerLimit, RunsFromTheLastProgressWhileSomethingIsAwaited) {
    AnswerLimit limit(seconds(10));
    limit.observe(false, 0, at(0));
    EXPECT_EQ(limit.due(), kNever);
    limit.observe(true, 0, at(1000));
    limit.observe(true, 0, at(2000));
    EXPECT_EQ(limit.due(), at(11'000));
    limit.observe(true, 1, at(5000));
    EXPECT_FALSE(limit.passed(true, at(14'999)));
    EXPECT_TRUE(limit.passed(true, at(15'000)));
    limit.observe(false, 1, at(15'000));
    EXPECT_FALSE(limit.passed(true, at(100'000)));
}

TEST(TcpclAnswerLimit, ATimeWithoutReadingDoesNotCount) {
    AnswerLimit limit(seconds(10));
    limit.observe(true, 0, at(0));
    limit.handle_read_paused();
    EXPECT_FALSE(limit.passed(false, at(10'000)));
    EXPECT_FALSE(limit.passed(false, at(20'000)));
    // It is read again: its time begins at the last check.
    EXPECT_FALSE(limit.passed(true, at(30'000)));
    EXPECT_FALSE(limit.passed(true, at(39'999)));
    EXPECT_TRUE(limit.passed(true, at(40'000)));
}

}  // namespace
}  // namespace farlink::cla::tcpcl::answer_limit_test
