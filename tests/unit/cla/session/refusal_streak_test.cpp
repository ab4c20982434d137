// SPDX-License-Identifier: Apache-2.0
#include "cla/session/refusal_streak.hpp"

#include <gtest/gtest.h>

namespace farlink::cla::refusal_streak_test {
namespace {

TEST(RefusalStreak, CountsRefusalsInARow) {
    RefusalStreak streak;
    for (std::uint64_t token = 7; token < 12; ++token) {
        streak.handle_refused(token, Refusal::kNoResources);
        EXPECT_FALSE(streak.handle_transmitted(token, token + 1));
    }
    EXPECT_EQ(streak.length(), 5U);
}

TEST(RefusalStreak, ABundleTakenEndsIt) {
    RefusalStreak streak;
    streak.handle_refused(0, Refusal::kNoResources);
    streak.handle_refused(2, Refusal::kNotAcceptable);
    EXPECT_TRUE(streak.handle_transmitted(0, 3)) << "1 was taken";
    EXPECT_EQ(streak.length(), 0U);
    streak.handle_refused(4, Refusal::kNoResources);
    EXPECT_TRUE(streak.handle_transmitted(3, 4));
    EXPECT_FALSE(streak.handle_transmitted(4, 5));
}

TEST(RefusalStreak, APeerThatEndsItsSessionRefusesNothing) {
    RefusalStreak streak;
    streak.handle_refused(0, Refusal::kSessionTerminating);
    EXPECT_EQ(streak.length(), 0U);
    EXPECT_FALSE(streak.handle_transmitted(0, 1)) << "it was not taken either";
}

/// Bundles with the tokens from `first` on, the fragments of one when `cut`.
void give(RefusalStreak &streak, std::uint64_t first, std::size_t count, bool cut,
          bool begun = false) {
    std::vector<TxBundle> bundles(count);
    for (std::size_t i = 0; i < count; ++i) {
        bundles[i].token = first + i;
        bundles[i].continues = cut && (i > 0 || begun);
    }
    streak.handle_sent(bundles);
}

TEST(RefusalStreak, TheFragmentsOfABundleCountOnce) {
    RefusalStreak streak;
    give(streak, 0, 20, true);
    give(streak, 20, 10, true, true);
    for (std::uint64_t token = 0; token < 30; ++token)
        streak.handle_refused(token, Refusal::kNoResources);
    EXPECT_EQ(streak.length(), 1U);
    EXPECT_FALSE(streak.handle_transmitted(0, 30));

    give(streak, 30, 2, true);
    give(streak, 32, 2, true);
    give(streak, 34, 2, false);
    for (std::uint64_t token = 30; token < 36; ++token)
        streak.handle_refused(token, Refusal::kNoResources);
    EXPECT_EQ(streak.length(), 5U) << "two cut ones and two whole ones";
}

TEST(RefusalStreak, AFragmentTakenEndsIt) {
    RefusalStreak streak;
    give(streak, 0, 3, true);
    streak.handle_refused(0, Refusal::kNoResources);
    streak.handle_refused(2, Refusal::kNoResources);
    EXPECT_TRUE(streak.handle_transmitted(0, 3));
    EXPECT_EQ(streak.length(), 0U);
    give(streak, 3, 3, true);
    streak.handle_refused(4, Refusal::kNoResources);
    EXPECT_EQ(streak.length(), 1U);
}

TEST(RefusalStreak, WhatThisNodeDoesNotSendIsNoRefusalOfThePeer) {
    RefusalStreak streak;
    for (std::uint64_t token = 0; token < 20; ++token)
        streak.handle_refused(token, Refusal::kTooLarge);
    EXPECT_EQ(streak.length(), 0U);
    EXPECT_FALSE(streak.handle_transmitted(0, 20)) << "it was not taken either";
}

TEST(RefusalStreak, WhatThePeerHasAlreadyIsTaken) {
    RefusalStreak streak;
    streak.handle_refused(0, Refusal::kNoResources);
    streak.handle_refused(1, Refusal::kCompleted);
    EXPECT_TRUE(streak.handle_transmitted(0, 2));
    EXPECT_EQ(streak.length(), 0U);
}

}  // namespace
}  // namespace farlink::cla::refusal_streak_test
