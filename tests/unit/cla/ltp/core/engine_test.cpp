// SPDX-License-Identifier: Apache-2.0
// An engine as a whole: contacts, timing, the end of peers, the memory of sessions.
#include "tests/unit/cla/ltp/core/engine_fixture.hpp"

namespace farlink::cla::ltp::engine_test {
namespace {

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
    EXPECT_TRUE(poll().empty()) << "the timer was stopped";
}

TEST_F(LtpEngineTest, APeerWithAnswersAlwaysIsAnsweredWithoutAContact) {
    config.answers_always = true;
    ASSERT_TRUE(side().send(1, numbered_block(1, 100), kAll, now));
    EXPECT_EQ(poll().size(), 1U);
    engine().contact_closed(side().peer, now);
    ASSERT_TRUE(side().send(2, numbered_block(2, 100), kAll, now));
    EXPECT_EQ(engine().next_timeout(), kNever) << "the timers are stopped";
    EXPECT_TRUE(poll().empty());
    now += seconds(1000);
    feed(data(SegmentType::kEndOfRedBlock, 7, 0, 10, 3));
    const auto answers = poll();
    ASSERT_EQ(answers.size(), 1U);
    EXPECT_EQ(decode_segment(answers[0])->type, SegmentType::kReport);
    engine().contact_opened(side().peer, now);
    EXPECT_EQ(poll().size(), 1U) << "the second block";
    EXPECT_LE(engine().next_timeout(), now + config.timing.answer_within());
}

TEST_F(LtpEngineTest, TimersFollowANewOneWayLightTime) {
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

TEST_F(LtpEngineTest, CallsForARemovedPeerChangeNothing) {
    const PeerId former = side().peer;
    static_cast<void>(engine().remove_peer(former));
    EXPECT_EQ(engine().send_credit(former), 0U);
    EXPECT_TRUE(is_idle(engine(), former));
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
    EXPECT_NE(engine().add_peer(config), former) << "an event may still refer to the former one";
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
}  // namespace farlink::cla::ltp::engine_test
