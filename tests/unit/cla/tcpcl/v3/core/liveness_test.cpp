// SPDX-License-Identifier: Apache-2.0
#include "cla/tcpcl/v3/core/liveness.hpp"

#include <gtest/gtest.h>

namespace farlink::cla::tcpclv3 {
namespace {

constexpr TimePoint kNow{seconds(1000)};

TEST(Liveness, SpeaksAfterTheIntervalAndListensForTwo) {
    Liveness liveness;
    EXPECT_EQ(liveness.next(), kNever);
    liveness.begin(seconds(10), kNow);
    EXPECT_TRUE(liveness.keeps_alive());
    EXPECT_EQ(liveness.keep_alive_due(), kNow + seconds(10));
    EXPECT_EQ(liveness.silence_due(), kNow + seconds(20));
    liveness.handle_received(kNow + seconds(5));
    liveness.handle_spoken(kNow + seconds(7));
    EXPECT_EQ(liveness.keep_alive_due(), kNow + seconds(17));
    EXPECT_EQ(liveness.silence_due(), kNow + seconds(25));
    EXPECT_EQ(liveness.next(), kNow + seconds(17));
}

TEST(Liveness, WithoutAnIntervalSilenceIsEndured) {
    Liveness liveness;
    liveness.begin(seconds(0), kNow);
    EXPECT_FALSE(liveness.keeps_alive());
    EXPECT_EQ(liveness.next(), kNever);
}

}  // namespace
}  // namespace farlink::cla::tcpclv3
