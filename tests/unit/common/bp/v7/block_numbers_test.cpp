// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <limits>

#include "common/bp/v7/block_numbers.hpp"

namespace farlink::bp::v7::block_numbers_test {
namespace {

TEST(BlockNumbers, TakesEachNumberOnce) {
    BlockNumbers numbers;
    for (const std::uint64_t number :
         {std::uint64_t{2}, std::uint64_t{63}, std::uint64_t{64}, std::uint64_t{255},
          std::uint64_t{256}, std::numeric_limits<std::uint64_t>::max()}) {
        EXPECT_TRUE(numbers.insert(number)) << number;
        EXPECT_FALSE(numbers.insert(number)) << number;
    }
}

TEST(BlockNumbers, FindsTheLowestFreeNumberFromTwoOn) {
    BlockNumbers numbers;
    EXPECT_EQ(numbers.lowest_free(), 2U);
    for (std::uint64_t number = 2; number < 300; ++number) {
        EXPECT_EQ(numbers.lowest_free(), number);
        EXPECT_TRUE(numbers.insert(number));
    }
    EXPECT_EQ(numbers.lowest_free(), 300U);
}

TEST(BlockNumbers, RefusesAFloodOfLargeNumbers) {
    BlockNumbers numbers;
    std::size_t taken = 0;
    for (std::uint64_t number = 1000; number < 2000; ++number) taken += numbers.insert(number);
    EXPECT_EQ(taken, 64U);
    EXPECT_EQ(numbers.lowest_free(), 2U);
    for (std::uint64_t number = 2; number < 256; ++number) EXPECT_TRUE(numbers.insert(number));
    EXPECT_EQ(numbers.lowest_free(), 0U);
}

}  // namespace
}  // namespace farlink::bp::v7::block_numbers_test
