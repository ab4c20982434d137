// SPDX-License-Identifier: Apache-2.0
// When an engine speaks: contacts, light times, and reports and repairs that wait.
#include "tests/unit/cla/ltp/core/engine_fixture.hpp"

namespace farlink::cla::ltp {
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
    EXPECT_TRUE(poll().empty()) << "its timer stood still";
}

TEST_F(LtpEngineTest, WithoutAContactSomePeersAreAnsweredAllTheSame) {
    config.answers_always = true;
    ASSERT_TRUE(side().send(1, numbered_block(1, 100), kAll, now));
    EXPECT_EQ(poll().size(), 1U);
    engine().contact_closed(side().peer, now);
    ASSERT_TRUE(side().send(2, numbered_block(2, 100), kAll, now));
    EXPECT_EQ(engine().next_timeout(), kNever) << "its timers stand still";
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

}  // namespace
}  // namespace farlink::cla::ltp
