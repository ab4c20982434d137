// SPDX-License-Identifier: Apache-2.0
#include "module/ingress/core/state/recent_passes.hpp"

#include <gtest/gtest.h>

namespace farlink::ingress::recent_passes_test {
namespace {

using Pass = RecentPasses::Pass;

/// Bundles differ only in the other bits.
constexpr std::uint64_t identity(std::uint64_t number) {
    return number << 8U;
}

TEST(RecentPasses, KnowsWhatComesAgain) {
    RecentPasses passes;
    for (const std::uint64_t number : {1ULL, 7ULL, ~0ULL}) {
        EXPECT_EQ(passes.note(identity(number), 2), Pass::kFirst) << number;
        EXPECT_EQ(passes.note(identity(number), 4), Pass::kReturn) << number;
        EXPECT_EQ(passes.note(identity(number), 6), Pass::kReturn) << number;
    }
}

TEST(RecentPasses, ARepeatHasNoMoreHopsThanAtFirst) {
    RecentPasses passes;
    EXPECT_EQ(passes.note(identity(1), 3), Pass::kFirst);
    EXPECT_EQ(passes.note(identity(1), 3), Pass::kRepeat);
    EXPECT_EQ(passes.note(identity(1), 2), Pass::kRepeat) << "by a shorter way";
    EXPECT_EQ(passes.note(identity(1), 5), Pass::kReturn);
    EXPECT_EQ(passes.note(identity(1), 3), Pass::kRepeat) << "the first arrival counts";
    EXPECT_EQ(passes.note(identity(2), 0), Pass::kFirst);
    EXPECT_EQ(passes.note(identity(2), 0), Pass::kRepeat);
    EXPECT_EQ(passes.note(identity(2), 1), Pass::kReturn) << "it was given hops here";
    EXPECT_EQ(passes.note(identity(3), 1'000), Pass::kFirst);
    EXPECT_EQ(passes.note(identity(3), 2'000), Pass::kRepeat) << "more than are counted";
}

TEST(RecentPasses, ForgetsWhatWasNotPassedOn) {
    RecentPasses passes;
    EXPECT_FALSE(passes.any());
    passes.forget(identity(1));
    EXPECT_EQ(passes.note(identity(1), 0), Pass::kFirst);
    EXPECT_EQ(passes.note(identity(2), 0), Pass::kFirst);
    EXPECT_TRUE(passes.any());
    passes.forget(identity(1));
    EXPECT_EQ(passes.note(identity(1), 0), Pass::kFirst);
    EXPECT_EQ(passes.note(identity(2), 0), Pass::kRepeat);
}

TEST(RecentPasses, RemembersTheLatest) {
    RecentPasses passes;
    constexpr std::uint64_t kMany = 2 * RecentPasses::kRemembered;
    for (std::uint64_t i = 1; i <= kMany; ++i) ASSERT_EQ(passes.note(identity(i), 0), Pass::kFirst);
    for (std::uint64_t i = kMany; i > kMany - RecentPasses::kRemembered; --i)
        ASSERT_EQ(passes.note(identity(i), 0), Pass::kRepeat) << i;
    EXPECT_EQ(passes.note(identity(1), 0), Pass::kFirst) << "forgotten";
}

/// Whoever chooses identities that share a row makes only those forgotten.
TEST(RecentPasses, ARowForgetsItsOldest) {
    RecentPasses passes;
    const auto again = [&passes](std::uint64_t number) {
        return passes.note(identity(number), 0) != Pass::kFirst;
    };
    constexpr std::uint64_t kSameRow = RecentPasses::kRemembered;
    EXPECT_FALSE(again(5));
    for (std::uint64_t i = 1; i <= 8; ++i) EXPECT_FALSE(again(i * kSameRow));
    EXPECT_TRUE(again(kSameRow)) << "the youngest eight";
    EXPECT_FALSE(again(9 * kSameRow));
    EXPECT_TRUE(again(kSameRow)) << "it had come again";
    EXPECT_FALSE(again(2 * kSameRow)) << "the oldest then";
    EXPECT_TRUE(again(5)) << "in another row";
}

}  // namespace
}  // namespace farlink::ingress::recent_passes_test
