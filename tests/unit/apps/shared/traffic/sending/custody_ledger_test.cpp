// SPDX-License-Identifier: Apache-2.0
#include "apps/shared/traffic/sending/custody_ledger.hpp"

#include <gtest/gtest.h>

#include "apps/shared/traffic/content/bundle_template.hpp"

namespace farlink::traffic::custody_ledger_test {
namespace {

constexpr std::uint64_t kSentNs = 1'767'225'600'000'000'000;  // 2026-01-01
constexpr std::uint64_t kSecond = 1'000'000'000;
constexpr std::uint64_t kFirstId = 7000;
constexpr Duration kPatience = seconds(10);
constexpr TimePoint kStart{};
constexpr auto kRedundant = static_cast<std::uint8_t>(bp::v6::CustodyReason::kRedundantReception);
constexpr auto kDepleted = static_cast<std::uint8_t>(bp::v6::CustodyReason::kDepletedStorage);

class CustodyLedgerTest : public testing::Test {
protected:
    void send(std::uint64_t first, std::uint64_t count, TimePoint now = kStart,
              std::uint64_t sent_ns = kSentNs) {
        ledger.handle_sent({first, count, sent_ns, 0}, now);
    }
    void aggregate(std::vector<bp::v6::CustodyRange> ranges, bool succeeded = true,
                   std::uint8_t reason = 0) {
        for (bp::v6::CustodyRange &range : ranges) {
            range.first += kFirstId;
            range.last += kFirstId;
        }
        EXPECT_TRUE(ledger.handle_record(
            encode(bp::v6::AggregateCustodySignal{succeeded, reason, std::move(ranges)})));
    }
    void single(std::uint64_t number, std::uint64_t sent_ns = kSentNs, bp::Eid source = {1, 1},
                bool succeeded = true, std::uint8_t reason = 0) {
        EXPECT_TRUE(ledger.handle_record(encode(bp::v6::CustodySignal{
            succeeded, reason, {}, {std::move(source), creation_time_s(sent_ns), number, {}}})));
    }
    CustodyLedger ledger{bp::Eid(1, 1), kFirstId, kPatience};
};

TEST_F(CustodyLedgerTest, AnAggregateEndsTheCustodyOfItsBundles) {
    send(0, 10);
    EXPECT_EQ(ledger.outstanding(), 10U);
    aggregate({{0, 3}, {6, 6}});
    EXPECT_EQ(ledger.accepted(), 5U);
    aggregate({{0, 100}});  // and some that were never sent
    EXPECT_EQ(ledger.accepted(), 10U);
    EXPECT_EQ(ledger.outstanding(), 0U);
    EXPECT_EQ(ledger.aggregates(), 2U);
}

TEST_F(CustodyLedgerTest, IdsOfOthersMeanNothing) {
    send(0, 10);
    EXPECT_TRUE(
        ledger.handle_record(encode(bp::v6::AggregateCustodySignal{true, 0, {{0, kFirstId - 1}}})));
    EXPECT_EQ(ledger.accepted(), 0U);
    EXPECT_TRUE(ledger.handle_record(
        encode(bp::v6::AggregateCustodySignal{true, 0, {{kFirstId - 5, kFirstId}}})));
    EXPECT_EQ(ledger.accepted(), 1U);
}

TEST_F(CustodyLedgerTest, ASignalNamesItsBundleByAllThatTellsItApart) {
    send(0, 5);
    send(5, 5, kStart, kSentNs + kSecond);
    single(4);
    single(5, kSentNs + kSecond);
    EXPECT_EQ(ledger.accepted(), 2U);
    single(3, kSentNs - kSecond);       // of an earlier run
    single(6);                          // created a second later
    single(2, kSentNs, bp::Eid(1, 2));  // of another source
    single(10, kSentNs + kSecond);      // not sent yet
    EXPECT_EQ(ledger.accepted(), 2U);
    EXPECT_EQ(ledger.signals(), 6U);
}

TEST_F(CustodyLedgerTest, WhoHasItAlreadyHasIt) {
    send(0, 4);
    aggregate({{0, 1}}, false, kRedundant);
    single(2, kSentNs, {1, 1}, false, kRedundant);
    EXPECT_EQ(ledger.accepted(), 3U);
    EXPECT_EQ(ledger.refused(), 0U);
}

TEST_F(CustodyLedgerTest, WhatIsRefusedOrNotAnsweredIsSentAgainAfterItsTime) {
    send(0, 10);
    aggregate({{2, 3}}, false, kDepleted);
    aggregate({{4, 6}});
    EXPECT_EQ(ledger.refused(), 2U);
    EXPECT_EQ(ledger.depleted(), 2U);
    EXPECT_EQ(ledger.next_resend(), kStart + kPatience);
    EXPECT_FALSE(ledger.poll_resend(64, kStart + kPatience - milliseconds(1)));
    const TimePoint later = kStart + kPatience;
    auto again = ledger.poll_resend(3, later);
    ASSERT_TRUE(again);
    EXPECT_EQ(again->first, 0U);
    EXPECT_EQ(again->count, 3U);
    EXPECT_EQ(again->sent_unix_ns, kSentNs);
    ledger.handle_sent(*again, later);
    again = ledger.poll_resend(64, later);
    ASSERT_TRUE(again);
    EXPECT_EQ(again->first, 3U);
    EXPECT_EQ(again->count, 1U);
    ledger.handle_sent(*again, later);
    again = ledger.poll_resend(64, later);
    ASSERT_TRUE(again);
    EXPECT_EQ(again->first, 7U);
    EXPECT_EQ(again->count, 3U);
    ledger.handle_sent(*again, later);
    EXPECT_FALSE(ledger.poll_resend(64, later));
    EXPECT_EQ(ledger.next_resend(), later + kPatience);
    EXPECT_EQ(ledger.resent(), 7U);
    EXPECT_EQ(ledger.outstanding(), 7U);
    aggregate({{0, 9}});
    EXPECT_FALSE(ledger.poll_resend(64, later + kPatience));
    EXPECT_EQ(ledger.next_resend(), kNever);
}

TEST_F(CustodyLedgerTest, OtherRecordsAreNotItsBusiness) {
    EXPECT_FALSE(ledger.handle_record({}));
    const Bytes report = encode(bp::v6::StatusReport{});
    EXPECT_FALSE(ledger.handle_record(report));
}

}  // namespace
}  // namespace farlink::traffic::custody_ledger_test
