// SPDX-License-Identifier: Apache-2.0
#include "cla/ltp/core/session/receiver_reports.hpp"

#include <gtest/gtest.h>

namespace farlink::cla::ltp::receiver_reports_test {
namespace {

struct ReportsTest : testing::Test {
    ReportsTest() {
        limits.retries = 2;
        limits.cycles = 5;
        limits.gaps = 100;
        limits.report_bytes = 128;
    }
    ~ReportsTest() override {
        reports.clear(pools);
        received.clear(pools.intervals);
        EXPECT_EQ(pools.intervals.used() + pools.reports.used(), 0U);
    }
    void receive(std::uint64_t begin, std::uint64_t end) {
        ASSERT_TRUE(received.add(pools.intervals, begin, end));
    }
    bool checkpoint(std::uint64_t serial, std::uint64_t end, std::uint64_t answers = 0) {
        DataFields data;
        data.checkpoint_serial = serial;
        data.report_serial = answers;
        data.offset = end;
        return reports.handle_checkpoint(data, received, limits, at, pools);
    }

    ReceiverPools pools;
    ReceiverLimits limits;
    IntervalList received;
    ReceiverReports reports{5000};
    TimePoint at{seconds(100)};
};

TEST_F(ReportsTest, ACheckpointIsAnsweredOnceAndUntilItIsAcknowledged) {
    receive(0, 500);
    EXPECT_TRUE(checkpoint(7, 500));
    EXPECT_FALSE(reports.all_acknowledged(pools));
    const Report *const sent = reports.poll(false, at, pools);
    ASSERT_NE(sent, nullptr);
    EXPECT_EQ(sent->serial, 5000U);
    EXPECT_EQ(sent->checkpoint, 7U);
    EXPECT_EQ(sent->scope, (Interval{0, 500}));
    EXPECT_EQ(reports.poll(false, at, pools), nullptr);
    EXPECT_EQ(reports.next_deadline(seconds(10), kNever, pools), at + seconds(10));
    EXPECT_FALSE(reports.handle_ack(5001, received, pools)) << "was never sent";
    EXPECT_TRUE(reports.handle_ack(5000, received, pools));
    EXPECT_TRUE(reports.all_acknowledged(pools));
    EXPECT_EQ(reports.next_deadline(seconds(10), kNever, pools), std::nullopt);
}

TEST_F(ReportsTest, AnUnansweredReportIsRepeatedUpToTheLimit) {
    receive(0, 500);
    EXPECT_TRUE(checkpoint(7, 500));
    for (std::uint32_t sends = 0; sends < limits.retries; ++sends) {
        ASSERT_NE(reports.poll(false, at, pools), nullptr);
        EXPECT_EQ(reports.repeat(limits, at, pools), ReportProgress::kPending);
    }
    ASSERT_NE(reports.poll(false, at, pools), nullptr);
    EXPECT_EQ(reports.repeat(limits, at - seconds(1), pools), ReportProgress::kPending);
    EXPECT_EQ(reports.repeat(limits, at, pools), ReportProgress::kExceeded);
}

TEST_F(ReportsTest, OnlyPartialReportsAreSentWhileReportsAreHeld) {
    receive(0, 500);
    EXPECT_TRUE(checkpoint(7, 500));
    EXPECT_EQ(reports.find_ready(true, pools), nullptr);
    reports.withhold({499, 500}, pools);
    const Report *const sent = reports.poll(true, at, pools);
    ASSERT_NE(sent, nullptr);
    EXPECT_TRUE(sent->partial);
}

TEST_F(ReportsTest, AReportWithGapsIsDeferredUntilTheyAreClosed) {
    limits.report_delay = seconds(2);
    receive(0, 100);
    receive(200, 500);
    EXPECT_TRUE(checkpoint(7, 500));
    EXPECT_EQ(reports.find_ready(false, pools), nullptr);
    EXPECT_EQ(reports.next_deadline(seconds(10), kNever, pools), at + seconds(2));
    receive(100, 200);
    reports.issue_deferred(received, limits, TimePoint::min(), pools);
    EXPECT_NE(reports.find_ready(false, pools), nullptr);
}

TEST_F(ReportsTest, ReportsWithGapsAreLimited) {
    receive(100, 500);
    std::uint64_t issued = 0;
    while (checkpoint(issued + 1, 500, issued == 0 ? 0 : 4000)) ++issued;
    EXPECT_EQ(issued, limits.cycles + limits.retries);
    EXPECT_EQ(reports.repeat(limits, at, pools), ReportProgress::kExceeded);
}

}  // namespace
}  // namespace farlink::cla::ltp::receiver_reports_test
