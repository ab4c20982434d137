// SPDX-License-Identifier: Apache-2.0
#include "cfdp/core/ended_numbers.hpp"

#include <gtest/gtest.h>

namespace farlink::cfdp::ended_numbers_test {
namespace {

TEST(CfdpEndedNumbers, ASourceThatCountsUpMakesOneExtent) {
    EndedNumbers ended;
    for (std::uint64_t sequence = 1; sequence <= 100'000; ++sequence) ended.add({7, sequence});
    EXPECT_EQ(ended.by_source().at(7).count(), 1U);
    EXPECT_TRUE(ended.contains({7, 1}));
    EXPECT_TRUE(ended.contains({7, 100'000}));
    EXPECT_FALSE(ended.contains({7, 100'001}));
    EXPECT_FALSE(ended.contains({8, 1}));
}

TEST(CfdpEndedNumbers, OfScatteredOnesTheLowestAreForgotten) {
    EndedNumbers ended;
    for (std::uint64_t i = 0; i <= EndedNumbers::kMostExtents; ++i) ended.add({7, 3 * i});
    EXPECT_FALSE(ended.contains({7, 0}));
    EXPECT_TRUE(ended.contains({7, 3}));
    EXPECT_EQ(ended.by_source().at(7).count(), EndedNumbers::kMostExtents);
}

TEST(CfdpEndedNumbers, TheHighestNumberIsNoExtent) {
    EndedNumbers ended;
    ended.add({7, ~std::uint64_t{0}});
    EXPECT_FALSE(ended.contains({7, ~std::uint64_t{0}}));
    EXPECT_FALSE(ended.contains({7, 0}));
}

}  // namespace
}  // namespace farlink::cfdp::ended_numbers_test
