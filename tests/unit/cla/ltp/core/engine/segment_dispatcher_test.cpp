// SPDX-License-Identifier: Apache-2.0
// Segments of datagrams and streams: whole, malformed, of other engines.
#include "tests/unit/cla/ltp/core/engine_fixture.hpp"

namespace farlink::cla::ltp::segment_dispatcher_test {
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

TEST_F(LtpEngineTest, ReportsAndCancelsForUnknownSessionsAreAcknowledged) {
    feed("0814010005070a00010005");
    EXPECT_EQ(only(), "0914010005");
    feed("0c0a010000");
    EXPECT_EQ(only(), "0d0a0100");
    feed("0e14010000");
    EXPECT_EQ(only(), "0f140100");
    EXPECT_EQ(counters().reports_unknown_session, 1U);
    EXPECT_EQ(counters().cancels_unknown_session, 2U);
}

TEST_F(LtpEngineTest, MalformedSegmentsAreCountedByReason) {
    feed("");
    feed("10010100");
    feed("050a0100010001");
    EXPECT_EQ(counters().malformed[static_cast<std::size_t>(SegmentError::kTruncated)], 1U);
    EXPECT_EQ(counters().malformed[static_cast<std::size_t>(SegmentError::kVersion)], 1U);
    EXPECT_EQ(counters().malformed[static_cast<std::size_t>(SegmentError::kUndefined)], 1U);
    // The segment in front of the malformed one counts.
    Bytes datagram = data(SegmentType::kEndOfRedBlock, 1, 0, 10, 3);
    datagram.push_back(0x10);
    feed(datagram);
    EXPECT_EQ(side().blocks.size(), 1U);
}

TEST_F(LtpEngineTest, AStreamInPiecesIsReadAsADatagram) {
    Bytes stream = data(SegmentType::kRed, 1, 0, 300);
    append(stream, data(SegmentType::kEndOfRedBlock, 1, 300, 300, 3));
    for (std::size_t piece = 1; piece < stream.size(); piece += 7) {
        made.reset();
        side();
        for (std::size_t at = 0; at < stream.size(); at += piece)
            ASSERT_TRUE(engine().handle_bytes(
                side().peer, ByteView(stream).subspan(at, std::min(piece, stream.size() - at)),
                now));
        side().drain(now);
        ASSERT_EQ(side().blocks.size(), 1U) << "in pieces of " << piece;
        EXPECT_EQ(side().blocks[0], Bytes(600, 0x42));
    }
    EXPECT_FALSE(engine().handle_bytes(side().peer, from_hex("1001"), now));
}

}  // namespace
}  // namespace farlink::cla::ltp::segment_dispatcher_test
