// SPDX-License-Identifier: Apache-2.0
// Peers of an engine: several of them, those that are silent, and those that go.
#include "tests/unit/cla/ltp/core/engine_fixture.hpp"

namespace farlink::cla::ltp {
namespace {

TEST_F(LtpEngineTest, SegmentsForOthersAreCountedAndIgnored) {
    ASSERT_TRUE(side().send(1, numbered_block(1, 100), kAll, now));
    const Bytes sent = poll().at(0);
    const auto segment = decode_segment(sent);
    const PeerId stranger = engine().add_peer([] {
        PeerConfig other;
        other.engine = EngineId{30};
        return other;
    }());
    engine().contact_opened(stranger, now);
    Bytes cancel(40);
    for (const SegmentType type : {SegmentType::kCancelByReceiver, SegmentType::kReport}) {
        std::uint8_t *to = encode_prefix(cancel.data(), type, 20, segment->session);
        if (type == SegmentType::kReport)
            to = encode_claim(
                encode_report_fields(to, {1, segment->data.checkpoint_serial, 100, 0, 1, {}}),
                {0, 100}, 0);
        else
            *to++ = 0;
        engine().handle_datagram(
            stranger, ByteView(cancel).first(static_cast<std::size_t>(to - cancel.data())), now);
    }
    EXPECT_EQ(engine().counters(stranger).foreign_sessions, 2U);
    EXPECT_EQ(engine().sessions_out(), 1U);
    // The originator of data is the peer, that of reports is this engine.
    feed("000b010001000100");
    feed("080b010005070a00010005");
    EXPECT_EQ(counters().foreign_sessions, 2U);
    EXPECT_TRUE(poll().empty());
}

TEST_F(LtpEngineTest, APeerThatDoesNotAnswerPingsIsSilent) {
    config.ping_interval = seconds(10);
    config.retries = 2;
    feed("0c0a010000");
    EXPECT_EQ(poll().size(), 1U);
    const auto later = [this] {
        now = engine().next_timeout();
        engine().handle_timeout(now);
        side().drain(now);
        return poll();
    };
    const Bytes ping = later().at(0);
    EXPECT_EQ(ping[0], 0x0c);
    Bytes pong(ping.begin(), ping.end() - 1);
    pong[0] = 0x0d;
    feed(pong);
    EXPECT_TRUE(side().events.empty());
    for (int i = 0; i < 4; ++i) EXPECT_EQ(later().size(), 1U);
    ASSERT_EQ(side().events.size(), 1U);
    EXPECT_EQ(side().events[0].type, EventType::kPeerSilent);
    feed("0c0a010000");
    EXPECT_EQ(side().events.back().type, EventType::kPeerResponds);
}

TEST_F(LtpEngineTest, APeerOfWhichNothingIsKnownIsAskedAtOnce) {
    config.ping_interval = seconds(10);
    config.presumed_silent = true;
    side();
    EXPECT_LE(engine().next_timeout(), now);
    engine().handle_timeout(now);
    EXPECT_EQ(poll().size(), 1U);
    now += seconds(5);
    EXPECT_EQ(engine().silence(side().peer, now), seconds(5));
    feed("0c0a010000");
    ASSERT_EQ(side().events.size(), 1U);
    EXPECT_EQ(side().events[0].type, EventType::kPeerResponds);
    EXPECT_EQ(engine().silence(side().peer, now), Duration::zero());
}

TEST_F(LtpEngineTest, AllBlocksToAPeerMayBeCancelledTogether) {
    const Bytes octets(3000, 0x42);
    const BlockPiece piece{octets, {}};
    for (std::uint64_t token = 0; token < 3; ++token) {
        BlockRequest request;
        request.pieces = {&piece, 1};
        request.token = token;
        ASSERT_TRUE(side().engine.send_block(side().peer, request, now).has_value());
    }
    EXPECT_EQ(poll().size(), 9U);
    engine().cancel_blocks(side().peer, CancelReason::kRetransmitLimit, now);
    const std::vector<Bytes> published = poll();
    ASSERT_EQ(published.size(), 3U);
    for (const Bytes &segment : published) EXPECT_EQ(segment[0], 0x0c);
    side().drain(now);
    ASSERT_EQ(side().events.size(), 3U);
    for (const Event &event : side().events) {
        EXPECT_EQ(event.type, EventType::kCancelled);
        EXPECT_EQ(event.reason, CancelReason::kRetransmitLimit);
    }
    EXPECT_TRUE(engine().idle(side().peer));
}

TEST_F(LtpEngineTest, RemovingAPeerEndsItsSessions) {
    feed(data(SegmentType::kRed, 1, 0, 10));
    ASSERT_TRUE(side().send(1, numbered_block(1, 100), kAll, now));
    EXPECT_EQ(engine().remove_peer(side().peer).sessions_opened, 1U);
    EXPECT_EQ(engine().peers(), 0U);
    side().drain(now);
    EXPECT_EQ(engine().sessions_in() + engine().sessions_out(), 0U);
    EXPECT_EQ(side().cancelled.size(), 1U);
    EXPECT_EQ(side().slabs.pinned_bytes(), 0U);
    feed(data(SegmentType::kRed, 2, 0, 10));
    EXPECT_EQ(engine().sessions_in(), 0U);
}

TEST_F(LtpEngineTest, APeerThatIsGoneIsNobody) {
    const PeerId former = side().peer;
    static_cast<void>(engine().remove_peer(former));
    EXPECT_EQ(engine().send_credit(former), 0U);
    EXPECT_TRUE(engine().idle(former));
    EXPECT_FALSE(engine().wants_to_send(former));
    EXPECT_FALSE(side().send(1, numbered_block(1, 100), kAll, now));
    EXPECT_FALSE(engine().handle_bytes(former, data(SegmentType::kRed, 1, 0, 10), now));
    engine().set_timing(former, {seconds(1), seconds(1)}, now);
    engine().set_rate(former, BitRate{1});
    engine().contact_opened(former, now);
    EXPECT_TRUE(poll().empty());
    EXPECT_EQ(engine().next_timeout(), kNever);
    for (int peers = 0; peers < 1000; ++peers)
        static_cast<void>(engine().remove_peer(engine().add_peer(config)));
    EXPECT_EQ(engine().peers(), 0U);
    EXPECT_NE(engine().add_peer(config), former) << "an event may still tell of the former one";
}

}  // namespace
}  // namespace farlink::cla::ltp
