// SPDX-License-Identifier: Apache-2.0
#include "cla/tcpcl/v3/core/session.hpp"

#include <gtest/gtest.h>

#include "tests/support/hex.hpp"
#include "tests/unit/cla/tcpcl/v3/core/session_peer.hpp"

namespace farlink::cla::tcpclv3::session_test {
namespace {

using test::from_hex;
using test::octets_of;
using test::to_hex;

TEST(Session, BothSidesSendTheirContactHeaderAtOnce) {
    Peer peer;
    peer.connect(kNow);
    EXPECT_EQ(peer.handle(), "64746e21030d000f0869706e3a31302e30");
    EXPECT_EQ(peer.count(Peer::Kind::kPeerAnnounced), 0U);
    peer.say(contact_of());
    EXPECT_EQ(peer.count(Peer::Kind::kPeerAnnounced), 1U);
    EXPECT_TRUE(peer.established);
    EXPECT_EQ(peer.core->peer_node_id(), "ipn:99.0");
    EXPECT_TRUE(peer.core->acknowledges());
    EXPECT_EQ(peer.handle(), "");
}

TEST(Session, UnderTlsNothingIsSaidInTheClear) {
    SessionConfig config = config_for_test();
    config.tls = TlsPolicy::kRequired;
    auto core = std::make_unique<Session>(config, kId);
    core->handle_connected(kNow);
    EXPECT_EQ(core->queue().pending(), 0U);
    EXPECT_EQ(core->poll_event()->kind, SessionEvent::Kind::kStartTls);
    EXPECT_FALSE(core->wants_read());
    core->handle_secured(kNow);
    EXPECT_GT(core->queue().pending(), 0U);
}

// Whatever comes with the contact header in one read waits until the peer is known to be let in.
TEST(Session, ReadsNothingBeforeThePeerIsAccepted) {
    auto core = std::make_unique<Session>(config_for_test(), kId);
    SlabPool pool(16 * 1024, 64 * 1024);
    ReadBuffer buffer(pool);
    ReceivedBundles out;
    core->handle_connected(kNow);
    const Bytes contact = contact_of();
    for (ByteView rest = contact; core->wants_read();) {
        const MutableBytes space = core->prepare(buffer);
        const std::size_t size = std::min(space.size(), rest.size());
        std::ranges::copy(rest.first(size), space.begin());
        rest = rest.subspan(size);
        core->handle_bytes(size, buffer, out, kNow);
    }
    EXPECT_EQ(pool.pinned_bytes(), 0U) << "a stranger costs no slab";
    EXPECT_EQ(core->poll_event()->kind, SessionEvent::Kind::kPeerAnnounced);
    core->handle_identity(true, kNow);
    EXPECT_TRUE(core->wants_read());
}

TEST(Session, AnUnwantedPeerIsToldToStayAway) {
    Peer peer;
    peer.accept_peer = false;
    peer.connect(kNow);
    peer.handle();
    peer.say(contact_of());
    ASSERT_TRUE(peer.ended);
    EXPECT_EQ(peer.fault, LinkFault::kIdentityRefused);
    EXPECT_EQ(peer.handle(), "53023c");
}

TEST(Session, AnotherVersionIsToldSo) {
    Peer peer;
    peer.connect(kNow);
    peer.handle();
    peer.say(from_hex("64746e210400"));
    ASSERT_TRUE(peer.ended);
    EXPECT_EQ(peer.fault, LinkFault::kTcpclVersion4);
    EXPECT_EQ(peer.handle(), "5201");
}

TEST(Session, AnotherProtocolIsToldNothing) {
    Peer peer;
    peer.connect(kNow);
    peer.handle();
    peer.say(from_hex("474554202f"));
    ASSERT_TRUE(peer.ended);
    EXPECT_EQ(peer.fault, LinkFault::kNotTcpcl);
    EXPECT_EQ(peer.handle(), "");
}

TEST(Session, WhatAStrangerSpeaksIsTold) {
    for (const auto &[octets, fault] :
         {std::pair("000003e89f88", LinkFault::kStcpNotTcpcl),
          std::pair("16030100", LinkFault::kPeerRequiresTls),  // a ClientHello
          std::pair("15030100", LinkFault::kPeerRequiresTls),  // an alert
          std::pair("64746e3f03", LinkFault::kNotTcpcl),
          std::pair("64746e2105", LinkFault::kVersionMismatch)}) {
        Peer peer;
        peer.connect(kNow);
        peer.handle();
        peer.say(from_hex(octets));
        ASSERT_TRUE(peer.ended) << octets;
        EXPECT_EQ(peer.fault, fault) << octets;
    }
}

TEST(Session, ABadNodeIdIsRefused) {
    Peer peer;
    peer.connect(kNow);
    peer.handle();
    peer.say(from_hex("64746e210301000fffff7f"));
    ASSERT_TRUE(peer.ended);
    EXPECT_EQ(peer.fault, LinkFault::kContactFailure);
}

TEST(Session, AStrangerHasOnlySoMuchTime) {
    Peer peer;
    peer.connect(kNow);
    peer.handle();
    EXPECT_EQ(peer.core->next_timeout(), kNow + seconds(10));
    peer.timeout(kNow + seconds(9));
    EXPECT_FALSE(peer.ended);
    peer.timeout(kNow + seconds(10));
    ASSERT_TRUE(peer.ended);
    EXPECT_EQ(peer.fault, LinkFault::kHandshakeTimeout);
    EXPECT_EQ(peer.handle(), "5200");
    EXPECT_EQ(peer.core->next_timeout(), kNever);
}

TEST(Session, CarriesBundlesBothWays) {
    Peer peer;
    peer.open();
    const Bytes bundle = octets_of(2500, 1);
    const Bytes small = octets_of(50, 2);
    peer.send(small, kNow);
    EXPECT_EQ(peer.handle(), to_hex(segment(small)));
    peer.say(segment(bundle));
    EXPECT_EQ(peer.received, std::vector<Bytes>{bundle});
    EXPECT_EQ(peer.handle(), "209344");
    peer.say(from_hex("2032"));
    EXPECT_EQ(peer.transmitted, 1U);
}

TEST(Session, AcknowledgesWhenTheHostHasSettled) {
    Peer peer;
    peer.acknowledge_at_once = false;
    peer.open();
    for (std::size_t size = 1; size <= 4; ++size) peer.say(segment(octets_of(size, size)));
    EXPECT_EQ(peer.handle(), "");
    peer.acknowledge(1, 1, TransferDisposition::kNoResources, kNow);
    peer.acknowledge(2, 1, TransferDisposition::kNotAcceptable, kNow);
    EXPECT_EQ(peer.handle(), "");
    peer.acknowledge(0, 1, TransferDisposition::kSafe, kNow);
    EXPECT_EQ(peer.handle(), "20013230");
    peer.acknowledge(3, 1, TransferDisposition::kSafe, kNow);
    EXPECT_EQ(peer.handle(), "2004");
}

// For a peer that does not understand refusals.
TEST(Session, ABundleWithoutRoomEndsTheSessionWhereThatIsSaid) {
    SessionConfig config = config_for_test();
    config.disconnect_without_room = true;
    Peer peer(config);
    peer.acknowledge_at_once = false;
    peer.open();
    peer.say(segment(octets_of(10, 1)));
    peer.say(segment(octets_of(10, 2)));
    peer.acknowledge(0, 1, TransferDisposition::kSafe, kNow);
    EXPECT_FALSE(peer.ended);
    EXPECT_EQ(peer.handle(), "200a");
    peer.acknowledge(1, 1, TransferDisposition::kNoResources, kNow);
    ASSERT_TRUE(peer.ended);
    EXPECT_EQ(peer.fault, LinkFault::kNoRoom);
}

TEST(Session, WithoutRefusalsABundleThatIsNotTakenEndsTheSession) {
    Peer peer;
    peer.acknowledge_at_once = false;
    peer.open(contact_of(kRequestAcks));
    peer.say(segment(octets_of(10, 1)));
    peer.acknowledge(0, 1, TransferDisposition::kNoResources, kNow);
    ASSERT_TRUE(peer.ended);
    EXPECT_EQ(peer.fault, LinkFault::kNoRoom);
    EXPECT_EQ(peer.handle(), "530205") << "busy, five seconds";
}

TEST(Session, WithoutRefusalsABadBundleDoesNotEndTheSession) {
    Peer peer;
    peer.acknowledge_at_once = false;
    peer.open(contact_of(kRequestAcks));
    peer.say(segment(octets_of(10, 1)));
    peer.acknowledge(0, 1, TransferDisposition::kNotAcceptable, kNow);
    EXPECT_FALSE(peer.ended);
    EXPECT_EQ(peer.handle(), "200a");
    peer.say(segment(octets_of(11, 1)));
    peer.acknowledge(1, 1, TransferDisposition::kSafe, kNow);
    EXPECT_EQ(peer.handle(), "200b");
}

TEST(Session, WithoutAcknowledgementsThereAreNone) {
    Peer peer;
    peer.open(contact_of(0));
    EXPECT_FALSE(peer.core->acknowledges());
    peer.say(segment(octets_of(10, 1)));
    EXPECT_EQ(peer.received.size(), 1U);
    EXPECT_EQ(peer.handle(), "");
    peer.send(octets_of(10, 1), kNow);
    EXPECT_EQ(peer.transmitted, 0U);
    peer.handle();
    EXPECT_EQ(peer.transmitted, 1U) << "written is all that can be known";
    peer.core->handle_pause(true);
    EXPECT_FALSE(peer.core->wants_read()) << "as flow control is all there is";
}

TEST(Session, APausedHostReadsWhatItNeeds) {
    Peer peer;
    peer.acknowledge_at_once = false;
    peer.open();
    peer.core->handle_pause(true);
    EXPECT_FALSE(peer.core->wants_read());
    peer.send(octets_of(10, 1), kNow);
    peer.handle();
    EXPECT_TRUE(peer.core->wants_read()) << "the acknowledgement";
    peer.say(segment(octets_of(8000, 1)));
    peer.say(segment(octets_of(8000, 2)));
    EXPECT_EQ(peer.received.size(), 1U);
    peer.acknowledge(0, 1, TransferDisposition::kSafe, kNow);
    EXPECT_EQ(peer.handle(),
              "20be40"
              "32");
    peer.say(from_hex("200a"));
    EXPECT_EQ(peer.transmitted, 1U);
    EXPECT_FALSE(peer.core->wants_read());
    peer.core->handle_pause(false);
    EXPECT_TRUE(peer.core->wants_read());
}

TEST(Session, WithoutMemoryAcknowledgementsGetThrough) {
    Peer peer(config_for_test(), kSlab);
    peer.open();
    peer.send(octets_of(10, 1), kNow);
    peer.handle();
    const SlabRef all = peer.pool.acquire();
    Bytes octets = segment(octets_of(5000, 1));
    append(octets, from_hex("200a"));
    peer.say(octets);
    EXPECT_EQ(peer.transmitted, 1U);
    EXPECT_TRUE(peer.received.empty());
    EXPECT_EQ(peer.handle(), "32");
}

TEST(Session, KeepsAliveAtTheShorterInterval) {
    Peer peer;
    peer.open(contact_of(0xd, 10));
    EXPECT_EQ(peer.core->next_timeout(), kNow + seconds(10));
    peer.timeout(kNow + seconds(10));
    EXPECT_EQ(peer.handle(kNow + seconds(10)), "40");
    EXPECT_EQ(peer.core->next_timeout(), kNow + seconds(20));
    peer.say(from_hex("40"), kNow + seconds(19));
    peer.timeout(kNow + seconds(38));
    EXPECT_FALSE(peer.ended);
    peer.handle(kNow + seconds(38));
    peer.timeout(kNow + seconds(39));
    ASSERT_TRUE(peer.ended);
    EXPECT_EQ(peer.fault, LinkFault::kIdleTimeout);
    EXPECT_EQ(peer.handle(), "5200");
}

TEST(Session, WhoDoesNotReadDoesNotCallThePeerSilent) {
    Peer peer;
    peer.open();
    peer.core->handle_pause(true);
    peer.timeout(kNow + seconds(31));
    EXPECT_FALSE(peer.ended);
    peer.core->handle_pause(false);
    peer.timeout(kNow + seconds(62));
    EXPECT_FALSE(peer.ended) << "it has only begun to listen";
    peer.timeout(kNow + seconds(93));
    EXPECT_TRUE(peer.ended);
}

TEST(Session, KeepAlivesThatWereNotAgreedOnArePutUpWith) {
    Peer peer;
    peer.open(contact_of(0xd, 0));
    EXPECT_EQ(peer.core->next_timeout(), kNever);
    peer.say(from_hex("404040"));
    EXPECT_TRUE(peer.departed(ProtocolDeviation::kKeepAliveUnexpected));
    SessionConfig config = config_for_test();
    config.strict = true;
    Peer strict(config);
    strict.open(contact_of(0xd, 0));
    strict.say(from_hex("40"));
    EXPECT_EQ(strict.fault, LinkFault::kProtocolError);
}

TEST(Session, MessagesThatDoNotExistEndIt) {
    for (const char *octets : {"00", "70", "f0", "13ffffffffffffffffff7f", "2005", "32", "1000",
                               "51ffffffffffffffffff7f"}) {
        Peer peer;
        peer.open();
        peer.say(from_hex(octets));
        ASSERT_TRUE(peer.ended) << octets;
        EXPECT_EQ(peer.fault, LinkFault::kProtocolError);
        EXPECT_EQ(peer.handle(), "50");
        EXPECT_FALSE(peer.core->wants_read());
    }
}

TEST(Session, ReservedFlagsOfOtherMessagesArePutUpWith) {
    Peer peer;
    peer.open();
    peer.send(octets_of(5, 1), kNow);
    peer.handle();
    peer.say(
        from_hex("2f05"
                 "6f05"
                 "4f"));
    EXPECT_FALSE(peer.ended);
    EXPECT_TRUE(peer.departed(ProtocolDeviation::kReservedFlags));
    EXPECT_EQ(peer.transmitted, 1U);
}

TEST(Session, APeerThatNeverAcknowledgesIsGivenUp) {
    Peer peer;
    peer.open(contact_of(0xd, 0));
    EXPECT_EQ(peer.core->next_timeout(), kNever);
    peer.send(octets_of(2500, 1), kNow);
    peer.handle();
    EXPECT_EQ(peer.core->next_timeout(), kNow + seconds(60));
    peer.say(from_hex("208768"), kNow + seconds(59));
    peer.timeout(kNow + seconds(118));
    EXPECT_FALSE(peer.ended);
    peer.timeout(kNow + seconds(119));
    ASSERT_TRUE(peer.ended);
    EXPECT_EQ(peer.fault, LinkFault::kUnresponsive);
}

TEST(Session, SaysWhenItTakesBundlesAgain) {
    SessionConfig config = config_for_test();
    config.max_unsent = 1000;
    Peer peer(config);
    peer.open();
    peer.send(octets_of(900, 1), kNow);
    EXPECT_GT(peer.core->transmit_credit(), 0U);
    peer.send(octets_of(900, 1), kNow);
    EXPECT_EQ(peer.core->transmit_credit(), 0U);
    EXPECT_EQ(peer.count(Peer::Kind::kWritable), 0U);
    peer.handle();
    EXPECT_EQ(peer.count(Peer::Kind::kWritable), 1U);
    EXPECT_EQ(peer.core->transmit_credit(), 1000U);
}

// Answers that the peer does not read are bounded.
TEST(Session, DoesNotReadAPeerThatDoesNotRead) {
    Peer peer;
    peer.open();
    Bytes many;
    for (int i = 0; i < 10'000; ++i) append(many, segment(octets_of(20, 1)));
    std::size_t reads = 0;
    for (; peer.core->wants_read() && reads < 1000; ++reads) peer.say(many);
    EXPECT_LT(reads, 100U);
    EXPECT_FALSE(peer.core->wants_read());
    peer.handle();
    EXPECT_TRUE(peer.core->wants_read());
}

}  // namespace
}  // namespace farlink::cla::tcpclv3::session_test
