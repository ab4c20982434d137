// SPDX-License-Identifier: Apache-2.0
#include "cla/tcpcl/v4/core/keep_alive.hpp"

#include <gtest/gtest.h>

#include "tests/unit/cla/tcpcl/v4/core/fixture.hpp"

namespace farlink::cla::tcpclv4 {
namespace {

TEST(Tcpclv4KeepAlive, IsOffWithoutAnInterval) {
    KeepAlive keep_alive;
    keep_alive.start(seconds(0), at(0));
    EXPECT_FALSE(keep_alive.enabled());
    EXPECT_EQ(keep_alive.send_due(), kNever);
    EXPECT_EQ(keep_alive.idle_due(), kNever);
    EXPECT_FALSE(keep_alive.peer_is_idle(false, at(1'000'000)));
}

TEST(Tcpclv4KeepAlive, IsDueAfterTheIntervalAndThePeerIdleAfterTwo) {
    KeepAlive keep_alive;
    keep_alive.start(seconds(10), at(0));
    EXPECT_EQ(keep_alive.send_due(), at(10'000));
    keep_alive.handle_sent(at(4000));
    EXPECT_EQ(keep_alive.send_due(), at(14'000));
    keep_alive.handle_received(at(5000));
    EXPECT_EQ(keep_alive.idle_due(), at(25'000));
    EXPECT_FALSE(keep_alive.peer_is_idle(false, at(24'999)));
    EXPECT_TRUE(keep_alive.peer_is_idle(false, at(25'000)));
}

TEST(Tcpclv4KeepAlive, DoesNotBlameAPeerThatWasNotRead) {
    KeepAlive keep_alive;
    keep_alive.start(seconds(10), at(0));
    keep_alive.handle_read_paused();
    EXPECT_FALSE(keep_alive.peer_is_idle(true, at(20'000)));
    EXPECT_FALSE(keep_alive.peer_is_idle(true, at(40'000)));
    // It is read again, and has as long as ever from the last look on.
    EXPECT_FALSE(keep_alive.peer_is_idle(false, at(60'000)));
    EXPECT_FALSE(keep_alive.peer_is_idle(false, at(79'999)));
    EXPECT_TRUE(keep_alive.peer_is_idle(false, at(80'000)));
}

}  // namespace
}  // namespace farlink::cla::tcpclv4
