// SPDX-License-Identifier: Apache-2.0
#include "cla/tcpclv3/core/session.hpp"

#include <gtest/gtest.h>

#include "tests/support/core_node.hpp"
#include "tests/support/hex.hpp"

namespace farlink::cla::tcpclv3 {
namespace {

using test::CoreNode;
using test::from_hex;
using test::octets_of;
using test::to_hex;

constexpr TimePoint kNow{seconds(1000)};
constexpr UpstreamId kId{7};

SessionConfig config_for_test() {
    SessionConfig config;
    config.node_id = "ipn:10.0";
    config.keep_alive = seconds(15);
    config.transfer_mru = 1'000'000;
    config.max_segment = 1000;
    config.max_unsettled = 10'000;
    config.max_unsent = 100'000;
    config.max_transfers = 100;
    config.handshake_limit = seconds(10);
    config.termination_limit = seconds(5);
    config.acknowledge_limit = seconds(60);
    return config;
}

Bytes contact_of(std::uint8_t flags = 0xd, std::uint16_t keep_alive_s = 15) {
    return encode_contact({.flags = flags, .keep_alive_s = keep_alive_s, .node_id = "ipn:99.0"});
}

Bytes segment(const Bytes &data, std::uint8_t flags = kSegmentFlags) {
    Bytes octets(kMaxHeadBytes);
    octets.resize(encode_head(MessageType::kDataSegment, flags, data.size(), octets.data()));
    append(octets, data);
    return octets;
}

std::unique_ptr<Session> make_session(const SessionConfig &config) {
    return std::make_unique<Session>(config, kId);
}

/// A session whose peer is the test.
struct Peer : CoreNode {
    explicit Peer(const SessionConfig &config = config_for_test(),
                  std::uint64_t limit = 64 * CoreNode::kSlab)
        : CoreNode(make_session(config), limit) {}

    /// Up to the session; what the core has to say by then is thrown away.
    void open(const Bytes &contact = contact_of()) {
        connect(kNow);
        say(contact);
        hear();
        ASSERT_TRUE(established);
    }
    std::size_t say(const Bytes &octets, TimePoint now = kNow) { return feed(octets, now); }
    std::string hear(TimePoint now = kNow) { return to_hex(output(now)); }
};

TEST(Session, BothSidesSendTheirContactHeaderAtOnce) {
    Peer peer;
    peer.connect(kNow);
    EXPECT_EQ(peer.hear(), "64746e21030d000f0869706e3a31302e30");
    EXPECT_FALSE(peer.announced);
    peer.say(contact_of());
    EXPECT_TRUE(peer.announced && peer.established);
    EXPECT_EQ(peer.core().peer_node_id(), "ipn:99.0");
    EXPECT_TRUE(peer.core().acknowledges());
    EXPECT_EQ(peer.hear(), "");
}

TEST(Session, UnderTlsNothingIsSaidInTheClear) {
    SessionConfig config = config_for_test();
    config.tls = TlsPolicy::kRequired;
    auto core = make_session(config);
    core->handle_connected(kNow);
    EXPECT_EQ(core->queue().pending(), 0U);
    EXPECT_EQ(core->poll_event()->kind, SessionEvent::Kind::kStartTls);
    EXPECT_FALSE(core->wants_read());
    core->handle_secured(kNow);
    EXPECT_GT(core->queue().pending(), 0U);
}

// Whatever comes with the contact header in one read waits until the peer is known to be let in.
TEST(Session, ReadsNothingBeforeThePeerIsAccepted) {
    auto core = make_session(config_for_test());
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
    peer.hear();
    peer.say(contact_of());
    ASSERT_TRUE(peer.ended);
    EXPECT_EQ(peer.ended->fault, LinkFault::kIdentityRefused);
    EXPECT_EQ(peer.hear(), "53023c");
}

TEST(Session, AnotherVersionIsToldSo) {
    Peer peer;
    peer.connect(kNow);
    peer.hear();
    peer.say(from_hex("64746e210400"));
    ASSERT_TRUE(peer.ended);
    EXPECT_EQ(peer.ended->fault, LinkFault::kVersionMismatch);
    EXPECT_EQ(peer.hear(), "5201");
}

TEST(Session, AnotherProtocolIsToldNothing) {
    Peer peer;
    peer.connect(kNow);
    peer.hear();
    EXPECT_EQ(peer.say(from_hex("474554202f")), 5U);
    ASSERT_TRUE(peer.ended);
    EXPECT_EQ(peer.ended->fault, LinkFault::kProtocolError);
    EXPECT_EQ(peer.hear(), "");
}

TEST(Session, ABadNodeIdIsRefused) {
    Peer peer;
    peer.connect(kNow);
    peer.hear();
    peer.say(from_hex("64746e210301000fffff7f"));
    ASSERT_TRUE(peer.ended);
    EXPECT_EQ(peer.ended->fault, LinkFault::kContactFailure);
}

TEST(Session, AStrangerHasOnlySoMuchTime) {
    Peer peer;
    peer.connect(kNow);
    peer.hear();
    EXPECT_EQ(peer.core().next_timeout(), kNow + seconds(10));
    peer.time_out(kNow + seconds(9));
    EXPECT_FALSE(peer.ended);
    peer.time_out(kNow + seconds(10));
    ASSERT_TRUE(peer.ended);
    EXPECT_EQ(peer.ended->fault, LinkFault::kHandshakeTimeout);
    EXPECT_EQ(peer.hear(), "5200");
    EXPECT_EQ(peer.core().next_timeout(), kNever);
}

TEST(Session, CarriesBundlesBothWays) {
    Peer peer;
    peer.open();
    const Bytes bundle = octets_of(2500, 1);
    const Bytes small = octets_of(50, 2);
    peer.send(small, kNow);
    EXPECT_EQ(peer.hear(), to_hex(segment(small)));
    peer.say(segment(bundle));
    EXPECT_EQ(peer.received, std::vector<Bytes>{bundle});
    EXPECT_EQ(peer.hear(), "209344");
    peer.say(from_hex("2032"));
    EXPECT_EQ(peer.done_below, 1U);
}

TEST(Session, AcknowledgesWhenTheHostHasSettled) {
    Peer peer;
    peer.settle_at_once = false;
    peer.open();
    for (std::size_t size = 1; size <= 4; ++size) peer.say(segment(octets_of(size, size)));
    EXPECT_EQ(peer.hear(), "");
    peer.settle(1, 1, Settlement::kNoResources, kNow);
    peer.settle(2, 1, Settlement::kNotAcceptable, kNow);
    EXPECT_EQ(peer.hear(), "");
    peer.settle(0, 1, Settlement::kSafe, kNow);
    EXPECT_EQ(peer.hear(), "20013230");
    peer.settle(3, 1, Settlement::kSafe, kNow);
    EXPECT_EQ(peer.hear(), "2004");
}

TEST(Session, WithoutRefusalsABundleThatIsNotTakenEndsTheSession) {
    Peer peer;
    peer.settle_at_once = false;
    peer.open(contact_of(kRequestAcks));
    peer.say(segment(octets_of(10, 1)));
    peer.settle(0, 1, Settlement::kNoResources, kNow);
    ASSERT_TRUE(peer.ended);
    EXPECT_EQ(peer.ended->fault, LinkFault::kNoRoom);
    EXPECT_EQ(peer.hear(), "530205") << "busy, five seconds";
}

TEST(Session, WithoutAcknowledgementsThereAreNone) {
    Peer peer;
    peer.open(contact_of(0));
    EXPECT_FALSE(peer.core().acknowledges());
    peer.say(segment(octets_of(10, 1)));
    EXPECT_EQ(peer.received.size(), 1U);
    EXPECT_EQ(peer.hear(), "");
    peer.send(octets_of(10, 1), kNow);
    EXPECT_EQ(peer.done_below, 0U);
    peer.hear();
    EXPECT_EQ(peer.done_below, 1U) << "written is all that can be known";
    peer.core().handle_pause(true);
    EXPECT_FALSE(peer.core().wants_read()) << "as flow control is all there is";
}

TEST(Session, APausedHostReadsWhatItNeeds) {
    Peer peer;
    peer.settle_at_once = false;
    peer.open();
    peer.core().handle_pause(true);
    EXPECT_FALSE(peer.core().wants_read());
    peer.send(octets_of(10, 1), kNow);
    peer.hear();
    EXPECT_TRUE(peer.core().wants_read()) << "the acknowledgement";
    peer.say(segment(octets_of(8000, 1)));
    peer.say(segment(octets_of(8000, 2)));
    EXPECT_EQ(peer.received.size(), 1U);
    peer.settle(0, 1, Settlement::kSafe, kNow);
    EXPECT_EQ(peer.hear(),
              "20be40"
              "32");
    peer.say(from_hex("200a"));
    EXPECT_EQ(peer.done_below, 1U);
    EXPECT_FALSE(peer.core().wants_read());
    peer.core().handle_pause(false);
    EXPECT_TRUE(peer.core().wants_read());
}

TEST(Session, WithoutMemoryAcknowledgementsGetThrough) {
    Peer peer(config_for_test(), CoreNode::kSlab);
    peer.open();
    peer.send(octets_of(10, 1), kNow);
    peer.hear();
    const SlabRef all = peer.pool.acquire();
    Bytes octets = segment(octets_of(5000, 1));
    append(octets, from_hex("200a"));
    peer.say(octets);
    EXPECT_EQ(peer.done_below, 1U);
    EXPECT_TRUE(peer.received.empty());
    EXPECT_EQ(peer.hear(), "32");
}

TEST(Session, KeepsAliveAtTheShorterInterval) {
    Peer peer;
    peer.open(contact_of(0xd, 10));
    EXPECT_EQ(peer.core().next_timeout(), kNow + seconds(10));
    peer.time_out(kNow + seconds(10));
    EXPECT_EQ(peer.hear(kNow + seconds(10)), "40");
    EXPECT_EQ(peer.core().next_timeout(), kNow + seconds(20));
    peer.say(from_hex("40"), kNow + seconds(19));
    peer.time_out(kNow + seconds(38));
    EXPECT_FALSE(peer.ended);
    peer.hear(kNow + seconds(38));
    peer.time_out(kNow + seconds(39));
    ASSERT_TRUE(peer.ended);
    EXPECT_EQ(peer.ended->fault, LinkFault::kIdleTimeout);
    EXPECT_EQ(peer.hear(), "5200");
}

TEST(Session, WhoDoesNotReadDoesNotCallThePeerSilent) {
    Peer peer;
    peer.open();
    peer.core().handle_pause(true);
    peer.time_out(kNow + seconds(31));
    EXPECT_FALSE(peer.ended);
    peer.core().handle_pause(false);
    peer.time_out(kNow + seconds(62));
    EXPECT_FALSE(peer.ended) << "it has only begun to listen";
    peer.time_out(kNow + seconds(93));
    EXPECT_TRUE(peer.ended);
}

TEST(Session, KeepAlivesThatWereNotAgreedOnArePutUpWith) {
    Peer peer;
    peer.open(contact_of(0xd, 0));
    EXPECT_EQ(peer.core().next_timeout(), kNever);
    peer.say(from_hex("404040"));
    EXPECT_EQ(peer.departures[Departure::kKeepAliveUnexpected], 1);
    SessionConfig config = config_for_test();
    config.strict = true;
    Peer strict(config);
    strict.open(contact_of(0xd, 0));
    strict.say(from_hex("40"));
    EXPECT_EQ(strict.ended->fault, LinkFault::kProtocolError);
}

TEST(Session, MessagesThatDoNotExistEndIt) {
    for (const char *octets : {"00", "70", "f0", "13ffffffffffffffffff7f", "2005", "32", "1000",
                               "51ffffffffffffffffff7f"}) {
        Peer peer;
        peer.open();
        peer.say(from_hex(octets));
        ASSERT_TRUE(peer.ended) << octets;
        EXPECT_EQ(peer.ended->fault, LinkFault::kProtocolError);
        EXPECT_EQ(peer.hear(), "50");
        EXPECT_FALSE(peer.core().wants_read());
    }
}

TEST(Session, ReservedFlagsOfOtherMessagesArePutUpWith) {
    Peer peer;
    peer.open();
    peer.send(octets_of(5, 1), kNow);
    peer.hear();
    peer.say(
        from_hex("2f05"
                 "6f05"
                 "4f"));
    EXPECT_FALSE(peer.ended);
    EXPECT_EQ(peer.departures.at(Departure::kReservedFlags), 1);
    EXPECT_EQ(peer.done_below, 1U);
}

TEST(Session, APeerThatNeverAcknowledgesIsGivenUp) {
    Peer peer;
    peer.open(contact_of(0xd, 0));
    EXPECT_EQ(peer.core().next_timeout(), kNever);
    peer.send(octets_of(2500, 1), kNow);
    peer.hear();
    EXPECT_EQ(peer.core().next_timeout(), kNow + seconds(60));
    peer.say(from_hex("208768"), kNow + seconds(59));
    peer.time_out(kNow + seconds(118));
    EXPECT_FALSE(peer.ended);
    peer.time_out(kNow + seconds(119));
    ASSERT_TRUE(peer.ended);
    EXPECT_EQ(peer.ended->fault, LinkFault::kUnresponsive);
}

TEST(Session, SaysWhenItTakesBundlesAgain) {
    SessionConfig config = config_for_test();
    config.max_unsent = 1000;
    Peer peer(config);
    peer.open();
    peer.send(octets_of(900, 1), kNow);
    EXPECT_GT(peer.core().transmit_credit(), 0U);
    peer.send(octets_of(900, 1), kNow);
    EXPECT_EQ(peer.core().transmit_credit(), 0U);
    EXPECT_FALSE(peer.writable);
    peer.hear();
    EXPECT_TRUE(peer.writable);
    EXPECT_EQ(peer.core().transmit_credit(), 1000U);
}

// Answers that nobody reads do not pile up for ever.
TEST(Session, DoesNotReadAPeerThatDoesNotRead) {
    Peer peer;
    peer.open();
    Bytes many;
    for (int i = 0; i < 10'000; ++i) append(many, segment(octets_of(20, 1)));
    std::size_t reads = 0;
    while (peer.say(many) == many.size() && reads < 1000) ++reads;
    EXPECT_LT(reads, 100U);
    EXPECT_FALSE(peer.core().wants_read());
    peer.hear();
    EXPECT_TRUE(peer.core().wants_read());
}

// ---- the end

TEST(SessionEnd, BothSidesSayShutdown) {
    Peer peer;
    peer.open();
    peer.terminate(kNow);
    EXPECT_EQ(peer.hear(), "50");
    EXPECT_FALSE(peer.ended);
    EXPECT_EQ(peer.core().transmit_credit(), 0U);
    peer.say(from_hex("50"));
    ASSERT_TRUE(peer.ended);
    EXPECT_EQ(peer.ended->fault, LinkFault::kNone);
    EXPECT_EQ(peer.hear(), "");
}

TEST(SessionEnd, ThePeersShutdownIsAnswered) {
    Peer peer;
    peer.open();
    peer.say(from_hex("5302822c"));
    ASSERT_TRUE(peer.ended);
    EXPECT_EQ(peer.ended->fault, LinkFault::kPeerTerminated);
    EXPECT_EQ(peer.ended->reconnection_delay, Duration(seconds(300)));
    EXPECT_EQ(peer.hear(), "50");
}

TEST(SessionEnd, ADelayOfZeroIsForEver) {
    for (const char *octets : {"5100", "5181ffffffffffffffff7f"}) {
        Peer peer;
        peer.open();
        peer.say(from_hex(octets));
        ASSERT_TRUE(peer.ended);
        EXPECT_GT(peer.ended->reconnection_delay, Duration(std::chrono::hours(24 * 365)));
        EXPECT_GT(kNow + peer.ended->reconnection_delay, kNow) << "still a point in time";
    }
}

TEST(SessionEnd, APeerOfAnotherVersionSaysSo) {
    Peer peer;
    peer.open();
    peer.say(from_hex("5201"));
    ASSERT_TRUE(peer.ended);
    EXPECT_EQ(peer.ended->fault, LinkFault::kVersionMismatch);
    Peer other;
    other.open();
    other.say(from_hex("52ff"));
    EXPECT_EQ(other.departures.at(Departure::kUnknownTerminationReason), 1);
    EXPECT_EQ(other.ended->fault, LinkFault::kPeerTerminated);
}

// What has begun is finished in both directions; bundles that had not begun are forgotten.
TEST(SessionEnd, FinishesWhatHasBegun) {
    Peer peer;
    peer.settle_at_once = false;
    peer.open();
    const Bytes first = octets_of(2500, 1);
    peer.send(first, kNow);
    peer.send(octets_of(900, 2), kNow);
    Bytes stream = peer.output(kNow, 100);
    const Bytes theirs = octets_of(30, 3);
    peer.say(segment(Bytes(theirs.begin(), theirs.begin() + 10), kStartFlag));
    peer.terminate(kNow);
    append(stream, peer.output(kNow));
    peer.say(segment(Bytes(theirs.begin() + 10, theirs.end()), kEndFlag));
    EXPECT_EQ(peer.received, std::vector<Bytes>{theirs});
    peer.say(segment(octets_of(5, 4)));  // begins too late
    peer.say(
        from_hex("208768"
                 "208f50"
                 "209344"));
    EXPECT_EQ(peer.done_below, 1U);
    append(stream, peer.output(kNow));
    peer.settle(0, 1, Settlement::kSafe, kNow);
    append(stream, peer.output(kNow));
    // LENGTH, two segments of 1000, the acknowledgement of their first segment between, the rest,
    // the acknowledgement of their second one, the refusal, SHUTDOWN.
    EXPECT_EQ(stream.size(), 3U + 2 * 1003 + 2 + 503 + 2 + 1 + 1);
    EXPECT_EQ(to_hex(ByteView(stream).last(4)), "201e3250");
    EXPECT_FALSE(peer.ended);
    peer.peer_closed(kNow);
    EXPECT_EQ(peer.ended->fault, LinkFault::kNone);
}

TEST(SessionEnd, APeerThatLeavesIsAnsweredFirst) {
    Peer peer;
    peer.settle_at_once = false;
    peer.open();
    peer.send(octets_of(50, 2), kNow);
    peer.hear();
    peer.say(segment(octets_of(10, 1)));
    peer.say(from_hex("50"));
    EXPECT_EQ(peer.hear(), "");
    EXPECT_FALSE(peer.ended);
    peer.settle(0, 1, Settlement::kSafe, kNow);
    EXPECT_EQ(peer.hear(), "200a");
    EXPECT_FALSE(peer.ended) << "ours is not acknowledged";
    peer.say(from_hex("2032"));
    ASSERT_TRUE(peer.ended);
    EXPECT_EQ(peer.ended->fault, LinkFault::kPeerTerminated);
    EXPECT_EQ(peer.hear(), "50");
}

TEST(SessionEnd, NoDataComeBehindShutdown) {
    Peer peer;
    peer.settle_at_once = false;
    peer.open();
    peer.say(segment(octets_of(10, 1)));
    peer.say(
        from_hex("50"
                 "130101"));
    ASSERT_TRUE(peer.ended);
    EXPECT_EQ(peer.ended->fault, LinkFault::kProtocolError);
}

TEST(SessionEnd, HasOnlySoMuchTime) {
    Peer peer;
    peer.open();
    peer.terminate(kNow);
    peer.hear();
    EXPECT_EQ(peer.core().next_timeout(), kNow + seconds(5));
    peer.time_out(kNow + seconds(5));
    ASSERT_TRUE(peer.ended);
    EXPECT_EQ(peer.ended->fault, LinkFault::kTerminationTimeout);
    EXPECT_EQ(peer.hear(), "") << "it was said before";
}

TEST(SessionEnd, BeforeTheSessionAReasonIsGiven) {
    Peer peer;
    peer.connect(kNow);
    peer.hear();
    peer.terminate(kNow);
    ASSERT_TRUE(peer.ended);
    EXPECT_EQ(peer.ended->fault, LinkFault::kNone);
    EXPECT_EQ(peer.hear(), "5202");
    Peer early;
    early.terminate(kNow);
    EXPECT_TRUE(early.ended);
    EXPECT_EQ(early.hear(), "");
}

TEST(SessionEnd, InTheMiddleOfASegmentNothingMoreIsSaid) {
    Peer peer;
    peer.open();
    peer.send(octets_of(800, 1), kNow);
    (void)peer.output(kNow, 100);
    peer.say(from_hex("00"));
    ASSERT_TRUE(peer.ended);
    EXPECT_EQ(peer.core().queue().pending(), 0U);
}

TEST(SessionEnd, AConnectionCutIsTold) {
    Peer peer;
    peer.open();
    peer.peer_closed(kNow);
    EXPECT_EQ(peer.ended->fault, LinkFault::kPeerClosed);
    Peer inside;
    inside.open();
    Bytes part = segment(octets_of(100, 1));
    part.resize(50);
    inside.say(part);
    EXPECT_TRUE(inside.core().inside_bundle());
    inside.peer_closed(kNow);
    EXPECT_EQ(inside.ended->fault, LinkFault::kTruncatedBundle);
    inside.peer_closed(kNow);
    inside.terminate(kNow);
    inside.time_out(kNow + seconds(1000));
    inside.settle(0, 5, Settlement::kSafe, kNow);
    inside.send(octets_of(5, 1), kNow);
    EXPECT_EQ(inside.hear(), "") << "nothing happens any more";
}

}  // namespace
}  // namespace farlink::cla::tcpclv3
