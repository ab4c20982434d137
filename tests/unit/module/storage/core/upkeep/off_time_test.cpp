// SPDX-License-Identifier: Apache-2.0
#include "module/storage/core/upkeep/off_time.hpp"

#include <gtest/gtest.h>

#include "tests/unit/module/storage/core/rig.hpp"

namespace farlink::test::off_time_test {
namespace {

using storage::judge_off_time;
using storage::OffTime;

constexpr std::uint64_t kHourMs = 3'600'000;
constexpr std::uint64_t kDayMs = 24 * kHourMs;

TEST(OffTime, AShortTimeIsBelieved) {
    for (const bool synchronised : {false, true}) {
        EXPECT_EQ(judge_off_time(0, kRigStartMs, synchronised), OffTime::kShort) << "not known";
        EXPECT_EQ(judge_off_time(kRigStartMs, kRigStartMs + 11 * kHourMs, synchronised),
                  OffTime::kShort);
        EXPECT_EQ(judge_off_time(kRigStartMs, kRigStartMs - kDayMs, synchronised), OffTime::kShort);
    }
}

TEST(OffTime, ADayIsBelievedOnlyOfAClockThatIsSynchronised) {
    EXPECT_EQ(judge_off_time(kRigStartMs, kRigStartMs + kDayMs, true), OffTime::kLong);
    EXPECT_EQ(judge_off_time(kRigStartMs, kRigStartMs + kDayMs, false), OffTime::kUnsynchronised);
    EXPECT_FALSE(is_doubtful(OffTime::kLong));
    EXPECT_TRUE(is_doubtful(OffTime::kUnsynchronised));
}

TEST(OffTime, MonthsAreNotBelieved) {
    EXPECT_EQ(judge_off_time(kRigStartMs, kRigStartMs + 40 * kDayMs, true), OffTime::kImplausible);
    EXPECT_TRUE(is_doubtful(OffTime::kImplausible));
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
}  // namespace farlink::test::off_time_test
