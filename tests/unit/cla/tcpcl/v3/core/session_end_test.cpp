// SPDX-License-Identifier: Apache-2.0
// How a session ends.
#include <gtest/gtest.h>

#include "tests/support/hex.hpp"
#include "tests/unit/cla/tcpcl/v3/core/session_peer.hpp"

namespace farlink::cla::tcpclv3::session_end_test {
namespace {

using test::from_hex;
using test::octets_of;
using test::to_hex;

TEST(SessionEnd, BothSidesSayShutdown) {
    Peer peer;
    peer.open();
    peer.terminate(kNow);
    EXPECT_EQ(peer.handle(), "50");
    EXPECT_FALSE(peer.ended);
    EXPECT_EQ(peer.core->transmit_credit(), 0U);
    peer.say(from_hex("50"));
    ASSERT_TRUE(peer.ended);
    EXPECT_EQ(peer.fault, LinkFault::kNone);
    EXPECT_EQ(peer.handle(), "");
}

TEST(SessionEnd, AnIdlePeerIsToldSo) {
    Peer peer;
    peer.open();
    peer.terminate(kNow, LinkFault::kIdleTimeout);
    EXPECT_EQ(peer.handle(), "5200");
}

TEST(SessionEnd, ThePeersShutdownIsAnswered) {
    Peer peer;
    peer.open();
    peer.say(from_hex("5302822c"));
    ASSERT_TRUE(peer.ended);
    EXPECT_EQ(peer.fault, LinkFault::kPeerTerminated);
    EXPECT_EQ(peer.events.back().reconnection_delay, Duration(seconds(300)));
    EXPECT_EQ(peer.handle(), "50");
}

TEST(SessionEnd, ADelayOfZeroIsForEver) {
    for (const char *octets : {"5100", "5181ffffffffffffffff7f"}) {
        Peer peer;
        peer.open();
        peer.say(from_hex(octets));
        ASSERT_TRUE(peer.ended);
        EXPECT_GT(peer.events.back().reconnection_delay, Duration(std::chrono::hours(24 * 365)));
        EXPECT_GT(kNow + peer.events.back().reconnection_delay, kNow) << "still a point in time";
    }
}

TEST(SessionEnd, APeerOfAnotherVersionSaysSo) {
    Peer peer;
    peer.open();
    peer.say(from_hex("5201"));
    ASSERT_TRUE(peer.ended);
    EXPECT_EQ(peer.fault, LinkFault::kVersionMismatch);
    Peer other;
    other.open();
    other.say(from_hex("52ff"));
    EXPECT_TRUE(other.departed(ProtocolDeviation::kUnknownTerminationReason));
    EXPECT_EQ(other.fault, LinkFault::kPeerTerminated);
}

// What has begun is finished in both directions; bundles that had not begun are forgotten.
TEST(SessionEnd, FinishesWhatHasBegun) {
    Peer peer;
    peer.acknowledge_at_once = false;
    peer.open();
    const Bytes first = octets_of(2500, 1);
    peer.send(first, kNow);
    peer.send(octets_of(900, 2), kNow);
    Bytes stream = peer.drain(kNow, 100);
    const Bytes theirs = octets_of(30, 3);
    peer.say(segment(Bytes(theirs.begin(), theirs.begin() + 10), kStartFlag));
    peer.terminate(kNow);
    append(stream, peer.drain(kNow));
    peer.say(segment(Bytes(theirs.begin() + 10, theirs.end()), kEndFlag));
    EXPECT_EQ(peer.received, std::vector<Bytes>{theirs});
    peer.say(segment(octets_of(5, 4)));  // begins too late
    peer.say(
        from_hex("208768"
                 "208f50"
                 "209344"));
    EXPECT_EQ(peer.transmitted, 1U);
    append(stream, peer.drain(kNow));
    peer.acknowledge(0, 1, TransferDisposition::kSafe, kNow);
    append(stream, peer.drain(kNow));
    // LENGTH, two segments of 1000, the acknowledgement of their first segment between, the rest,
    // the acknowledgement of their second one, the refusal, SHUTDOWN.
    EXPECT_EQ(stream.size(), 3U + 2 * 1003 + 2 + 503 + 2 + 1 + 1);
    EXPECT_EQ(to_hex(ByteView(stream).last(4)), "201e3250");
    EXPECT_FALSE(peer.ended);
    peer.peer_closed(kNow);
    EXPECT_EQ(peer.fault, LinkFault::kNone);
}

TEST(SessionEnd, APeerThatLeavesIsAnsweredFirst) {
    Peer peer;
    peer.acknowledge_at_once = false;
    peer.open();
    peer.send(octets_of(50, 2), kNow);
    peer.handle();
    peer.say(segment(octets_of(10, 1)));
    peer.say(from_hex("50"));
    EXPECT_EQ(peer.handle(), "");
    EXPECT_FALSE(peer.ended);
    peer.acknowledge(0, 1, TransferDisposition::kSafe, kNow);
    EXPECT_EQ(peer.handle(), "200a");
    EXPECT_FALSE(peer.ended) << "ours is not acknowledged";
    peer.say(from_hex("2032"));
    ASSERT_TRUE(peer.ended);
    EXPECT_EQ(peer.fault, LinkFault::kPeerTerminated);
    EXPECT_EQ(peer.handle(), "50");
}

TEST(SessionEnd, NoDataComeBehindShutdown) {
    Peer peer;
    peer.acknowledge_at_once = false;
    peer.open();
    peer.say(segment(octets_of(10, 1)));
    peer.say(
        from_hex("50"
                 "130101"));
    ASSERT_TRUE(peer.ended);
    EXPECT_EQ(peer.fault, LinkFault::kProtocolError);
}

TEST(SessionEnd, HasOnlySoMuchTime) {
    Peer peer;
    peer.open();
    peer.terminate(kNow);
    peer.handle();
    EXPECT_EQ(peer.core->next_timeout(), kNow + seconds(1)) << "nothing is under way";
    peer.timeout(kNow + seconds(1));
    ASSERT_TRUE(peer.ended);
    EXPECT_EQ(peer.fault, LinkFault::kTerminationTimeout);
    EXPECT_EQ(peer.handle(), "") << "it was said before";
}

TEST(SessionEnd, WhatIsUnderWayHasLongerToEnd) {
    Peer peer;
    peer.open();
    peer.send(octets_of(50, 1), kNow);
    peer.handle();
    peer.terminate(kNow);
    peer.handle();
    EXPECT_EQ(peer.core->next_timeout(), kNow + seconds(5)) << "it is not acknowledged";
    peer.timeout(kNow + seconds(5));
    ASSERT_TRUE(peer.ended);
    EXPECT_EQ(peer.fault, LinkFault::kTerminationTimeout);
}

TEST(SessionEnd, BeforeTheSessionAReasonIsGiven) {
    Peer peer;
    peer.connect(kNow);
    peer.handle();
    peer.terminate(kNow);
    ASSERT_TRUE(peer.ended);
    EXPECT_EQ(peer.fault, LinkFault::kNone);
    EXPECT_EQ(peer.handle(), "5202");
    Peer early;
    early.terminate(kNow);
    EXPECT_TRUE(early.ended);
    EXPECT_EQ(early.handle(), "");
}

TEST(SessionEnd, InTheMiddleOfASegmentNothingMoreIsSaid) {
    Peer peer;
    peer.open();
    peer.send(octets_of(800, 1), kNow);
    (void)peer.drain(kNow, 100);
    peer.say(from_hex("00"));
    ASSERT_TRUE(peer.ended);
    EXPECT_EQ(peer.core->queue().pending(), 0U);
}

TEST(SessionEnd, AConnectionCutIsTold) {
    Peer peer;
    peer.open();
    peer.peer_closed(kNow);
    EXPECT_EQ(peer.fault, LinkFault::kPeerClosed);
    Peer inside;
    inside.open();
    Bytes part = segment(octets_of(100, 1));
    part.resize(50);
    inside.say(part);
    EXPECT_TRUE(inside.core->inside_bundle());
    inside.peer_closed(kNow);
    EXPECT_EQ(inside.fault, LinkFault::kTruncatedBundle);
    inside.peer_closed(kNow);
    inside.terminate(kNow);
    inside.timeout(kNow + seconds(1000));
    inside.core->handle_disposition(0, 5, TransferDisposition::kSafe, kNow);
    inside.send(octets_of(5, 1), kNow);
    EXPECT_EQ(inside.handle(), "") << "nothing happens any more";
}

}  // namespace
}  // namespace farlink::cla::tcpclv3::session_end_test
