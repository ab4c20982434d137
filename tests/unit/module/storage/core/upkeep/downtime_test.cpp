// SPDX-License-Identifier: Apache-2.0
#include "module/storage/core/upkeep/downtime.hpp"

#include <gtest/gtest.h>

#include "tests/unit/module/storage/core/rig.hpp"

namespace farlink::test::downtime_test {
namespace {

using storage::Downtime;
using storage::judge_downtime;

constexpr std::uint64_t kHourMs = 3'600'000;
constexpr std::uint64_t kDayMs = 24 * kHourMs;

TEST(Downtime, AShortTimeIsBelieved) {
    for (const bool synchronised : {false, true}) {
        EXPECT_EQ(judge_downtime(0, kRigStartMs, synchronised), Downtime::kShort) << "not known";
        EXPECT_EQ(judge_downtime(kRigStartMs, kRigStartMs + 11 * kHourMs, synchronised),
                  Downtime::kShort);
        EXPECT_EQ(judge_downtime(kRigStartMs, kRigStartMs - kDayMs, synchronised),
                  Downtime::kShort);
    }
}

TEST(Downtime, ADayIsBelievedOnlyOfAClockThatIsSynchronised) {
    EXPECT_EQ(judge_downtime(kRigStartMs, kRigStartMs + kDayMs, true), Downtime::kLong);
    EXPECT_EQ(judge_downtime(kRigStartMs, kRigStartMs + kDayMs, false), Downtime::kUnsynchronised);
    EXPECT_FALSE(is_doubtful(Downtime::kLong));
    EXPECT_TRUE(is_doubtful(Downtime::kUnsynchronised));
}

TEST(Downtime, MonthsAreNotBelieved) {
    EXPECT_EQ(judge_downtime(kRigStartMs, kRigStartMs + 40 * kDayMs, true), Downtime::kImplausible);
    EXPECT_TRUE(is_doubtful(Downtime::kImplausible));
}

class AfterAJump : public ::testing::Test {
protected:
    AfterAJump() {
        Rig before(directory);
        before.store(bundles_numbered(1, 5));
        before.run_for(kRigMoment);
        before.drain();
        options.wall_ms += kDayMs;
    }
    SimDirectory directory;
    RigOptions options;
};

TEST_F(AfterAJump, WhatHasExpiredMeanwhileIsCounted) {
    directory.close();
    Rig after(directory, options);
    EXPECT_EQ(after.core().figures().overdue(), 5U);
    after.run_for(seconds(1));
    EXPECT_EQ(after.core().figures().held(), 0U);
    EXPECT_EQ(after.core().figures().overdue(), 0U);
}

TEST_F(AfterAJump, NothingExpiresByAClockInDoubtUntilItIsConfirmed) {
    directory.close();
    options.clock_doubted = true;
    Rig after(directory, options);
    after.run_for(seconds(10));
    EXPECT_EQ(after.core().figures().held(), 5U);
    EXPECT_EQ(after.core().figures().overdue(), 5U);
    EXPECT_EQ(after.count(storage::StorageCounter::kExpirySuspended), 1U);
    EXPECT_GT(after.core().newest_received(), options.wall_ms)
        << "ingress and egress doubt it, too";
    after.core().handle(bus::ClockConfirm{}, after.now);
    after.run_for(seconds(1));
    EXPECT_EQ(after.core().figures().held(), 0U);
}

}  // namespace
}  // namespace farlink::test::downtime_test
