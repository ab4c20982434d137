// SPDX-License-Identifier: Apache-2.0
#include "module/ingress/core/receive/recent_passes.hpp"

#include <gtest/gtest.h>

namespace farlink::ingress::recent_passes_test {
namespace {

TEST(RecentPasses, KnowsWhatComesAgain) {
    RecentPasses passes;
    for (const std::uint64_t identity : {1ULL, 7ULL, ~0ULL}) {
        EXPECT_FALSE(passes.note(identity)) << identity;
        EXPECT_TRUE(passes.note(identity)) << identity;
        EXPECT_TRUE(passes.note(identity)) << identity;
    }
}

TEST(RecentPasses, RemembersTheLatest) {
    RecentPasses passes;
    constexpr std::uint64_t kMany = 2 * RecentPasses::kRemembered;
    for (std::uint64_t i = 1; i <= kMany; ++i) ASSERT_FALSE(passes.note(i));
    for (std::uint64_t i = kMany; i > kMany - RecentPasses::kRemembered; --i)
        ASSERT_TRUE(passes.note(i)) << i;
    EXPECT_FALSE(passes.note(1)) << "forgotten";
}

/// Whoever chooses identities that share a row makes only those forgotten.
TEST(RecentPasses, ARowForgetsItsOldest) {
    RecentPasses passes;
    constexpr std::uint64_t kSameRow = RecentPasses::kRemembered;
    EXPECT_FALSE(passes.note(5));
    for (std::uint64_t i = 1; i <= 8; ++i) EXPECT_FALSE(passes.note(i * kSameRow));
    EXPECT_TRUE(passes.note(kSameRow)) << "the youngest eight";
    EXPECT_FALSE(passes.note(9 * kSameRow));
    EXPECT_TRUE(passes.note(kSameRow)) << "it had come again";
    EXPECT_FALSE(passes.note(2 * kSameRow)) << "the oldest then";
    EXPECT_TRUE(passes.note(5)) << "in another row";
}

}  // namespace
}  // namespace farlink::ingress::recent_passes_test
