// SPDX-License-Identifier: Apache-2.0
// What an engine keeps at most, and what becomes of the rest.
#include "tests/unit/cla/ltp/core/engine_fixture.hpp"

namespace farlink::cla::ltp {
namespace {

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

TEST_F(LtpEngineTest, UnknownEnginesShareARoomAndGiveItBack) {
    PeerConfig stranger = config;
    stranger.unknown = true;
    const PeerId first = engine().add_peer(stranger);
    const PeerId second = engine().add_peer(stranger);
    for (const PeerId peer : {first, second}) engine().contact_opened(peer, now);
    for (std::uint64_t number = 1; number <= 60'000; ++number)
        engine().handle_datagram(first, data(SegmentType::kRed, number, 0, 10), now);
    EXPECT_LT(engine().sessions_in(first), 25'000U);
    engine().handle_datagram(second, data(SegmentType::kRed, 1, 0, 10), now);
    EXPECT_EQ(engine().sessions_in(second), 1U) << "there is room for others";
    const std::uint64_t junk = engine().sessions_in();
    for (std::uint64_t number = 1; number <= 30'000; ++number)
        engine().handle_datagram(side().peer, data(SegmentType::kRed, number, 0, 10), now);
    EXPECT_EQ(engine().sessions_in(), junk + 30'000) << "and for those that are known";
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
    engine().give_back();
    EXPECT_GT(before, 10U << 20U);
    EXPECT_LT(engine().state_bytes(), 5U << 20U) << "what is left are the names of closed sessions";
    feed(data(SegmentType::kEndOfRedBlock, 100'000, 0, 10, 3));
    EXPECT_EQ(side().blocks.size(), 1U) << "and all goes on";
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
