// SPDX-License-Identifier: Apache-2.0
#include "cla/tcpcl/v3/core/events.hpp"

#include <gtest/gtest.h>

namespace farlink::cla::tcpclv3::events_test {
namespace {

using Kind = SessionEvent::Kind;

TEST(Events, BundlesThatAreDoneAreOneNumber) {
    Events events(false);
    events.transmitted(1);
    events.transmitted(2);
    events.refused(2, Refusal::kNoResources);
    events.transmitted(3);
    events.transmitted(9);
    EXPECT_EQ(events.poll()->token, 2U);
    const auto refused = events.poll();
    EXPECT_EQ(refused->kind, Kind::kRefused);
    EXPECT_EQ(refused->token, 2U);
    EXPECT_EQ(refused->refusal, Refusal::kNoResources);
    EXPECT_EQ(events.poll()->token, 9U);
    EXPECT_FALSE(events.poll());
}

TEST(Events, AHabitIsToldOnceUntilItIsRead) {
    Events events(false);
    for (int i = 0; i < 3; ++i) EXPECT_TRUE(events.tolerates(ProtocolDeviation::kReservedFlags));
    EXPECT_TRUE(events.tolerates(ProtocolDeviation::kEmptyTransfer));
    EXPECT_EQ(events.poll()->deviation, ProtocolDeviation::kReservedFlags);
    EXPECT_EQ(events.poll()->deviation, ProtocolDeviation::kEmptyTransfer);
    EXPECT_FALSE(events.poll());
    EXPECT_TRUE(events.tolerates(ProtocolDeviation::kReservedFlags));
    EXPECT_EQ(events.poll()->deviation, ProtocolDeviation::kReservedFlags);
}

TEST(Events, AStrictSessionPutsUpWithNothing) {
    Events events(true);
    EXPECT_FALSE(events.tolerates(ProtocolDeviation::kReservedFlags));
    EXPECT_FALSE(events.poll());
}

}  // namespace
}  // namespace farlink::cla::tcpclv3::events_test
