// SPDX-License-Identifier: Apache-2.0
// What an engine makes of segments: of its own sessions, of unknown ones, and of what is no
// segment.
#include "tests/unit/cla/ltp/core/engine_fixture.hpp"

namespace farlink::cla::ltp {
namespace {

TEST_F(LtpEngineTest, AnUnknownServiceIsUnreachable) {
    feed(data(SegmentType::kRed, 5, 0, 10, 0, 9));
    EXPECT_EQ(only(), "0e0a050001");
    feed(data(SegmentType::kRed, 5, 10, 10, 0, 9));
    EXPECT_TRUE(poll().empty()) << "once is enough";
    feed(data(SegmentType::kCheckpoint, 5, 10, 10, 3, 9));
    EXPECT_EQ(only(), "0e0a050001") << "but a sender that asks is told again";
    EXPECT_EQ(engine().sessions_in(), 0U);
    EXPECT_EQ(counters().unknown_service, 1U);
}

TEST_F(LtpEngineTest, MiscolouredDataCancelTheSession) {
    feed(data(SegmentType::kGreen, 1, 100, 10));
    feed(data(SegmentType::kRed, 1, 200, 10));
    EXPECT_EQ(only(), "0e0a010003");
    feed("0f0a0100");
    EXPECT_EQ(engine().sessions_in(), 0U);
}

TEST_F(LtpEngineTest, LateSegmentsOpenNoSessionAgain) {
    feed(data(SegmentType::kEndOfRedBlock, 1, 0, 10, 3));
    const Bytes answer = poll().at(0);
    const auto report = decode_segment(answer);
    ASSERT_TRUE(report.has_value());
    Bytes ack(40);
    std::uint8_t *to = encode_prefix(ack.data(), SegmentType::kReportAck, 10, 1);
    ack.resize(static_cast<std::size_t>(to + codec::encode_sdnv(report->report.report_serial, to) -
                                        ack.data()));
    feed(ack);
    EXPECT_EQ(engine().sessions_in(), 0U);
    feed(data(SegmentType::kRed, 1, 0, 5));
    EXPECT_TRUE(poll().empty());
    // A checkpoint whose answer was lost is answered from memory.
    feed(data(SegmentType::kEndOfRedBlock, 1, 0, 10, 3));
    const Bytes repeated = poll().at(0);
    const auto again = decode_segment(repeated);
    ASSERT_TRUE(again.has_value());
    EXPECT_EQ(again->type, SegmentType::kReport);
    EXPECT_EQ(again->report.checkpoint_serial, 3U);
    ClaimReader claims(again->report);
    EXPECT_EQ(claims.next(), (Interval{0, 10}));
    EXPECT_EQ(engine().sessions_in(), 0U);
    EXPECT_EQ(side().blocks.size(), 1U);
    EXPECT_EQ(counters().late, 2U);
}

TEST_F(LtpEngineTest, WhatWasNeverHandedOverIsNeverReported) {
    // All of the red part is lost, and its sender goes on for longer than this side waits.
    feed(data(SegmentType::kGreen, 1, 100, 10));
    EXPECT_TRUE(wait_for_word().empty());
    EXPECT_EQ(engine().sessions_in(), 0U);
    feed(data(SegmentType::kEndOfRed, 1, 0, 100, 3));
    EXPECT_EQ(only(), "0e0a010004") << "cancelled, not claimed";
    EXPECT_TRUE(side().blocks.empty());
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
    // What stands before the bad one counts.
    Bytes datagram = data(SegmentType::kEndOfRedBlock, 1, 0, 10, 3);
    datagram.push_back(0x10);
    feed(datagram);
    EXPECT_EQ(side().blocks.size(), 1U);
}

TEST_F(LtpEngineTest, ATrickleOfOctetsIsADatagramInTheEnd) {
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

TEST_F(LtpEngineTest, ASenderThatCancelsIsAcknowledged) {
    feed(data(SegmentType::kRed, 1, 0, 10));
    feed("0c0a010002");
    EXPECT_EQ(only(), "0d0a0100");
    EXPECT_EQ(engine().sessions_in(), 0U);
    ASSERT_EQ(side().events.size(), 1U);
    EXPECT_EQ(side().events[0].reason, CancelReason::kRetransmitLimit);
    feed(data(SegmentType::kEndOfRedBlock, 1, 10, 10, 3));
    EXPECT_TRUE(poll().empty());
    EXPECT_EQ(engine().sessions_in(), 0U);
}

TEST_F(LtpEngineTest, ABlockThatIsRefusedIsCancelledUnlessItsSenderKnows) {
    side().acknowledge_at_once = false;
    feed(data(SegmentType::kEndOfRedBlock, 1, 0, 10, 3));
    EXPECT_TRUE(poll().empty()) << "held until it is safe";
    engine().block_refused(side().unacknowledged.at(0), now);
    EXPECT_EQ(only(), "0e0a010004");
    feed(data(SegmentType::kEndOfRedBlock, 2, 0, 10, 3));
    engine().block_safe(side().unacknowledged.at(1), now);
    EXPECT_EQ(poll().size(), 1U);
    engine().block_refused(side().unacknowledged.at(1), now);
    EXPECT_TRUE(poll().empty());
}

TEST_F(LtpEngineTest, CancellingABlockTellsThePeer) {
    side();
    const Bytes octets(100, 1);
    const BlockPiece piece{octets, false};
    const auto quiet = engine().send_block(side().peer, {{&piece, 1}, kAll, 1, 7, 1}, now);
    engine().cancel_block(*quiet, CancelReason::kUserCancelled, now);
    EXPECT_TRUE(poll().empty()) << "nobody has heard of it";
    const auto last_received = engine().send_block(side().peer, {{&piece, 1}, kAll, 1, 8, 1}, now);
    EXPECT_EQ(poll().size(), 1U);
    engine().cancel_block(*last_received, CancelReason::kUserCancelled, now);
    const Bytes cancel = poll().at(0);
    EXPECT_EQ(cancel[0], 0x0c);
    side().drain(now);
    EXPECT_EQ(side().cancelled.size(), 2U);
    Bytes ack(cancel.begin(), cancel.end() - 1);
    ack[0] = 0x0d;
    feed(ack);
    EXPECT_EQ(engine().sessions_out(), 0U);
}

}  // namespace
}  // namespace farlink::cla::ltp
