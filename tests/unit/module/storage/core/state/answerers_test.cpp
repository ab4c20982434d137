// SPDX-License-Identifier: Apache-2.0
#include "module/storage/core/state/answerers.hpp"

#include <gtest/gtest.h>

namespace farlink::storage::answerers_test {
namespace {

constexpr NodeNumber kOne{1};
constexpr NodeNumber kTwo{2};
constexpr NodeNumber kThree{3};

TEST(AnswerersTest, NoNodeAnswersForABundleThatWasNotGiven) {
    const Answerers answerers;
    EXPECT_FALSE(answerers.covers(0, kOne));
    EXPECT_FALSE(answerers.any_covers(kOne));
}

TEST(AnswerersTest, BundlesOfOneWayShareASet) {
    Answerers answerers;
    const AnswererSet first = answerers.extend(0, std::vector{kTwo, kOne, kTwo});
    EXPECT_EQ(answerers.extend(0, std::vector{kOne, kTwo}), first);
    EXPECT_EQ(answerers.size(), 1U);
    EXPECT_TRUE(answerers.covers(first, kOne));
    EXPECT_FALSE(answerers.covers(first, kThree));
    EXPECT_EQ(answerers.extend(first, std::vector{kOne}), first) << "sent again the same way";
}

TEST(AnswerersTest, AnotherWayAddsItsNodes) {
    Answerers answerers;
    const AnswererSet before = answerers.extend(0, std::vector{kOne});
    const AnswererSet after = answerers.extend(before, std::vector{kThree});
    EXPECT_TRUE(answerers.covers(after, kOne));
    EXPECT_TRUE(answerers.covers(after, kThree));
    EXPECT_EQ(answerers.size(), 1U) << "no bundle names the first any more";
}

TEST(AnswerersTest, WhatNoBundleNamesIsForgotten) {
    Answerers answerers;
    const AnswererSet one = answerers.extend(0, std::vector{kOne, kTwo});
    const AnswererSet other = answerers.extend(0, std::vector{kTwo});
    (void)answerers.extend(0, std::vector{kTwo});
    answerers.let_go(one);
    EXPECT_FALSE(answerers.any_covers(kOne));
    answerers.let_go(other);
    EXPECT_TRUE(answerers.any_covers(kTwo));
    answerers.let_go(other);
    EXPECT_FALSE(answerers.any_covers(kTwo));
    EXPECT_EQ(answerers.size(), 0U);
    EXPECT_TRUE(answerers.covers(answerers.extend(0, std::vector{kThree}), kThree));
}

}  // namespace
}  // namespace farlink::storage::answerers_test
