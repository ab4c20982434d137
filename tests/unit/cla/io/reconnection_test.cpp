// SPDX-License-Identifier: Apache-2.0
#include "cla/io/reconnection.hpp"

#include <gtest/gtest.h>

namespace farlink::cla::reconnection_test {
namespace {

constexpr TimePoint kStart{seconds(100)};
constexpr Duration kMin = milliseconds(100);
constexpr Duration kMax = seconds(5);

/// A wait as long as `about`, with at most a quarter more.
void expect_about(Duration wait, Duration about) {
    EXPECT_GE(wait, about);
    EXPECT_LE(wait, about + about / 4);
}

SessionOutcome session(Duration lived, bool moved, LinkFault fault = LinkFault::kPeerClosed) {
    SessionOutcome outcome;
    outcome.fault = fault;
    outcome.established = true;
    outcome.lived = lived;
    outcome.moved = moved;
    return outcome;
}

TEST(Reconnection, ConnectsAtOnceWhenOpened) {
    Reconnection reconnection(kMin, kMax, 1);
    EXPECT_EQ(reconnection.handle_opened(kStart), kStart);
}

TEST(Reconnection, DoublesUpToTheLongestWait) {
    Reconnection reconnection(kMin, kMax, 1);
    for (const int factor : {1, 2, 4, 8, 16, 32})
        expect_about(reconnection.handle_failed(kStart) - kStart, kMin * factor);
    expect_about(reconnection.handle_failed(kStart) - kStart, kMax);
    EXPECT_EQ(reconnection.handle_opened(kStart), kStart);
    expect_about(reconnection.handle_failed(kStart) - kStart, kMin);
}

TEST(Reconnection, JitterDependsOnTheSeed) {
    Reconnection one(kMin, kMax, 1);
    Reconnection other(kMin, kMax, 2);
    EXPECT_NE(one.handle_failed(kStart), other.handle_failed(kStart));
}

TEST(Reconnection, OnlyALastingSessionOfUseStartsAnew) {
    Reconnection reconnection(kMin, kMax, 1);
    (void)reconnection.handle_failed(kStart);
    (void)reconnection.handle_failed(kStart);
    const auto wait = [&](const SessionOutcome &outcome) {
        return reconnection.handle_session(outcome, kStart) - kStart;
    };
    expect_about(wait(session(milliseconds(10), true)), kMin * 4);
    expect_about(wait(session(seconds(10), false)), kMin * 4);
    expect_about(wait(session(milliseconds(10), false)), kMin * 4);
    expect_about(wait(session(milliseconds(10), false)), kMin * 8);
    expect_about(wait(SessionOutcome{.fault = LinkFault::kTlsFailed}), kMin * 16);
    expect_about(wait(session(seconds(10), true)), kMin);
}

TEST(Reconnection, ThePeerMayAskForQuietButNotForEver) {
    Reconnection reconnection(kMin, kMax, 1);
    SessionOutcome outcome = session(seconds(10), true, LinkFault::kPeerTerminated);
    outcome.reconnection_delay = seconds(30);
    EXPECT_EQ(reconnection.handle_session(outcome, kStart), kStart + seconds(30));
    EXPECT_EQ(reconnection.handle_opened(kStart + seconds(1)), kStart + seconds(30))
        << "also when the link is closed and opened again";
    outcome.reconnection_delay = Duration::max() / 4;
    const TimePoint later = kStart + seconds(40);
    EXPECT_EQ(reconnection.handle_session(outcome, later), later + Reconnection::kLongestDelay);
}

TEST(Reconnection, TheBreakerOpensLongerEachTime) {
    Reconnection reconnection(kMin, kMax, 1);
    const SessionOutcome refusing =
        session(milliseconds(10), false, LinkFault::kPeerRefusesBundles);
    TimePoint now = kStart;
    for (const int wait : {1, 2, 4, 8, 16, 32, 60, 60}) {
        const TimePoint due = reconnection.handle_session(refusing, now);
        expect_about(due - now, seconds(wait));
        EXPECT_EQ(reconnection.handle_opened(now), due);
        now = due;
    }
    (void)reconnection.handle_session(session(seconds(10), true), now);
    expect_about(reconnection.handle_session(refusing, now) - now, seconds(1));
}

// A small store takes some bundles, is full, and has room again a moment later.
TEST(Reconnection, ANeighbourThatTakesSomeIsAskedAgainSoon) {
    Reconnection reconnection(kMin, kMax, 1);
    const SessionOutcome some = session(milliseconds(10), true, LinkFault::kPeerRefusesBundles);
    for (TimePoint now = kStart; now < kStart + seconds(20);) {
        const TimePoint due = reconnection.handle_session(some, now);
        expect_about(due - now, seconds(1));
        now = due;
    }
}

}  // namespace
}  // namespace farlink::cla::reconnection_test
