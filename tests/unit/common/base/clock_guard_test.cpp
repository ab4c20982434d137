// SPDX-License-Identifier: Apache-2.0
#include "common/base/clock_guard.hpp"

#include <gtest/gtest.h>

namespace farlink::clock_guard_test {
namespace {

constexpr DtnTime kStart = 800'000'000'000;
constexpr std::uint64_t kHourMs = 3'600'000;

TimePoint at_s(std::int64_t s) {
    return TimePoint{} + seconds(s);
}

/// What the clocks show `s` seconds after the start when the wall clock is off by `off_ms`.
WallClock reading(std::int64_t s, std::int64_t off_ms = 0) {
    return {at_s(s), kStart + static_cast<std::uint64_t>(s * 1000 + off_ms)};
}

TEST(ClockGuard, GoesWithAClockThatRunsTrueOrIsCorrected) {
    ClockGuard guard(reading(0));
    guard.judge_start(kStart - kHourMs);
    EXPECT_EQ(guard.state(), ClockState::kTrusted);
    EXPECT_FALSE(guard.handle_reading(reading(1)));
    EXPECT_FALSE(guard.handle_reading(reading(2, 60'000)));
    EXPECT_EQ(guard.dtn_at(at_s(2)), kStart + 62'000);
    EXPECT_FALSE(guard.handle_reading(reading(3, 0)));
    EXPECT_EQ(guard.expiry_time(at_s(3)), kStart + 3000);
    EXPECT_EQ(guard.state(), ClockState::kTrusted);
}

TEST(ClockGuard, AForwardStepSuspendsExpiryUntilItIsConfirmed) {
    ClockGuard guard(reading(0));
    EXPECT_TRUE(guard.handle_reading(reading(1, 60'001)));
    EXPECT_TRUE(guard.expiry_suspended());
    EXPECT_EQ(guard.expiry_time(at_s(1)), 0U) << "before every expiry";
    EXPECT_EQ(guard.expiry_timer(kStart), kNever);
    EXPECT_EQ(guard.dtn_at(at_s(1)), kStart + 1000) << "time goes on as it did";
    EXPECT_FALSE(guard.handle_reading(reading(2, 60'001))) << "one step, told once";
    guard.confirm();
    EXPECT_FALSE(guard.expiry_suspended());
    EXPECT_EQ(guard.dtn_at(at_s(2)), kStart + 62'001);
}

TEST(ClockGuard, AClockThatComesBackIsTrustedAgain) {
    ClockGuard guard(reading(0));
    EXPECT_TRUE(guard.handle_reading(reading(1, kHourMs)));
    EXPECT_FALSE(guard.handle_reading(reading(7200, -2)));
    EXPECT_EQ(guard.state(), ClockState::kTrusted);
    EXPECT_EQ(guard.expiry_time(at_s(7200)), kStart + 7'199'998);
}

// The time before the step was trusted, and goes on: nothing lives longer for a clock of 1970.
TEST(ClockGuard, ABackwardStepLetsBundlesExpireByTheTimeThatHasPassed) {
    ClockGuard guard(reading(0));
    EXPECT_TRUE(guard.handle_reading({at_s(10), 0}));
    EXPECT_EQ(guard.state(), ClockState::kSteppedBack);
    EXPECT_FALSE(guard.expiry_suspended());
    EXPECT_EQ(guard.expiry_time(at_s(100)), kStart + 100'000);
    EXPECT_EQ(guard.expiry_timer(kStart + 5000), at_s(5));
    guard.confirm();
    EXPECT_EQ(guard.expiry_time(at_s(100)), 90'000U) << "somebody knows better";
}

TEST(ClockGuard, AClockThatWasNeverSetIsNotTrustedAtTheStart) {
    ClockGuard guard({at_s(0), 1000});
    guard.judge_start(0);
    EXPECT_EQ(guard.state(), ClockState::kUnset);
    // Now it is set; but whether rightly, nobody has said.
    EXPECT_FALSE(guard.handle_reading(reading(5)));
    EXPECT_TRUE(guard.expiry_suspended());
    guard.confirm();
    EXPECT_EQ(guard.expiry_time(at_s(5)), kStart + 5000);
}

TEST(ClockGuard, AClockBehindWhatWasSeenIsNotTrustedAtTheStart) {
    ClockGuard slow(reading(0));
    slow.judge_start(kStart + 60'001);
    EXPECT_EQ(slow.state(), ClockState::kUnset);
    ClockGuard good(reading(0));
    good.judge_start(kStart + 60'000);
    EXPECT_EQ(good.state(), ClockState::kTrusted);
}

TEST(ClockGuard, WhatTheClockJumpsIsNoTimeOfWaiting) {
    ClockGuard guard(reading(0));
    const DtnTime before = guard.dtn_at(at_s(10));
    (void)guard.handle_reading(reading(20, kHourMs));
    const DtnTime doubtful = guard.dtn_at(at_s(30));
    (void)guard.handle_reading(reading(40, kHourMs));
    guard.confirm();
    const DtnTime after = guard.dtn_at(at_s(50));
    EXPECT_EQ(guard.received_at(before), at_s(10));
    EXPECT_EQ(guard.received_at(doubtful), at_s(30));
    EXPECT_EQ(guard.received_at(after), at_s(50));
    EXPECT_EQ(guard.received_at(kStart - 7000), at_s(-7) + Duration{}) << "while the node was off";
}

TEST(ClockGuard, ManyJumpsAreNoTimeOfWaitingEither) {
    ClockGuard guard(reading(0));
    for (std::int64_t jump = 1; jump <= 6; ++jump) {
        (void)guard.handle_reading(reading(100 * jump, jump * static_cast<int>(kHourMs)));
        guard.confirm();
    }
    const DtnTime stamp = guard.dtn_at(at_s(590));
    EXPECT_EQ(guard.received_at(stamp), at_s(590));
    EXPECT_LE(guard.received_at(kStart), at_s(0) + Duration{});
}

TEST(ClockGuard, OfATimeBeforeTheClockWasSetOnlyTheStartIsKnown) {
    ClockGuard guard(reading(3));
    EXPECT_EQ(guard.received_at(1000), at_s(3));
}

TEST(ClockGuard, NoTimerLiesFurtherAwayThanACentury) {
    const ClockGuard guard(reading(0));
    EXPECT_EQ(guard.expiry_timer(kDtnNever), kNever);
    const TimePoint far = guard.expiry_timer(kDtnNever - 1);
    EXPECT_GT(far, at_s(99LL * 365 * 86'400));
    EXPECT_LT(far, at_s(101LL * 365 * 86'400));
}

}  // namespace
}  // namespace farlink::clock_guard_test
