// SPDX-License-Identifier: Apache-2.0
// Outgoing blocks: credit, cancellation, and repairs that wait.
#include "tests/unit/cla/ltp/core/engine_fixture.hpp"

namespace farlink::cla::ltp::sending_engine_test {
namespace {

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

TEST_F(LtpEngineTest, TheWindowFollowsRateAndOneWayLightTime) {
    engine().set_rate(side().peer, BitRate{8'000'000'000});
    EXPECT_EQ(engine().send_credit(side().peer), config.max_send_bytes);
    engine().set_rate(side().peer, BitRate{80'000'000});
    EXPECT_NEAR(static_cast<double>(engine().send_credit(side().peer)), 52e6, 1e6);
    engine().set_timing(side().peer, {seconds(0), milliseconds(100)}, now);
    EXPECT_LT(engine().send_credit(side().peer), 10'000'000U);
}

TEST_F(LtpEngineTest, CancellingABlockSendsACancelSegmentIfAnythingWasSent) {
    side();
    const Bytes octets(100, 1);
    const BlockPiece piece{octets, false};
    const auto quiet = engine().send_block(side().peer, {{&piece, 1}, kAll, 1, 7, 1}, now);
    engine().cancel_block(*quiet, CancelReason::kUserCancelled, now);
    EXPECT_TRUE(poll().empty()) << "nothing of the block was sent";
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
    EXPECT_TRUE(is_idle(engine(), side().peer));
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
        const Bytes octets = delay == Duration::zero() ? answer[1] : wait_for_segment();
        const auto repair = decode_segment(octets);
        ASSERT_TRUE(repair.has_value());
        EXPECT_EQ(repair->data.offset, 0U);
        EXPECT_LE(repair->data.end(), lost);
        EXPECT_GE(now, begun + delay);
        EXPECT_LE(now, begun + delay + milliseconds(10));
    }
}

/// A block in parts, whose first part is sent.
struct LtpExtendTest : LtpEngineTest {
    void begin() {
        side();
        const BlockPiece piece{ByteView(octets).first(1000), false};
        BlockRequest request;
        request.pieces = {&piece, 1};
        request.token = 50;
        request.following = octets.size() - 1000;
        session = *engine().send_block(side().peer, request, now);
        ASSERT_EQ(poll().size(), 1U);
    }
    [[nodiscard]] bool extend(std::size_t from, std::size_t size) {
        const BlockPiece piece{ByteView(octets).subspan(from, size), false};
        return engine().extend_block(session, {&piece, 1});
    }
    using Ends = std::vector<std::pair<EventType, std::uint64_t>>;
    Ends ends() {
        Ends found;
        while (const auto event = engine().poll_event())
            found.emplace_back(event->type, event->token);
        return found;
    }
    const Bytes octets = numbered_block(3, 3000);
    SessionHandle session;
};

TEST_F(LtpExtendTest, OtherBlocksAreSentWhileOneWaitsForItsNextPart) {
    begin();
    EXPECT_FALSE(engine().wants_to_send(side().peer));
    EXPECT_TRUE(side().send(7, numbered_block(7, 100), kAll, now));
    EXPECT_EQ(poll().size(), 1U);
    EXPECT_TRUE(extend(1000, 1000));
    EXPECT_TRUE(extend(2000, 1000));
    EXPECT_EQ(poll().size(), 2U);
    EXPECT_EQ(engine().send_credit(side().peer), config.max_send_bytes - 3100);
}

TEST_F(LtpExtendTest, ACancelledBlockEndsAllItsParts) {
    begin();
    EXPECT_TRUE(extend(1000, 1000));
    engine().cancel_block(session, CancelReason::kUserCancelled, now);
    EXPECT_FALSE(extend(2000, 1000));
    EXPECT_EQ(ends(), (Ends{{EventType::kCancelled, 50}, {EventType::kPartEnded, 51}}));
    EXPECT_EQ(engine().send_credit(side().peer), config.max_send_bytes);
    EXPECT_EQ(poll().at(0)[0], 0x0c);
}

TEST_F(LtpExtendTest, APartEndsWithTheReportThatClaimsIt) {
    side();
    const BlockPiece piece{ByteView(octets).first(1000), false};
    BlockRequest request;
    request.pieces = {&piece, 1};
    request.token = 50;
    request.following = 2000;
    session = *engine().send_block(side().peer, request, now);
    const auto sent = poll();
    const auto first = decode_segment(sent.at(0));
    ASSERT_TRUE(first.has_value());
    EXPECT_EQ(first->type, SegmentType::kCheckpoint);
    Bytes report(60);
    std::uint8_t *to = encode_prefix(report.data(), SegmentType::kReport, 20, first->session);
    to = encode_report_fields(to, {77, first->data.checkpoint_serial, 1000, 0, 1, {}});
    to = encode_claim(to, {0, 1000}, 0);
    report.resize(static_cast<std::size_t>(to - report.data()));
    engine().handle_datagram(side().peer, report, now);
    EXPECT_EQ(ends(), (Ends{{EventType::kPartEnded, 50}}));
    EXPECT_EQ(engine().send_credit(side().peer), config.max_send_bytes);
    engine().cancel_block(session, CancelReason::kUserCancelled, now);
    EXPECT_EQ(ends(), (Ends{{EventType::kCancelled, 51}})) << "that of the next part";
    EXPECT_FALSE(extend(1000, 1000));
}

}  // namespace
}  // namespace farlink::cla::ltp::sending_engine_test
