// SPDX-License-Identifier: Apache-2.0
#include "cla/session/refusal_streak.hpp"

#include <gtest/gtest.h>

namespace farlink::cla {
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

TEST(RefusalStreak, WhatThePeerHasAlreadyIsTaken) {
    RefusalStreak streak;
    streak.handle_refused(0, Refusal::kNoResources);
    streak.handle_refused(1, Refusal::kCompleted);
    EXPECT_TRUE(streak.handle_transmitted(0, 2));
    EXPECT_EQ(streak.length(), 0U);
}

}  // namespace
}  // namespace farlink::cla
