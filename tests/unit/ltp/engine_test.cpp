// SPDX-License-Identifier: Apache-2.0
// Length: one engine, and a test for each rule of it.
#include "cla/ltp/core/engine.hpp"

#include <gtest/gtest.h>

#include "tests/support/hex.hpp"
#include "tests/support/ltp_pair.hpp"

namespace farlink::cla::ltp {
namespace {

using test::from_hex;
using test::LtpPair;
using test::LtpSide;
using test::numbered_block;

constexpr std::uint64_t kAll = BlockRequest::kAllRed;

/// One engine (number 20), whose peer (number 10) is the test.
struct LtpEngineTest : testing::Test {
    LtpEngineTest() { config.engine = EngineId{10}; }
    LtpSide &side() {
        if (!made) {
            made = std::make_unique<LtpSide>(EngineConfig{EngineId{20}, {}, 64}, config, 7);
            made->engine.contact_opened(made->peer, now);
            made->keep_octets = true;
        }
        return *made;
    }
    Engine &engine() { return side().engine; }
    const Counters &counters() { return engine().counters(side().peer); }
    void feed(ByteView datagram) {
        side();
        engine().handle_datagram(side().peer, datagram, now);
        side().drain(now);
    }
    void feed(const std::string &hex) { feed(from_hex(hex)); }
    /// A data segment of session `number`.
    Bytes data(SegmentType type, std::uint64_t number, std::uint64_t offset, std::size_t size,
               std::uint64_t checkpoint = 0, std::uint64_t service = 1) {
        Bytes octets(100);
        std::uint8_t *to = encode_prefix(octets.data(), type, 10, number);
        to = encode_data_fields(to, type, {service, offset, checkpoint, 0, {}}, size);
        octets.resize(static_cast<std::size_t>(to - octets.data()));
        octets.resize(octets.size() + size, 0x42);
        return octets;
    }
    /// What the engine wants to send now.
    std::vector<Bytes> poll() {
        std::vector<Bytes> datagrams;
        side();
        for (bool more = true; more;) {
            made->batch.clear();
            engine().poll_segments(made->peer, made->batch, 1'000'000, now);
            for (const OutSegment &segment : made->batch.segments()) {
                datagrams.emplace_back();
                for (const ByteView piece : made->batch.pieces_of(segment))
                    append(datagrams.back(), piece);
            }
            more = !made->batch.empty();
        }
        return datagrams;
    }
    std::string only() {
        const auto datagrams = poll();
        EXPECT_EQ(datagrams.size(), 1U);
        return datagrams.empty() ? "" : test::to_hex(datagrams[0]);
    }

    /// Lets time pass until the engine has something to say.
    Bytes wait_for_word() {
        for (int alarms = 0; alarms < 1000 && engine().next_timeout() != kNever; ++alarms) {
            now = std::max(now, engine().next_timeout());
            engine().handle_timeout(now);
            if (auto datagrams = poll(); !datagrams.empty()) return datagrams[0];
        }
        return {};
    }

    PeerConfig config;
    TimePoint now{seconds(500)};
    std::unique_ptr<LtpSide> made;
};

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

TEST_F(LtpEngineTest, WithoutRoomNewSessionsAreCancelled) {
    config.max_receive_sessions = 2;
    feed(data(SegmentType::kRed, 1, 0, 10));
    feed(data(SegmentType::kRed, 2, 0, 10));
    feed(data(SegmentType::kRed, 3, 0, 10));
    EXPECT_EQ(only(), "0e0a030004");
    EXPECT_EQ(engine().sessions_in(), 2U);
    feed(data(SegmentType::kEndOfRedBlock, 1, 10, 10, 3));
    EXPECT_EQ(side().blocks.size(), 1U) << "the old ones go on";
    EXPECT_EQ(counters().sessions_refused, 1U);
}

TEST_F(LtpEngineTest, AFloodOfSessionsIsBounded) {
    config.max_receive_sessions = 100;
    config.max_receive_bytes = 10'000'000;
    for (std::uint64_t number = 1; number < 100'000; ++number)
        feed(data(SegmentType::kRed, number, number % 1000 * 60, 10));
    EXPECT_EQ(engine().sessions_in(), 100U);
    EXPECT_LE(side().slabs.pinned_bytes(), 12'000'000U);
    EXPECT_LE(poll().size(), Peer::kMostAnswers);
    EXPECT_LT(engine().state_bytes(), 1'000'000U);
    EXPECT_GT(counters().answers_dropped, 0U);
}

// As many datagrams of one octet as there are once stopped every link of the loop.
TEST_F(LtpEngineTest, AnOctetFarOutClaimsNoMemory) {
    for (std::uint64_t number = 1; number <= 100; ++number)
        feed(data(SegmentType::kRed, number, (32U << 20U) - 2, 1));
    EXPECT_EQ(engine().sessions_in(), 100U);
    EXPECT_LE(engine().held_bytes(), 100 * 4U);
    EXPECT_LE(side().slabs.pinned_bytes(), 2 * side().slabs.slab_bytes());
    EXPECT_EQ(engine().refusals(), 0U);
}

TEST_F(LtpEngineTest, ManyAddressesShareOneRoom) {
    made = std::make_unique<LtpSide>(EngineConfig{EngineId{20}, {}, 64, 90, 1'000'000}, config, 7);
    engine().contact_opened(made->peer, now);
    const auto flood = [this](PeerId peer) {
        for (std::uint64_t number = 1; number <= 100; ++number)
            engine().handle_datagram(peer, data(SegmentType::kRed, number, 0, 10), now);
    };
    flood(made->peer);
    EXPECT_EQ(engine().sessions_in(), 80U) << "the rest is for others";
    for (int peers = 0; peers < 20; ++peers) {
        PeerConfig other = config;
        const PeerId stranger = engine().add_peer(other);
        flood(stranger);
        EXPECT_GT(engine().sessions_in(stranger) + (peers > 1 ? 1 : 0), 0U);
    }
    EXPECT_LE(engine().sessions_in(), 90U);
    EXPECT_GT(engine().refusals(), 1900U);
}

TEST_F(LtpEngineTest, WithoutMemoryASessionIsCancelled) {
    made = std::make_unique<LtpSide>(EngineConfig{EngineId{20}, {}, 64}, config, 7, 256U << 10U);
    engine().contact_opened(made->peer, now);
    feed(data(SegmentType::kRed, 1, 0, 1000));
    feed(data(SegmentType::kRed, 1, 1000, 300'000));
    EXPECT_EQ(only(), "0e0a010004");
    EXPECT_EQ(made->slabs.pinned_bytes(), 0U);
    EXPECT_EQ(counters().no_memory, 1U);
    ASSERT_EQ(made->events.size(), 1U);
    EXPECT_EQ(made->events[0].type, EventType::kReceptionCancelled);
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
            to = encode_report_fields(to, {1, segment->data.checkpoint_serial, 100, 0, 0, {}});
        else
            *to++ = 0;
        engine().handle_datagram(
            stranger, ByteView(cancel).first(static_cast<std::size_t>(to - cancel.data())), now);
    }
    EXPECT_EQ(engine().counters(stranger).foreign_sessions, 2U);
    EXPECT_EQ(engine().sessions_out(), 1U);
    // The originator of data is the peer, that of reports is this engine.
    feed("000b010001000100");
    feed("080b010005070a0000");
    EXPECT_EQ(counters().foreign_sessions, 2U);
    EXPECT_TRUE(poll().empty());
}

TEST_F(LtpEngineTest, ReportsAndCancelsForUnknownSessionsAreAcknowledged) {
    feed("0814010005070a0000");
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
    side().settle_at_once = false;
    feed(data(SegmentType::kEndOfRedBlock, 1, 0, 10, 3));
    EXPECT_TRUE(poll().empty()) << "held until it is safe";
    engine().block_refused(side().unsettled.at(0), now);
    EXPECT_EQ(only(), "0e0a010004");
    feed(data(SegmentType::kEndOfRedBlock, 2, 0, 10, 3));
    engine().block_safe(side().unsettled.at(1), now);
    EXPECT_EQ(poll().size(), 1U);
    engine().block_refused(side().unsettled.at(1), now);
    EXPECT_TRUE(poll().empty());
}

TEST_F(LtpEngineTest, CancellingABlockTellsThePeer) {
    side();
    const Bytes octets(100, 1);
    const BlockPiece piece{octets, false};
    const auto quiet = engine().send_block(side().peer, {{&piece, 1}, kAll, 1, 7, 1}, now);
    engine().cancel_block(*quiet, CancelReason::kUserCancelled, now);
    EXPECT_TRUE(poll().empty()) << "nobody has heard of it";
    const auto heard = engine().send_block(side().peer, {{&piece, 1}, kAll, 1, 8, 1}, now);
    EXPECT_EQ(poll().size(), 1U);
    engine().cancel_block(*heard, CancelReason::kUserCancelled, now);
    const Bytes cancel = poll().at(0);
    EXPECT_EQ(cancel[0], 0x0c);
    side().drain(now);
    EXPECT_EQ(side().cancelled.size(), 2U);
    Bytes ack(cancel.begin(), cancel.end() - 1);
    ack[0] = 0x0d;
    feed(ack);
    EXPECT_EQ(engine().sessions_out(), 0U);
}

TEST_F(LtpEngineTest, NothingIsSentWhileTheContactIsClosed) {
    ASSERT_TRUE(side().send(1, numbered_block(1, 100), kAll, now));
    engine().contact_closed(side().peer, now);
    EXPECT_TRUE(poll().empty());
    EXPECT_FALSE(engine().wants_to_send(side().peer));
    EXPECT_EQ(engine().next_timeout(), kNever);
    engine().contact_opened(side().peer, now);
    EXPECT_EQ(poll().size(), 1U);
    const TimePoint due = engine().next_timeout();
    EXPECT_NE(due, kNever);
    engine().contact_closed(side().peer, now);
    now += seconds(100'000);
    engine().contact_opened(side().peer, now);
    engine().handle_timeout(now);
    EXPECT_TRUE(poll().empty()) << "its timer stood still";
}

TEST_F(LtpEngineTest, SendLimitsHold) {
    config.max_send_sessions = 2;
    config.max_send_bytes = 1000;
    EXPECT_TRUE(side().send(1, numbered_block(1, 900), kAll, now));
    EXPECT_EQ(engine().send_credit(side().peer), 100U);
    EXPECT_TRUE(side().send(2, numbered_block(2, 900), kAll, now)) << "the last one may exceed";
    EXPECT_EQ(engine().send_credit(side().peer), 0U);
    EXPECT_FALSE(side().send(3, numbered_block(3, 10), kAll, now));
    const BlockPiece none{};
    EXPECT_FALSE(engine().send_block(side().peer, {{&none, 1}, kAll, 1, 1, 1}, now));
}

TEST_F(LtpEngineTest, TheWindowFollowsRateAndLightTime) {
    engine().set_rate(side().peer, BitRate{8'000'000'000});
    EXPECT_EQ(engine().send_credit(side().peer), config.max_send_bytes);
    engine().set_rate(side().peer, BitRate{80'000'000});
    EXPECT_NEAR(static_cast<double>(engine().send_credit(side().peer)), 52e6, 1e6);
    engine().set_timing(side().peer, {seconds(0), milliseconds(100)}, now);
    EXPECT_LT(engine().send_credit(side().peer), 10'000'000U);
}

TEST_F(LtpEngineTest, TimersFollowANewLightTime) {
    ASSERT_TRUE(side().send(1, numbered_block(1, 100), kAll, now));
    EXPECT_EQ(poll().size(), 1U);
    engine().set_timing(side().peer, {seconds(100), seconds(1)}, now);
    now += seconds(201);
    engine().handle_timeout(now);
    EXPECT_TRUE(poll().empty());
    now += seconds(2);
    engine().handle_timeout(now);
    EXPECT_EQ(poll().size(), 1U);
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
    EXPECT_EQ(side().events.back().type, EventType::kPeerHeard);
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
    EXPECT_EQ(side().events[0].type, EventType::kPeerHeard);
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
    const std::vector<Bytes> told = poll();
    ASSERT_EQ(told.size(), 3U);
    for (const Bytes &segment : told) EXPECT_EQ(segment[0], 0x0c);
    side().drain(now);
    ASSERT_EQ(side().events.size(), 3U);
    for (const Event &event : side().events) {
        EXPECT_EQ(event.type, EventType::kCancelled);
        EXPECT_EQ(event.reason, CancelReason::kRetransmitLimit);
    }
    EXPECT_TRUE(engine().idle(side().peer));
}

TEST_F(LtpEngineTest, ReportsOfGapsWaitAsConfigured) {
    config.report_delay = milliseconds(40);
    const TimePoint begun = now;
    feed(data(SegmentType::kEndOfRedBlock, 1, 20, 10, 3));
    EXPECT_TRUE(poll().empty());
    const Bytes octets = wait_for_word();
    const auto report = decode_segment(octets);
    ASSERT_TRUE(report.has_value());
    EXPECT_EQ(report->type, SegmentType::kReport);
    ClaimReader claims(report->report);
    EXPECT_EQ(claims.next(), (Interval{20, 30}));
    EXPECT_GE(now, begun + milliseconds(40));
    EXPECT_LE(now, begun + milliseconds(50));
    // What comes in that time is not asked for.
    feed(data(SegmentType::kEndOfRedBlock, 2, 20, 10, 3));
    now += milliseconds(39);
    engine().handle_timeout(now);
    EXPECT_TRUE(poll().empty());
    feed(data(SegmentType::kRed, 2, 0, 20));
    const Bytes closing = poll().at(0);
    const auto whole = decode_segment(closing);
    ASSERT_TRUE(whole.has_value());
    ClaimReader all(whole->report);
    EXPECT_EQ(all.next(), (Interval{0, 30}));
}

TEST_F(LtpEngineTest, WithoutAReportDelayGapsAreReportedAtOnce) {
    feed(data(SegmentType::kEndOfRedBlock, 1, 20, 10, 3));
    EXPECT_EQ(poll().size(), 1U);
}

TEST_F(LtpEngineTest, RepairsWaitAsConfigured) {
    for (const Duration delay : {milliseconds(40), milliseconds(0)}) {
        config.repair_delay = delay;
        made.reset();
        ASSERT_TRUE(side().send(1, numbered_block(1, 3000), kAll, now));
        const auto sent = poll();
        ASSERT_EQ(sent.size(), 3U);
        const auto first = decode_segment(sent[0]);
        const auto last = decode_segment(sent[2]);
        ASSERT_TRUE(first && last);
        const std::uint64_t lost = first->data.end();
        Bytes report(60);
        std::uint8_t *to = encode_prefix(report.data(), SegmentType::kReport, 20, first->session);
        to = encode_report_fields(to, {77, last->data.checkpoint_serial, 3000, 0, 1, {}});
        to = encode_claim(to, {lost, 3000}, 0);
        report.resize(static_cast<std::size_t>(to - report.data()));
        const TimePoint begun = now;
        feed(report);
        auto answer = poll();
        ASSERT_EQ(answer.size() > 1, delay == Duration::zero());
        EXPECT_EQ(answer[0][0], 0x09) << "the report is acknowledged at once";
        const Bytes octets = delay == Duration::zero() ? answer[1] : wait_for_word();
        const auto repair = decode_segment(octets);
        ASSERT_TRUE(repair.has_value());
        EXPECT_EQ(repair->data.offset, 0U);
        EXPECT_LE(repair->data.end(), lost);
        EXPECT_GE(now, begun + delay);
        EXPECT_LE(now, begun + delay + milliseconds(10));
    }
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

TEST_F(LtpEngineTest, SessionsAreSmall) {
    static_assert(sizeof(SenderSession) + sizeof(TimerNodes::Node) < 400);
    static_assert(sizeof(ReceiverSession) + sizeof(TimerNodes::Node) < 400);
    constexpr std::uint64_t kSessions = 84'000;
    const Bytes octets(5000, 1);
    const BlockPiece piece{octets, false};
    side();
    for (std::uint64_t number = 0; number < kSessions; ++number)
        ASSERT_TRUE(engine().send_block(side().peer, {{&piece, 1}, kAll, 1, number, 1}, now));
    EXPECT_EQ(poll().size(), 4 * kSessions);
    const std::size_t out = engine().state_bytes();
    EXPECT_LT(out, 500 * kSessions);
    RecordProperty("bytes_a_sending_session", static_cast<int>(out / kSessions));
    for (std::uint64_t number = 1; number <= kSessions; ++number)
        engine().handle_datagram(side().peer, data(SegmentType::kRed, number, 0, 10), now);
    EXPECT_EQ(engine().sessions_in(), kSessions);
    const std::size_t in = engine().state_bytes() - out;
    EXPECT_LT(in, 500 * kSessions);
    RecordProperty("bytes_a_receiving_session", static_cast<int>(in / kSessions));
}

}  // namespace
}  // namespace farlink::cla::ltp
