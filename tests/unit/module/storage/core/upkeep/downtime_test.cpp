// SPDX-License-Identifier: Apache-2.0
#include "module/storage/core/upkeep/downtime.hpp"

#include <gtest/gtest.h>

#include "tests/unit/module/storage/core/rig.hpp"

namespace farlink::test::downtime_test {
namespace {

using storage::Downtime;
using storage::judge_downtime;

constexpr std::uint64_t kMinuteMs = 60'000;
constexpr std::uint64_t kHourMs = 60 * kMinuteMs;
constexpr std::uint64_t kDayMs = 24 * kHourMs;

TEST(Downtime, ARestartIsBelieved) {
    for (const bool synchronised : {false, true}) {
        EXPECT_EQ(judge_downtime(0, kRigStartMs, synchronised, 5), Downtime::kUnknown);
        EXPECT_EQ(judge_downtime(kRigStartMs, kRigStartMs - kDayMs, synchronised, 5),
                  Downtime::kUnknown);
        EXPECT_EQ(judge_downtime(kRigStartMs, kRigStartMs + 4 * kMinuteMs, synchronised, 5),
                  Downtime::kPlausible);
    }
}

TEST(Downtime, HoursInWhichBundlesExpireAreBelievedOnlyOfAClockThatIsSynchronised) {
    for (const std::uint64_t off : {5 * kMinuteMs, 11 * kHourMs, kDayMs}) {
        EXPECT_EQ(judge_downtime(kRigStartMs, kRigStartMs + off, true, 5), Downtime::kPlausible);
        EXPECT_EQ(judge_downtime(kRigStartMs, kRigStartMs + off, false, 5),
                  Downtime::kUnsynchronised);
    }
    EXPECT_EQ(judge_downtime(kRigStartMs, kRigStartMs + 11 * kHourMs, false, 0),
              Downtime::kPlausible)
        << "nothing expires";
    EXPECT_EQ(judge_downtime(kRigStartMs, kRigStartMs + kDayMs, false, 0),
              Downtime::kUnsynchronised)
        << "a day less for all bundles";
    EXPECT_FALSE(is_doubtful(Downtime::kPlausible));
    EXPECT_TRUE(is_doubtful(Downtime::kUnsynchronised));
}

TEST(Downtime, MonthsAreNotBelieved) {
    EXPECT_EQ(judge_downtime(kRigStartMs, kRigStartMs + 40 * kDayMs, true, 0),
              Downtime::kImplausible);
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
