// SPDX-License-Identifier: Apache-2.0
#include "cla/ltp/core/session/receiver_session.hpp"

#include <gtest/gtest.h>

#include "tests/support/ltp_pair.hpp"

namespace farlink::cla::ltp::receiver_session_test {
namespace {

constexpr LinkTiming kTiming{seconds(4), seconds(1)};  // answers come within 10 s

struct ReceiverSessionTest : testing::Test {
    ReceiverSessionTest() {
        limits.retries = 2;
        limits.cycles = 20;
        limits.gaps = 100;
        limits.block_bytes = 100'000;
        limits.report_bytes = 128;
        limits.silence = seconds(50);
        session.start({77, 1, 5000, PeerId{}, 0}, at);
    }
    ~ReceiverSessionTest() override {
        session.release(memory, pools);
        EXPECT_EQ(pools.intervals.used() + pools.reports.used() + pools.chunks.used(), 0U);
        memory.rest();
    }
    DataVerdict data(SegmentType type, std::uint64_t offset, std::size_t size,
                     std::uint64_t checkpoint = 0, std::uint64_t report = 0) {
        const Bytes block = test::numbered_block(1, offset + size);
        Segment segment;
        segment.type = type;
        segment.data = {1, offset, checkpoint, report, ByteView(block).subspan(offset, size)};
        return session.handle_data(segment, limits, at, memory, pools);
    }
    /// The next report's scope, and the claims that it makes.
    std::vector<Interval> report() {
        const Report *const polled = session.poll_report(at, pools);
        if (polled == nullptr) return {};
        last = *polled;
        std::vector<Interval> claims{last.scope};
        std::uint64_t cursor = last.scope.begin;
        while (const auto part =
                   session.received().next_part(pools.intervals, cursor, last.scope.end)) {
            claims.push_back(*part);
            cursor = part->end;
        }
        return claims;
    }
    Bytes take() {
        Bytes octets;
        BlockMemory &block = session.take_block();
        memory.finish(0, block, pools.chunks, session.parts().delivered_size());
        block.chunks.for_each(pools.chunks, [&octets](const Chunk &chunk) {
            append(octets, {chunk.data, chunk.size});
        });
        block.chunks.clear(pools.chunks);
        return octets;
    }
    void wait(Duration time) {
        at += time;
        session.handle_timeout(kTiming, limits, at, memory, pools);
    }

    SlabPool slabs{64 * 1024, 1U << 20U};
    ReceiveRoom room;
    ReceiveMemory memory{slabs, room};
    ReceiverPools pools;
    ReceiverLimits limits;
    ReceiverSession session;
    Report last;
    TimePoint at{seconds(100)};
};

TEST_F(ReceiverSessionTest, ABlockInOrderIsReportedDeliveredAndClosed) {
    EXPECT_EQ(data(SegmentType::kRed, 0, 1000), DataVerdict::kTaken);
    EXPECT_FALSE(session.deliverable());
    EXPECT_EQ(data(SegmentType::kEndOfRedBlock, 1000, 500, 9), DataVerdict::kTaken);
    ASSERT_TRUE(session.deliverable());
    EXPECT_EQ(take(), test::numbered_block(1, 1500));
    EXPECT_EQ(report(), (std::vector<Interval>{{0, 1500}, {0, 1500}}));
    EXPECT_EQ(last.serial, 5000U);
    EXPECT_EQ(last.checkpoint, 9U);
    EXPECT_FALSE(session.finished(pools));
    EXPECT_TRUE(session.handle_report_ack(5000, pools));
    EXPECT_TRUE(session.finished(pools));
}

TEST_F(ReceiverSessionTest, GapsAreReportedAndTheAnswerIsReportedFromItsLowerBound) {
    static_cast<void>(data(SegmentType::kRed, 0, 400));
    static_cast<void>(data(SegmentType::kEndOfRedBlock, 800, 259, 17));
    EXPECT_EQ(report(), (std::vector<Interval>{{0, 1059}, {0, 400}, {800, 1059}}));
    EXPECT_TRUE(session.handle_report_ack(last.serial, pools));
    static_cast<void>(data(SegmentType::kCheckpoint, 400, 400, 18, last.serial));
    EXPECT_EQ(report(), (std::vector<Interval>{{0, 800}, {0, 800}}));
    EXPECT_EQ(last.serial, 5001U);
    EXPECT_EQ(take(), test::numbered_block(1, 1059));
}

TEST_F(ReceiverSessionTest, PrimaryReportsFollowEachOther) {
    static_cast<void>(data(SegmentType::kCheckpoint, 0, 500, 1));
    EXPECT_EQ(report().front(), (Interval{0, 500}));
    static_cast<void>(data(SegmentType::kCheckpoint, 1000, 500, 3));
    EXPECT_EQ(report().front(), (Interval{500, 1500}));
    // Overtaken: it is answered all the same.
    static_cast<void>(data(SegmentType::kCheckpoint, 500, 500, 2));
    EXPECT_EQ(report().front(), (Interval{0, 1000}));
}

TEST_F(ReceiverSessionTest, OnlyReportsWithGapsAreLimited) {
    for (std::uint64_t number = 0; number < 500; ++number) {
        static_cast<void>(data(SegmentType::kCheckpoint, number * 100, 100, 1 + number));
        EXPECT_EQ(report(), (std::vector<Interval>{{number * 100, number * 100 + 100},
                                                   {number * 100, number * 100 + 100}}));
        EXPECT_TRUE(session.handle_report_ack(last.serial, pools));
    }
    EXPECT_EQ(session.state(), ReceiverState::kReceiving);
}

TEST_F(ReceiverSessionTest, TooManyReportsWithGapsCancel) {
    // One checkpoint that answers no report, and repairs that close no gap.
    const std::uint64_t most = limits.cycles + limits.retries;
    static_cast<void>(data(SegmentType::kCheckpoint, 500, 100, 1));
    for (std::uint64_t number = 2; number <= most; ++number)
        static_cast<void>(data(SegmentType::kCheckpoint, 500, 100, number, 4000));
    EXPECT_EQ(session.state(), ReceiverState::kReceiving);
    static_cast<void>(data(SegmentType::kCheckpoint, 500, 100, most + 1, 4000));
    EXPECT_EQ(session.state(), ReceiverState::kCancelling);
    EXPECT_EQ(session.reason(), CancelReason::kRetransmitLimit);
}

TEST_F(ReceiverSessionTest, UnacknowledgedReportsAreLimited) {
    for (std::uint64_t number = 0; number < 200; ++number)
        static_cast<void>(data(SegmentType::kCheckpoint, number * 100, 100, 1 + number));
    std::uint64_t reports = 0;
    while (!report().empty()) ++reports;
    EXPECT_EQ(reports, 4 * limits.cycles);
    EXPECT_EQ(session.state(), ReceiverState::kReceiving);
    // There is room again: the next repeated checkpoint is answered.
    EXPECT_TRUE(session.handle_report_ack(5000, pools));
    static_cast<void>(data(SegmentType::kCheckpoint, 19'900, 100, 200));
    EXPECT_EQ(report().front(), (Interval{8000, 20'000}));
}

TEST_F(ReceiverSessionTest, ARepeatedCheckpointRepeatsItsReport) {
    static_cast<void>(data(SegmentType::kCheckpoint, 0, 500, 1));
    EXPECT_FALSE(report().empty());
    EXPECT_TRUE(report().empty());
    EXPECT_EQ(data(SegmentType::kCheckpoint, 0, 500, 1), DataVerdict::kDuplicate);
    EXPECT_FALSE(report().empty());
    EXPECT_EQ(last.serial, 5000U);
    EXPECT_TRUE(session.handle_report_ack(5000, pools));
    EXPECT_EQ(data(SegmentType::kCheckpoint, 0, 500, 1), DataVerdict::kDuplicate);
    EXPECT_TRUE(report().empty());
}

TEST_F(ReceiverSessionTest, ManyClaimsBecomeSeveralReports) {
    limits.gaps = 200;
    for (std::uint64_t at_offset = 0; at_offset < 20'000; at_offset += 200)
        static_cast<void>(data(SegmentType::kRed, at_offset, 100));
    static_cast<void>(data(SegmentType::kEndOfRed, 20'000, 100, 9));
    std::uint64_t lower = 0;
    std::size_t claims = 0;
    std::uint64_t serial = 5000;
    for (auto part = report(); !part.empty(); part = report()) {
        EXPECT_EQ(part[0].begin, lower);
        lower = part[0].end;
        claims += part.size() - 1;
        EXPECT_EQ(last.serial, serial++);
        std::size_t bytes =
            report_fields_bytes({last.serial, 9, part[0].end, part[0].begin, 0, {}}, part.size());
        for (std::size_t i = 1; i < part.size(); ++i) bytes += claim_bytes(part[i], part[0].begin);
        EXPECT_LE(bytes, limits.report_bytes);
    }
    EXPECT_EQ(lower, 20'100U);
    EXPECT_EQ(claims, 101U);
    EXPECT_GT(serial, 5002U);
}

TEST_F(ReceiverSessionTest, AReportIsRepeatedAndThenTheSessionIsCancelled) {
    static_cast<void>(data(SegmentType::kCheckpoint, 0, 500, 1));
    for (std::uint32_t sends = 0; sends <= limits.retries; ++sends) {
        EXPECT_FALSE(report().empty());
        EXPECT_EQ(session.next_deadline(kTiming, limits, pools), at + seconds(10));
        wait(seconds(10));
    }
    EXPECT_EQ(session.state(), ReceiverState::kCancelling);
    EXPECT_EQ(session.reason(), CancelReason::kRetransmitLimit);
    EXPECT_EQ(memory.held_bytes(), 0U);
    for (std::uint32_t sends = 0; sends <= limits.retries; ++sends) {
        EXPECT_TRUE(session.poll_cancel(at));
        EXPECT_FALSE(session.poll_cancel(at));
        wait(seconds(10));
    }
    EXPECT_EQ(session.state(), ReceiverState::kClosed);
}

TEST_F(ReceiverSessionTest, MiscolouredDataAreDetected) {
    static_cast<void>(data(SegmentType::kRed, 0, 100));
    EXPECT_EQ(data(SegmentType::kGreen, 500, 100), DataVerdict::kTaken);
    EXPECT_EQ(data(SegmentType::kRed, 450, 100), DataVerdict::kMiscoloured);
    EXPECT_EQ(data(SegmentType::kRed, 600, 100), DataVerdict::kMiscoloured);
    EXPECT_EQ(data(SegmentType::kGreen, 50, 100), DataVerdict::kMiscoloured);
    EXPECT_EQ(data(SegmentType::kRed, 400, 100), DataVerdict::kTaken);
}

TEST_F(ReceiverSessionTest, ContradictorySegmentsAreRejected) {
    static_cast<void>(data(SegmentType::kEndOfRed, 500, 100, 1));
    EXPECT_EQ(data(SegmentType::kRed, 600, 1), DataVerdict::kContradictory);
    EXPECT_EQ(data(SegmentType::kEndOfRed, 300, 100, 2), DataVerdict::kContradictory);
    EXPECT_EQ(data(SegmentType::kGreen, 600, 100), DataVerdict::kTaken);
    EXPECT_EQ(data(SegmentType::kEndOfRedBlock, 500, 100, 3), DataVerdict::kContradictory);
    EXPECT_EQ(data(SegmentType::kEndOfGreenBlock, 700, 100), DataVerdict::kTaken);
    EXPECT_EQ(data(SegmentType::kGreen, 800, 1), DataVerdict::kContradictory);
    EXPECT_EQ(data(SegmentType::kRed, 0, 200'000), DataVerdict::kMiscoloured);
}

TEST_F(ReceiverSessionTest, LimitsHold) {
    EXPECT_EQ(data(SegmentType::kRed, 99'999, 2), DataVerdict::kTooLarge);
    limits.gaps = 3;
    for (std::uint64_t offset : {0, 200, 400})
        EXPECT_EQ(data(SegmentType::kRed, offset, 100), DataVerdict::kTaken);
    EXPECT_EQ(data(SegmentType::kRed, 600, 100), DataVerdict::kTooManyGaps);
    EXPECT_EQ(data(SegmentType::kRed, 100, 100), DataVerdict::kTaken);
    EXPECT_EQ(data(SegmentType::kRed, 600, 100), DataVerdict::kTaken);
}

TEST_F(ReceiverSessionTest, TheClosingReportWaitsUntilTheBlockIsSafe) {
    limits.hold = milliseconds(500);
    static_cast<void>(data(SegmentType::kCheckpoint, 0, 500, 1));
    EXPECT_FALSE(report().empty()) << "not the closing one";
    static_cast<void>(data(SegmentType::kEndOfRedBlock, 500, 500, 2));
    EXPECT_TRUE(report().empty());
    EXPECT_EQ(session.next_deadline(kTiming, limits, pools), at + limits.hold);
    EXPECT_EQ(take().size(), 1000U);
    session.block_safe();
    EXPECT_EQ(report().front(), (Interval{500, 1000}));
}

TEST_F(ReceiverSessionTest, ABlockThatIsNotSafeInTimeIsReportedPartially) {
    limits.hold = milliseconds(500);
    static_cast<void>(data(SegmentType::kRed, 0, 200));
    static_cast<void>(data(SegmentType::kEndOfRedBlock, 300, 200, 2));
    EXPECT_FALSE(report().empty()) << "of the gap";
    static_cast<void>(data(SegmentType::kCheckpoint, 200, 100, 3, last.serial));
    EXPECT_EQ(take().size(), 500U);
    wait(milliseconds(499));
    EXPECT_FALSE(session.wants_to_send(at, pools));
    wait(milliseconds(1));
    EXPECT_TRUE(session.wants_to_send(at, pools));
    EXPECT_FALSE(report().empty());
    EXPECT_EQ(session.withheld(last), (Interval{299, 300})) << "never claimed before";
    EXPECT_EQ(session.state(), ReceiverState::kComplete);
    EXPECT_FALSE(session.closing_sent());
    // The sender repeats its checkpoint, and each is answered in the same way.
    const std::uint64_t first = last.serial;
    static_cast<void>(data(SegmentType::kCheckpoint, 299, 1, 4, first));
    EXPECT_FALSE(session.wants_to_send(at, pools));
    wait(limits.hold);
    EXPECT_FALSE(report().empty());
    EXPECT_NE(last.serial, first);
    EXPECT_EQ(session.withheld(last), (Interval{299, 300}));
    static_cast<void>(data(SegmentType::kCheckpoint, 299, 1, 5, last.serial));
    session.block_safe();
    EXPECT_FALSE(report().empty());
    EXPECT_EQ(session.withheld(last), Interval{});
    EXPECT_TRUE(session.closing_sent());
}

TEST_F(ReceiverSessionTest, ASessionStaysOpenUntilItsBundlesAreAcknowledged) {
    limits.hold = milliseconds(500);
    static_cast<void>(data(SegmentType::kEndOfRedBlock, 0, 500, 2));
    EXPECT_EQ(take().size(), 500U);
    for (int i = 0; i < 200; ++i) {  // the sender answers nothing
        wait(seconds(1));
        static_cast<void>(report());
    }
    EXPECT_EQ(session.state(), ReceiverState::kComplete);
    EXPECT_GT(session.next_deadline(kTiming, limits, pools), at) << "no timer is set";
    session.block_safe();
    static_cast<void>(data(SegmentType::kEndOfRedBlock, 0, 500, 2));
    static_cast<void>(data(SegmentType::kEndOfRedBlock, 0, 500, 3));
    EXPECT_FALSE(report().empty());
    EXPECT_TRUE(session.closing_sent());
}

TEST_F(ReceiverSessionTest, ReportsOfGapsWaitForReorderedSegments) {
    limits.report_delay = milliseconds(5);
    static_cast<void>(data(SegmentType::kRed, 0, 100));
    static_cast<void>(data(SegmentType::kEndOfRedBlock, 200, 100, 1));
    EXPECT_TRUE(report().empty());
    EXPECT_FALSE(session.saw_reordering());
    static_cast<void>(data(SegmentType::kRed, 100, 100));
    EXPECT_TRUE(session.saw_reordering());
    EXPECT_EQ(report(), (std::vector<Interval>{{0, 300}, {0, 300}}));
}

TEST_F(ReceiverSessionTest, ADeferredReportIsSentWhenDue) {
    limits.report_delay = milliseconds(5);
    static_cast<void>(data(SegmentType::kEndOfRedBlock, 200, 100, 1));
    EXPECT_EQ(session.next_deadline(kTiming, limits, pools), at + milliseconds(5));
    wait(milliseconds(5));
    EXPECT_EQ(report(), (std::vector<Interval>{{0, 300}, {200, 300}}));
}

TEST_F(ReceiverSessionTest, ASilentSenderIsGivenUp) {
    static_cast<void>(data(SegmentType::kRed, 0, 100));
    EXPECT_EQ(session.next_deadline(kTiming, limits, pools), at + limits.silence);
    wait(limits.silence);
    EXPECT_EQ(session.state(), ReceiverState::kCancelling);
    EXPECT_EQ(session.reason(), CancelReason::kSystemCancelled);
}

TEST_F(ReceiverSessionTest, AGreenBlockIsDeliveredWithoutAReport) {
    static_cast<void>(data(SegmentType::kGreen, 0, 100));
    static_cast<void>(data(SegmentType::kEndOfGreenBlock, 100, 100));
    ASSERT_TRUE(session.deliverable());
    EXPECT_EQ(take(), test::numbered_block(1, 200));
    EXPECT_TRUE(session.finished(pools));
    EXPECT_TRUE(report().empty());
}

TEST_F(ReceiverSessionTest, AnIncompleteGreenBlockIsDropped) {
    static_cast<void>(data(SegmentType::kGreen, 0, 100));
    static_cast<void>(data(SegmentType::kEndOfGreenBlock, 200, 100));
    wait(kTiming.margin);
    EXPECT_EQ(session.state(), ReceiverState::kClosed);
    EXPECT_FALSE(session.deliverable());
}

TEST_F(ReceiverSessionTest, TheRedPartIsDeliveredWhenGreenDataAreLost) {
    static_cast<void>(data(SegmentType::kEndOfRed, 0, 100, 1));
    static_cast<void>(data(SegmentType::kEndOfGreenBlock, 200, 100));
    EXPECT_FALSE(session.deliverable());
    EXPECT_FALSE(report().empty());
    wait(kTiming.margin);
    ASSERT_TRUE(session.deliverable());
    EXPECT_FALSE(session.parts().whole());
    EXPECT_EQ(take(), test::numbered_block(1, 100));
}

TEST_F(ReceiverSessionTest, ReceivedOctetsAreNotOverwritten) {
    static_cast<void>(data(SegmentType::kRed, 0, 100));
    Bytes forged(150, 0xee);
    Segment segment;
    segment.type = SegmentType::kRed;
    segment.data = {1, 50, 0, 0, forged};
    EXPECT_EQ(session.handle_data(segment, limits, at, memory, pools), DataVerdict::kTaken);
    static_cast<void>(data(SegmentType::kEndOfRedBlock, 200, 100, 1));
    const Bytes block = take();
    EXPECT_TRUE(std::ranges::equal(ByteView(block).first(100), test::numbered_block(1, 100)));
    EXPECT_EQ(block[100], 0xee);
}

TEST_F(ReceiverSessionTest, ASegmentWithoutDataChangesNothing) {
    EXPECT_EQ(data(SegmentType::kRed, 0, 0), DataVerdict::kTaken);
    EXPECT_EQ(data(SegmentType::kCheckpoint, 0, 0, 1), DataVerdict::kTaken);
    EXPECT_EQ(data(SegmentType::kEndOfRedBlock, 0, 100, 2), DataVerdict::kTaken);
    EXPECT_EQ(take(), test::numbered_block(1, 100));
}

TEST_F(ReceiverSessionTest, OnlyReportsThatWereSentCanBeAcknowledged) {
    static_cast<void>(data(SegmentType::kCheckpoint, 0, 500, 1));
    EXPECT_FALSE(session.handle_report_ack(4999, pools));
    EXPECT_FALSE(session.handle_report_ack(5001, pools));
    EXPECT_FALSE(report().empty());
    EXPECT_TRUE(session.handle_report_ack(5000, pools));
    EXPECT_TRUE(session.handle_report_ack(5000, pools)) << "again";
}

struct LargeReceiverSessionTest : ReceiverSessionTest {
    LargeReceiverSessionTest() {
        limits.spool_above = 2000;
        limits.part_bytes = 1000;
        limits.spooled_bytes = 50'000;
        limits.block_bytes = 3000;
    }
    void take_parts() {
        for (;;) {
            ChunkList chunks = session.poll_part(limits, at, memory, pools);
            if (chunks.empty()) return;
            const std::size_t before = passed.size();
            chunks.for_each(pools.chunks, [this](const Chunk &chunk) {
                append(passed, {chunk.data, chunk.size});
            });
            chunks.clear(pools.chunks);
            EXPECT_EQ(passed.size(), session.block().passed);
            parts.push_back(passed.size() - before);
        }
    }
    void arrive(std::uint64_t offset, std::size_t size) {
        EXPECT_EQ(data(SegmentType::kRed, offset, size), DataVerdict::kTaken);
        take_parts();
    }
    Bytes passed;
    std::vector<std::uint64_t> parts;
};

TEST_F(LargeReceiverSessionTest, OctetsArePassedOnAsTheyAreWholeFromTheStart) {
    arrive(0, 1500);
    EXPECT_FALSE(session.block().large);
    arrive(1500, 500);
    EXPECT_TRUE(parts.empty()) << "a block of this size is in memory as a whole";
    arrive(2000, 1);
    EXPECT_TRUE(session.block().large);
    EXPECT_EQ(parts, (std::vector<std::uint64_t>{2000}));
    arrive(4000, 2000);
    EXPECT_EQ(parts.size(), 1U) << "there is a gap";
    arrive(2001, 1999);
    EXPECT_EQ(parts, (std::vector<std::uint64_t>{2000, 1000, 1000, 1000}))
        << "the last octet stays";
    EXPECT_EQ(data(SegmentType::kEndOfRedBlock, 6000, 100, 7), DataVerdict::kTaken);
    take_parts();
    ASSERT_TRUE(session.deliverable());
    append(passed, take());
    EXPECT_EQ(passed, test::numbered_block(1, 6100));
    EXPECT_EQ(report(), (std::vector<Interval>{{0, 6100}, {0, 6100}}));
}

TEST_F(LargeReceiverSessionTest, WhatWasPassedOnCountsForThePace) {
    for (std::uint64_t step = 0; step < 30; ++step) {
        at += milliseconds(200);
        arrive(step * 500, 500);
        if (step >= 4) {
            EXPECT_EQ(session.pace(at), 2500U) << "step " << step;
        }
    }
    EXPECT_GT(parts.size(), 10U);
}

TEST_F(LargeReceiverSessionTest, WhatWasPassedOnIsADuplicate) {
    arrive(0, 2500);
    EXPECT_EQ(data(SegmentType::kRed, 100, 1000), DataVerdict::kDuplicate);
    EXPECT_EQ(data(SegmentType::kRed, 2400, 200), DataVerdict::kTaken);
    EXPECT_EQ(data(SegmentType::kEndOfRedBlock, 2600, 100, 7), DataVerdict::kTaken);
    append(passed, take());
    EXPECT_EQ(passed, test::numbered_block(1, 2700));
}

TEST_F(LargeReceiverSessionTest, SuchABlockMayBeLargerThanTheMemory) {
    EXPECT_EQ(data(SegmentType::kRed, 4000, 100), DataVerdict::kTaken);
    EXPECT_EQ(data(SegmentType::kRed, 49'950, 100), DataVerdict::kTooLarge);
    EXPECT_EQ(data(SegmentType::kGreen, 49'950, 100), DataVerdict::kTooLarge);
}

TEST_F(LargeReceiverSessionTest, OthersAreLimitedByIt) {
    session.release(memory, pools);
    session = {};
    session.start({77, kAggregationService, 5000, PeerId{}, 0}, at);
    const Bytes octets(100, 1);
    Segment segment;
    segment.type = SegmentType::kRed;
    segment.data = {kAggregationService, 2950, 0, 0, octets};
    EXPECT_EQ(session.handle_data(segment, limits, at, memory, pools), DataVerdict::kTooLarge)
        << "an aggregate is cut as a whole";
    EXPECT_FALSE(session.block().large);
}

// Behind a gap there is room for the next part at least, which fills the gap.
TEST_F(LargeReceiverSessionTest, WithoutMemoryOctetsAreDroppedAndReportedAsMissing) {
    room.limit = 6500;
    arrive(0, 1000);
    EXPECT_EQ(data(SegmentType::kRed, 2500, 500), DataVerdict::kTaken);
    EXPECT_EQ(data(SegmentType::kRed, 3000, 2000), DataVerdict::kPostponed);
    EXPECT_EQ(data(SegmentType::kCheckpoint, 5000, 1000, 3), DataVerdict::kPostponed);
    EXPECT_TRUE(report().empty()) << "there may be memory soon";
    wait(milliseconds(100));
    EXPECT_EQ(report(), (std::vector<Interval>{{0, 6000}, {0, 1000}, {2500, 3000}}));
    arrive(1000, 1500);
    EXPECT_EQ(parts, (std::vector<std::uint64_t>{2000}));
    arrive(3000, 2000);
    EXPECT_EQ(passed, test::numbered_block(1, passed.size()));
}

// The checkpoint's own octets are dropped, too: its sender gets an answer all the same.
TEST_F(LargeReceiverSessionTest, AReportHasAClaimFromBefore) {
    room.limit = 3000;
    EXPECT_EQ(data(SegmentType::kCheckpoint, 0, 900, 1), DataVerdict::kTaken);
    static_cast<void>(report());
    EXPECT_EQ(data(SegmentType::kCheckpoint, 2000, 900, 2), DataVerdict::kPostponed);
    wait(milliseconds(100));
    EXPECT_EQ(report(), (std::vector<Interval>{{0, 2900}, {0, 900}}));
}

}  // namespace
}  // namespace farlink::cla::ltp::receiver_session_test
