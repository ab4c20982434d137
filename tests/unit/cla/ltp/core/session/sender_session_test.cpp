// SPDX-License-Identifier: Apache-2.0
#include "cla/ltp/core/session/sender_session.hpp"

#include <gtest/gtest.h>

#include "tests/support/ltp_pair.hpp"

namespace farlink::cla::ltp::sender_session_test {
namespace {

constexpr SenderLimits kLimits{2, 10, 0};
constexpr LinkTiming kTiming{seconds(4), seconds(1)};  // answers come within 10 s
constexpr Frame kFrame{112, 10};

struct SenderSessionTest : testing::Test {
    ~SenderSessionTest() override {
        session.release(pools);
        EXPECT_EQ(pools.intervals.used() + pools.checkpoints.used() + pools.repairs.used(), 0U);
        EXPECT_EQ(pools.memory.used_bytes(), 0U);
    }
    void start(std::size_t size, std::uint64_t red_size) {
        octets = test::numbered_block(5, size);
        const BlockPiece piece{octets, false};
        session.start({77, 1000, 1, red_size, 5, 1, PeerId{}},
                      OutBlock::make(pools.memory, {&piece, 1}));
    }
    /// Sends all of the first transmission.
    std::vector<SegmentPlan> send_all(const SenderLimits &limits = kLimits) {
        std::vector<SegmentPlan> plans;
        while (session.state() == SenderState::kSending)
            plans.push_back(session.plan_next(kFrame, limits, at, pools));
        return plans;
    }
    std::vector<SegmentPlan> send_urgent() {
        std::vector<SegmentPlan> plans;
        while (const auto plan = session.plan_urgent(kFrame, at, pools)) plans.push_back(*plan);
        return plans;
    }
    ReportVerdict report(std::uint64_t serial, std::uint64_t checkpoint, Interval scope,
                         std::initializer_list<Interval> claims) {
        Bytes encoded(200);
        std::uint8_t *to = encoded.data();
        for (const Interval claim : claims) to = encode_claim(to, claim, scope.begin);
        const ByteView view(encoded.data(), static_cast<std::size_t>(to - encoded.data()));
        return session.handle_report(
            {serial, checkpoint, scope.end, scope.begin, claims.size(), view}, kLimits, delay, at,
            pools);
    }
    void wait(Duration time) {
        at += time;
        session.handle_timeout(kTiming, kLimits, at, pools);
    }

    Bytes octets;
    SenderPools pools;
    SenderSession session;
    TimePoint at{seconds(100)};
    Duration delay{};
};

TEST_F(SenderSessionTest, ARedBlockEndsWithACheckpointAndClosesWithItsReport) {
    start(250, 250);
    const auto plans = send_all();
    ASSERT_EQ(plans.size(), 3U);
    EXPECT_EQ(plans[0].type, SegmentType::kRed);
    EXPECT_EQ(plans[2].type, SegmentType::kEndOfRedBlock);
    EXPECT_EQ(plans[2].fields.checkpoint_serial, 1000U);
    EXPECT_EQ(plans[2].fields.report_serial, 0U);
    EXPECT_EQ(plans[2].fields.offset + plans[2].size, 250U);
    EXPECT_EQ(session.next_deadline(kTiming, pools), at + seconds(10));
    EXPECT_EQ(report(1, 1000, {0, 250}, {{0, 250}}), ReportVerdict::kTaken);
    EXPECT_EQ(session.state(), SenderState::kClosed);
    EXPECT_TRUE(session.delivered());
}

TEST_F(SenderSessionTest, SegmentsButTheLastHaveOneSize) {
    start(100'000, 100'000);
    const auto plans = send_all({2, 10, 7});
    for (std::size_t i = 0; i + 2 < plans.size(); ++i) {
        const DataFields &fields = plans[i].fields;
        std::uint8_t buffer[64];
        const std::uint8_t *const end =
            encode_data_fields(buffer, plans[i].type, fields, plans[i].size);
        EXPECT_EQ(static_cast<std::uint64_t>(end - buffer) + plans[i].size + kFrame.overhead,
                  kFrame.total);
        EXPECT_EQ(is_checkpoint(plans[i].type), i % 7 == 6) << i;
    }
}

TEST_F(SenderSessionTest, GreenDataFollowRedDataInSegmentsOfTheirOwn) {
    start(250, 120);
    const auto plans = send_all();
    std::vector<SegmentType> types;
    for (const SegmentPlan &plan : plans) types.push_back(plan.type);
    EXPECT_EQ(types, (std::vector{SegmentType::kRed, SegmentType::kEndOfRed, SegmentType::kGreen,
                                  SegmentType::kEndOfGreenBlock}));
    EXPECT_EQ(plans[2].fields.offset, 120U);
    EXPECT_EQ(session.state(), SenderState::kWaiting);
    EXPECT_EQ(report(1, 1000, {0, 120}, {{0, 120}}), ReportVerdict::kTaken);
    EXPECT_TRUE(session.delivered());
}

TEST_F(SenderSessionTest, AGreenBlockIsDoneWhenItIsSent) {
    start(250, 0);
    const auto plans = send_all();
    EXPECT_EQ(plans.size(), 3U);
    EXPECT_EQ(plans.back().type, SegmentType::kEndOfGreenBlock);
    EXPECT_TRUE(session.delivered());
}

TEST_F(SenderSessionTest, ExactlyTheGapsAreSentAgain) {
    start(1000, 1000);
    static_cast<void>(send_all());
    EXPECT_EQ(report(70, 1000, {0, 1000}, {{0, 100}, {300, 310}, {350, 1000}}),
              ReportVerdict::kTaken);
    EXPECT_TRUE(session.wants_to_send(at, pools));
    const auto plans = send_urgent();
    std::uint64_t octets_again = 0;
    for (const SegmentPlan &plan : plans) octets_again += plan.size;
    EXPECT_EQ(octets_again, 240U);
    EXPECT_EQ(plans.front().fields.offset, 100U);
    for (std::size_t i = 0; i + 1 < plans.size(); ++i) EXPECT_EQ(plans[i].type, SegmentType::kRed);
    EXPECT_EQ(plans.back().type, SegmentType::kCheckpoint);
    EXPECT_EQ(plans.back().fields.checkpoint_serial, 1001U);
    EXPECT_EQ(plans.back().fields.report_serial, 70U);
    EXPECT_EQ(plans.back().fields.offset + plans.back().size, 350U);
    EXPECT_EQ(report(71, 1001, {0, 350}, {{0, 350}}), ReportVerdict::kTaken);
    EXPECT_TRUE(session.delivered());
}

TEST_F(SenderSessionTest, ClaimsOfTwoReceiversAreNotAddedUp) {
    start(1000, 1000);
    static_cast<void>(send_all());
    EXPECT_EQ(report(70'000, 1000, {0, 1000}, {{0, 300}, {400, 1000}}), ReportVerdict::kTaken);
    EXPECT_EQ(send_urgent().back().fields.checkpoint_serial, 1001U);
    // The receiver has restarted, and has only the repeated octets.
    EXPECT_EQ(report(9'000, 1001, {0, 400}, {{300, 400}}), ReportVerdict::kTaken);
    ASSERT_FALSE(session.delivered());
    std::uint64_t octets_again = 0;
    const auto plans = send_urgent();
    for (const SegmentPlan &plan : plans) octets_again += plan.size;
    EXPECT_EQ(octets_again, 900U) << "octets that only the former receiver had";
    EXPECT_EQ(plans.back().fields.offset + plans.back().size, 1000U);
    EXPECT_EQ(plans.back().type, SegmentType::kEndOfRedBlock)
        << "the new receiver must know the end";
    // A late report of the former receiver; then the new one has everything.
    EXPECT_EQ(report(70'001, 1000, {0, 1000}, {{0, 300}, {400, 1000}}), ReportVerdict::kTaken);
    EXPECT_EQ(report(9'001, 1002, {0, 1000}, {{0, 1000}}), ReportVerdict::kTaken);
    EXPECT_TRUE(session.delivered());
}

TEST_F(SenderSessionTest, ReportsOfOneReceiverMayBeReorderedOrLost) {
    start(3000, 3000);
    static_cast<void>(send_all({2, 10, 1}));
    EXPECT_EQ(report(5030, 1001, {1000, 2000}, {{1000, 2000}}), ReportVerdict::kTaken);
    EXPECT_EQ(report(5000, 1000, {0, 1000}, {{0, 1000}}), ReportVerdict::kTaken);
    EXPECT_EQ(report(5090, 1002, {2000, 3000}, {{2000, 3000}}), ReportVerdict::kTaken);
    EXPECT_TRUE(session.delivered());
}

TEST_F(SenderSessionTest, ARepairWaitsAndSkipsWhatOtherReportsClaim) {
    delay = milliseconds(5);
    start(1000, 1000);
    static_cast<void>(send_all());
    EXPECT_EQ(report(70, 1000, {0, 500}, {{0, 100}, {200, 500}}), ReportVerdict::kTaken);
    EXPECT_FALSE(session.wants_to_send(at, pools));
    EXPECT_EQ(session.next_deadline(kTiming, pools), at + delay);
    EXPECT_EQ(report(72, 1000, {0, 1000}, {{0, 500}, {600, 1000}}), ReportVerdict::kTaken);
    at += delay;
    const auto plans = send_urgent();
    EXPECT_EQ(plans.front().fields.offset, 500U) << "the gap of the first report is filled";
    EXPECT_EQ(plans.back().fields.report_serial, 72U);
}

TEST_F(SenderSessionTest, ACheckpointIsSentAgainAndThenGivenUp) {
    start(50, 50);
    const auto plans = send_all();
    for (std::uint32_t retry = 0; retry < kLimits.retries; ++retry) {
        wait(seconds(9));
        EXPECT_TRUE(send_urgent().empty());
        wait(seconds(1));
        const auto again = send_urgent();
        ASSERT_EQ(again.size(), 1U);
        EXPECT_EQ(again[0].type, plans[0].type);
        EXPECT_EQ(again[0].fields.checkpoint_serial, 1000U);
    }
    wait(seconds(10));
    EXPECT_EQ(session.state(), SenderState::kCancelling);
    EXPECT_EQ(session.reason(), CancelReason::kRetransmitLimit);
    for (std::uint32_t sends = 0; sends <= kLimits.retries; ++sends) {
        const auto cancel = send_urgent();
        ASSERT_EQ(cancel.size(), 1U);
        EXPECT_EQ(cancel[0].type, SegmentType::kCancelBySender);
        EXPECT_EQ(cancel[0].reason, CancelReason::kRetransmitLimit);
        EXPECT_EQ(session.next_deadline(kTiming, pools), at + seconds(10));
        wait(seconds(10));
    }
    EXPECT_EQ(session.state(), SenderState::kClosed);
    EXPECT_FALSE(session.delivered());
}

TEST_F(SenderSessionTest, ImpossibleReportsChangeNothing) {
    start(1000, 1000);
    static_cast<void>(session.plan_next(kFrame, {2, 10, 1}, at, pools));
    EXPECT_EQ(report(1, 1000, {0, 1000}, {{0, 1000}}), ReportVerdict::kBeyondSent);
    EXPECT_EQ(report(1, 999, {0, 50}, {{0, 50}}), ReportVerdict::kUnknownCheckpoint);
    EXPECT_EQ(report(1, 1001, {0, 50}, {{0, 50}}), ReportVerdict::kUnknownCheckpoint);
    EXPECT_EQ(report(1, 1000, {0, 50}, {{0, 50}}), ReportVerdict::kTaken);
    EXPECT_EQ(report(1, 1000, {0, 50}, {{0, 20}}), ReportVerdict::kRepeated);
    EXPECT_FALSE(session.wants_to_send(at, pools));
}

TEST_F(SenderSessionTest, TooManyCyclesCancel) {
    start(1000, 1000);
    static_cast<void>(send_all());
    for (std::uint64_t cycle = 0; cycle < kLimits.cycles; ++cycle) {
        EXPECT_EQ(report(50 + cycle, 1000 + cycle, {0, 1000}, {{0, 100}}), ReportVerdict::kTaken);
        EXPECT_FALSE(send_urgent().empty());
    }
    EXPECT_EQ(report(90, 1010, {0, 1000}, {{0, 100}}), ReportVerdict::kTaken);
    EXPECT_EQ(session.reason(), CancelReason::kCycleLimit);
}

TEST_F(SenderSessionTest, EachCheckpointOfALongBlockMayHaveReportsWithGaps) {
    start(10'000, 10'000);
    const auto plans = send_all({2, 10, 1});
    ASSERT_GT(plans.size(), 100U);
    std::uint64_t serial = 50;
    for (std::size_t i = 0; i + 1 < plans.size(); ++i, ++serial) {
        const std::uint64_t begin = plans[i].fields.offset;
        ASSERT_EQ(report(serial, 1000 + i, {begin, begin + plans[i].size}, {{begin, begin + 1}}),
                  ReportVerdict::kTaken);
        ASSERT_NE(session.state(), SenderState::kCancelling) << "report " << serial;
        static_cast<void>(send_urgent());
    }
}

TEST_F(SenderSessionTest, NoCancelSegmentFollowsABlockThatWasNotSent) {
    start(1000, 1000);
    session.cancel(CancelReason::kUserCancelled, pools);
    EXPECT_EQ(session.state(), SenderState::kClosed);
}

TEST_F(SenderSessionTest, OctetsWithoutAnyReportAreSentAgain) {
    start(1000, 1000);
    static_cast<void>(send_all());
    EXPECT_EQ(report(70, 1000, {0, 10}, {{0, 10}}), ReportVerdict::kTaken);
    EXPECT_TRUE(send_urgent().empty());
    EXPECT_EQ(session.next_deadline(kTiming, pools), at + seconds(10));
    wait(seconds(10));
    const auto plans = send_urgent();
    EXPECT_EQ(plans.front().fields.offset, 10U);
    EXPECT_EQ(plans.back().type, SegmentType::kEndOfRedBlock) << "it has the last octet";
}

TEST_F(SenderSessionTest, AnOvertakenCheckpointNeedsNoReport) {
    start(1000, 1000);
    static_cast<void>(send_all({2, 10, 3}));
    EXPECT_EQ(report(70, 1001, {0, 500}, {{0, 500}}), ReportVerdict::kTaken);
    wait(seconds(10));
    for (const SegmentPlan &plan : send_urgent()) EXPECT_GT(plan.fields.checkpoint_serial, 1001U);
}

struct LargeSenderSessionTest : SenderSessionTest {
    static constexpr std::uint64_t kSize = 600;

    LargeSenderSessionTest() {
        octets = test::numbered_block(5, kSize);
        session.start({77, 1000, 1, kSize, 5, 1, PeerId{}}, part(0, 250), kSize - 250);
    }
    OutBlock part(std::uint64_t begin, std::uint64_t end) {
        const BlockPiece piece{ByteView(octets).subspan(begin, end - begin), false};
        return OutBlock::make(pools.memory, {&piece, 1}, begin);
    }
    void add(std::uint64_t begin, std::uint64_t end) { session.add_part(part(begin, end), pools); }
    /// All that is here.
    std::vector<SegmentPlan> send_here() {
        std::vector<SegmentPlan> plans;
        while (session.has_unsent()) {
            plans.push_back(session.plan_next(kFrame, kLimits, at, pools));
            const SegmentPlan &plan = plans.back();
            Bytes sent;
            session.block_at(plan.fields.offset, pools)
                .gather(plan.fields.offset, plan.size,
                        [&sent](ByteView piece) { append(sent, piece); });
            EXPECT_TRUE(
                std::ranges::equal(sent, ByteView(octets).subspan(plan.fields.offset, plan.size)));
        }
        return plans;
    }
    void release_part() {
        ASSERT_TRUE(session.has_delivered_part(pools));
        OutBlock gone = session.take_block(pools);
        gone.release(pools.memory);
    }
};

TEST_F(LargeSenderSessionTest, EachPartEndsWithACheckpoint) {
    auto plans = send_here();
    ASSERT_EQ(plans.size(), 3U);
    EXPECT_EQ(plans[2].type, SegmentType::kCheckpoint);
    EXPECT_EQ(plans[2].fields.offset + plans[2].size, 250U);
    EXPECT_EQ(session.state(), SenderState::kSending);
    add(250, 400);
    add(400, kSize);
    plans = send_here();
    std::vector<std::uint64_t> ends;
    for (const SegmentPlan &plan : plans)
        if (is_checkpoint(plan.type)) ends.push_back(plan.fields.offset + plan.size);
    EXPECT_EQ(ends, (std::vector<std::uint64_t>{400, kSize}));
    EXPECT_EQ(plans.back().type, SegmentType::kEndOfRedBlock);
    EXPECT_EQ(session.state(), SenderState::kWaiting);
}

TEST_F(LargeSenderSessionTest, WhatThePeerHasFromTheBeginningOnIsReleased) {
    send_here();
    add(250, 400);
    send_here();
    EXPECT_EQ(report(1, 1001, {250, 400}, {{250, 400}}), ReportVerdict::kTaken);
    EXPECT_FALSE(session.has_delivered_part(pools)) << "the first part is missing";
    EXPECT_EQ(report(2, 1000, {0, 250}, {{0, 200}}), ReportVerdict::kTaken);
    EXPECT_FALSE(session.has_delivered_part(pools));
    const auto repair = send_urgent();
    ASSERT_EQ(repair.size(), 1U);
    EXPECT_EQ(repair[0].fields.offset, 200U);
    EXPECT_EQ(report(3, 1002, {0, 250}, {{0, 250}}), ReportVerdict::kTaken);
    release_part();
    EXPECT_EQ(session.info().token, 6U);
    release_part();
    EXPECT_FALSE(session.has_delivered_part(pools));
    EXPECT_EQ(session.here().begin, 400U);
    wait(seconds(100));
    EXPECT_EQ(session.state(), SenderState::kSending) << "it waits for its next part";
    add(400, kSize);
    send_here();
    EXPECT_EQ(report(4, 1003, {400, kSize}, {{400, kSize}}), ReportVerdict::kTaken);
    EXPECT_TRUE(session.delivered());
}

TEST_F(LargeSenderSessionTest, ARepairEndsWithItsPart) {
    send_here();
    add(250, 400);
    send_here();
    EXPECT_EQ(report(1, 1001, {0, 400}, {{0, 200}, {300, 400}}), ReportVerdict::kTaken);
    const auto repairs = send_urgent();
    ASSERT_EQ(repairs.size(), 2U);
    EXPECT_EQ(repairs[0].fields.offset + repairs[0].size, 250U);
    EXPECT_EQ(repairs[0].type, SegmentType::kRed);
    EXPECT_EQ(repairs[1].fields.offset, 250U);
    EXPECT_EQ(repairs[1].type, SegmentType::kCheckpoint);
}

// Its answer was lost, and another report has claimed the same.
TEST_F(LargeSenderSessionTest, ACheckpointOfAReleasedPartIsNotSentAgain) {
    send_here();
    add(250, 400);
    send_here();
    EXPECT_EQ(report(1, 1000, {0, 250}, {{0, 200}}), ReportVerdict::kTaken);
    ASSERT_EQ(send_urgent().size(), 1U);  // checkpoint 1002, whose report is lost
    EXPECT_EQ(report(3, 1001, {0, 400}, {{0, 400}}), ReportVerdict::kTaken);
    release_part();
    release_part();
    wait(seconds(11));
    EXPECT_TRUE(send_urgent().empty());
    EXPECT_EQ(session.state(), SenderState::kSending);
}

// It has what the other one had, and that is here no more.
TEST_F(LargeSenderSessionTest, AnotherReceiverEndsABlockOfWhichAPartIsReleased) {
    send_here();
    EXPECT_EQ(report(1, 1000, {0, 250}, {{0, 250}}), ReportVerdict::kTaken);
    release_part();
    add(250, 400);
    send_here();
    EXPECT_EQ(report(50'000, 1001, {250, 400}, {{250, 400}}), ReportVerdict::kTaken);
    EXPECT_EQ(session.state(), SenderState::kCancelling);
    EXPECT_EQ(session.reason(), CancelReason::kUserCancelled);
}

// Its session has ended, so that it answers a late checkpoint with a number of its own.
TEST_F(LargeSenderSessionTest, AReceiverWithAllOctetsSoFarMayHaveAnyNumber) {
    send_here();
    EXPECT_EQ(report(1, 1000, {0, 250}, {{0, 250}}), ReportVerdict::kTaken);
    release_part();
    add(250, 400);
    send_here();
    EXPECT_EQ(report(50'000, 1001, {0, 400}, {{0, 400}}), ReportVerdict::kTaken);
    EXPECT_EQ(session.state(), SenderState::kSending);
    EXPECT_TRUE(session.acknowledged(pools) || session.has_delivered_part(pools));
}

TEST_F(LargeSenderSessionTest, AnswersWithoutAClaimLeadToARepair) {
    send_here();
    EXPECT_EQ(report(1, 1000, {200, 250}, {{200, 250}}), ReportVerdict::kTaken);
    EXPECT_TRUE(send_urgent().empty());
    wait(seconds(11));
    EXPECT_FALSE(send_urgent().empty()) << "no report says anything of the rest";
}

}  // namespace
}  // namespace farlink::cla::ltp::sender_session_test
