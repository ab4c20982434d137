// SPDX-License-Identifier: Apache-2.0
// Incoming blocks: reports, refusals, cancellations, and the limits of sessions and memory.
#include "tests/unit/cla/ltp/core/engine_fixture.hpp"

namespace farlink::cla::ltp::receiving_engine_test {
namespace {

TEST_F(LtpEngineTest, AnUnknownServiceIsUnreachable) {
    feed(data(SegmentType::kRed, 5, 0, 10, 0, 9));
    EXPECT_EQ(only(), "0e0a050001");
    feed(data(SegmentType::kRed, 5, 10, 10, 0, 9));
    EXPECT_TRUE(poll().empty()) << "data are not answered again";
    feed(data(SegmentType::kCheckpoint, 5, 10, 10, 3, 9));
    EXPECT_EQ(only(), "0e0a050001") << "a checkpoint is answered again";
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

TEST_F(LtpEngineTest, LateSegmentsOpenNoSession) {
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

TEST_F(LtpEngineTest, ABlockThatWasNotDeliveredIsNotReported) {
    // All of the red part is lost, and its sender goes on for longer than this side waits.
    feed(data(SegmentType::kGreen, 1, 100, 10));
    EXPECT_TRUE(wait_for_segment().empty());
    EXPECT_EQ(engine().sessions_in(), 0U);
    feed(data(SegmentType::kEndOfRed, 1, 0, 100, 3));
    EXPECT_EQ(only(), "0e0a010004") << "cancelled, not claimed";
    EXPECT_TRUE(side().blocks.empty());
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

TEST_F(LtpEngineTest, ARefusedBlockIsCancelledUnlessItsClosingReportWasSent) {
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

TEST_F(LtpEngineTest, ABlockIsOpenUntilEitherSideEndsItsSession) {
    side().acknowledge_at_once = false;
    feed(data(SegmentType::kEndOfRedBlock, 1, 0, 10, 3));
    feed(data(SegmentType::kEndOfRedBlock, 2, 0, 10, 3));
    const SessionHandle first = side().unacknowledged.at(0);
    const SessionHandle second = side().unacknowledged.at(1);
    EXPECT_TRUE(engine().is_open(first));
    feed("0c0a010002");
    EXPECT_FALSE(engine().is_open(first));
    EXPECT_TRUE(engine().is_open(second));
    engine().block_refused(second, now);
    EXPECT_FALSE(engine().is_open(second));
}

TEST_F(LtpEngineTest, ReportsOfGapsWaitAsConfigured) {
    config.report_delay = milliseconds(40);
    const TimePoint begun = now;
    feed(data(SegmentType::kEndOfRedBlock, 1, 20, 10, 3));
    EXPECT_TRUE(poll().empty());
    const Bytes octets = wait_for_segment();
    const auto report = decode_segment(octets);
    ASSERT_TRUE(report.has_value());
    EXPECT_EQ(report->type, SegmentType::kReport);
    ClaimReader claims(report->report);
    EXPECT_EQ(claims.next(), (Interval{20, 30}));
    EXPECT_GE(now, begun + milliseconds(40));
    EXPECT_LE(now, begun + milliseconds(50));
    // Octets that arrive within the delay are not repeated.
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

TEST_F(LtpEngineTest, SessionsBeyondTheLimitAreRefused) {
    config.max_receive_sessions = 2;
    feed(data(SegmentType::kRed, 1, 0, 10));
    feed(data(SegmentType::kRed, 2, 0, 10));
    feed(data(SegmentType::kRed, 3, 0, 10));
    EXPECT_EQ(only(), "0e0a030004");
    EXPECT_EQ(engine().sessions_in(), 2U);
    feed(data(SegmentType::kEndOfRedBlock, 1, 10, 10, 3));
    EXPECT_EQ(side().blocks.size(), 1U) << "open sessions go on";
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

// Datagrams of one octet must not take the memory of the loop's other links.
TEST_F(LtpEngineTest, AnOctetAtALargeOffsetTakesLittleMemory) {
    for (std::uint64_t number = 1; number <= 100; ++number)
        feed(data(SegmentType::kRed, number, (32U << 20U) - 2, 1));
    EXPECT_EQ(engine().sessions_in(), 100U);
    EXPECT_LE(engine().held_bytes(), 100 * 4U);
    EXPECT_LE(side().slabs.pinned_bytes(), 2 * side().slabs.slab_bytes());
    EXPECT_EQ(engine().refusals(), 0U);
}

TEST_F(LtpEngineTest, ManyPeersShareTheLimitOfSessions) {
    made = std::make_unique<LtpSide>(EngineConfig{EngineId{20}, {}, 64, 90, 1'000'000}, config, 7);
    engine().contact_opened(made->peer, now);
    const auto flood = [this](PeerId peer) {
        for (std::uint64_t number = 1; number <= 100; ++number)
            engine().handle_datagram(peer, data(SegmentType::kRed, number, 0, 10), now);
    };
    flood(made->peer);
    EXPECT_EQ(engine().sessions_in(), 80U) << "one peer leaves a ninth";
    for (int peers = 0; peers < 20; ++peers) {
        PeerConfig other = config;
        const PeerId stranger = engine().add_peer(other);
        flood(stranger);
        EXPECT_GT(engine().sessions_in(stranger) + (peers > 1 ? 1 : 0), 0U);
    }
    EXPECT_LE(engine().sessions_in(), 90U);
    EXPECT_GT(engine().refusals(), 1900U);
}

// Ten of them take every place that unknown peers have, and complete no block.
TEST_F(LtpEngineTest, UnknownPeersThatHaveStoppedLeaveTheirPlacesToANewcomer) {
    const EngineConfig limits{EngineId{20}, {}, 64, 1000, 1'000'000, 200};
    made = std::make_unique<LtpSide>(limits, config, 7);
    PeerConfig unknown = config;
    unknown.unknown = true;
    const auto add = [&] {
        const PeerId peer = engine().add_peer(unknown);
        engine().contact_opened(peer, now);
        return peer;
    };
    std::vector<PeerId> silent;
    for (int peers = 0; peers < 10; ++peers) {
        silent.push_back(add());
        for (std::uint64_t number = 1; number <= 300; ++number)
            engine().handle_datagram(silent.back(), data(SegmentType::kRed, number, 0, 10), now);
    }
    const PeerId newcomer = add();
    engine().handle_datagram(newcomer, data(SegmentType::kRed, 1, 0, 10), now);
    EXPECT_EQ(engine().sessions_in(newcomer), 0U);
    const std::size_t before = engine().sessions_in(silent[0]);
    now += seconds(2);
    engine().handle_datagram(newcomer, data(SegmentType::kRed, 2, 0, 10), now);
    EXPECT_EQ(engine().sessions_in(newcomer), 1U);
    EXPECT_LT(engine().sessions_in(silent[0]), before) << "the one with the most";
    EXPECT_GT(engine().sessions_in(silent[0]), before / 2);
    EXPECT_EQ(engine().sessions_in(silent[1]), 20U) << "has fewer";
    made->batch.clear();
    engine().poll_segments(silent[0], made->batch, 1'000'000, now);
    EXPECT_FALSE(made->batch.empty()) << "it is told";
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

// The memory of one peer remembers the places of its sessions, also of those that have ended.
TEST_F(LtpEngineTest, ABlockInThePlaceOfAnotherPeersSessionStaysWhereItGrows) {
    const PeerId other = side().engine.add_peer(config);
    engine().contact_opened(other, now);
    feed(data(SegmentType::kRed, 1, 0, 10));
    feed("0c0a010002");
    engine().handle_datagram(other, data(SegmentType::kRed, 2, 0, 10), now);
    feed(data(SegmentType::kRed, 3, 0, 10));
    engine().handle_datagram(other, data(SegmentType::kEndOfRedBlock, 2, 10, 10, 3), now);
    side().drain(now);
    ASSERT_EQ(side().blocks.size(), 1U);
    EXPECT_EQ(side().slices, 1U) << "in one piece";
}

TEST_F(LtpEngineTest, UnknownPeersShareALimitAndGiveTheirMemoryBack) {
    PeerConfig stranger = config;
    stranger.unknown = true;
    const PeerId first = engine().add_peer(stranger);
    const PeerId second = engine().add_peer(stranger);
    for (const PeerId peer : {first, second}) engine().contact_opened(peer, now);
    for (std::uint64_t number = 1; number <= 60'000; ++number)
        engine().handle_datagram(first, data(SegmentType::kRed, number, 0, 10), now);
    EXPECT_LT(engine().sessions_in(first), 25'000U);
    engine().handle_datagram(second, data(SegmentType::kRed, 1, 0, 10), now);
    EXPECT_EQ(engine().sessions_in(second), 1U) << "other unknown peers have room";
    const std::uint64_t junk = engine().sessions_in();
    for (std::uint64_t number = 1; number <= 30'000; ++number)
        engine().handle_datagram(side().peer, data(SegmentType::kRed, number, 0, 10), now);
    EXPECT_EQ(engine().sessions_in(), junk + 30'000) << "known peers still have room";
    for (int alarms = 0; alarms < 1000 && engine().next_timeout() != kNever; ++alarms) {
        now = std::max(now, engine().next_timeout());
        engine().handle_timeout(now);
        for (const PeerId peer : {first, second, side().peer})
            for (bool more = true; more;) {
                made->batch.clear();
                engine().poll_segments(peer, made->batch, 1'000'000, now);
                more = !made->batch.empty();
            }
    }
    ASSERT_EQ(engine().sessions_in(), 0U);
    const std::size_t before = engine().state_bytes();
    const std::size_t given_back = engine().give_back();
    EXPECT_EQ(given_back, before - engine().state_bytes());
    EXPECT_GT(before, 10U << 20U);
    EXPECT_LT(engine().state_bytes(), 5U << 20U) << "the session history stays";
    feed(data(SegmentType::kEndOfRedBlock, 100'000, 0, 10, 3));
    EXPECT_EQ(side().blocks.size(), 1U) << "new sessions still open";
}

}  // namespace
}  // namespace farlink::cla::ltp::receiving_engine_test
