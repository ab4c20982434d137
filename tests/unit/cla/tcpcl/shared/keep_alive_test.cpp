// SPDX-License-Identifier: Apache-2.0
#include "cla/tcpcl/shared/keep_alive.hpp"

#include <gtest/gtest.h>

namespace farlink::cla::tcpcl::keep_alive_test {
namespace {

constexpr TimePoint at(std::int64_t ms) {
    return TimePoint{} + milliseconds(ms);
}

TEST(TcpclKeepAlive, IsOffWithoutAnInterval) {
    KeepAlive keep_alive;
    keep_alive.start(seconds(0), at(0));
    EXPECT_FALSE(keep_alive.enabled());
    EXPECT_EQ(keep_alive.send_due(), kNever);
    EXPECT_EQ(keep_alive.idle_due(), kNever);
    EXPECT_FALSE(keep_alive.peer_is_idle(true, false, at(1'000'000)));
}

TEST(TcpclKeepAlive, IsDueAfterTheIntervalAndThePeerIdleAfterTwo) {
    KeepAlive keep_alive;
    keep_alive.start(seconds(10), at(0));
    EXPECT_EQ(keep_alive.send_due(), at(10'000));
    keep_alive.handle_sent(at(4000));
    EXPECT_EQ(keep_alive.send_due(), at(14'000));
    keep_alive.handle_received(at(5000));
    EXPECT_EQ(keep_alive.idle_due(), at(25'000));
    EXPECT_FALSE(keep_alive.peer_is_idle(true, false, at(24'999)));
    EXPECT_TRUE(keep_alive.peer_is_idle(true, false, at(25'000)));
}

TEST(TcpclKeepAlive, ASilenceDoesNotCountWhileThePeerIsNotRead) {
    KeepAlive keep_alive;
    keep_alive.start(seconds(10), at(0));
    keep_alive.handle_read_paused();
    EXPECT_FALSE(keep_alive.peer_is_idle(false, true, at(20'000)));
    EXPECT_FALSE(keep_alive.peer_is_idle(false, true, at(40'000)));
    // It is read again: its time begins at the last check.
    EXPECT_FALSE(keep_alive.peer_is_idle(true, false, at(60'000)));
    EXPECT_FALSE(keep_alive.peer_is_idle(true, false, at(79'999)));
    EXPECT_TRUE(keep_alive.peer_is_idle(true, false, at(80'000)));
}

}  // namespace
}  // namespace farlink::cla::tcpcl::keep_alive_test
