// SPDX-License-Identifier: Apache-2.0
#include "common/base/bit_rate.hpp"

#include <gtest/gtest.h>

namespace farlink::bit_rate_test {
namespace {

constexpr BitRate kNone{0};
constexpr BitRate kMegabit{1'000'000};

TEST(BitRate, TheSlowerOfTwoIsALimitIfThereIsOne) {
    EXPECT_EQ(slower_of(kNone, kMegabit), kMegabit);
    EXPECT_EQ(slower_of(kMegabit, kNone), kMegabit);
    EXPECT_EQ(slower_of(kMegabit, BitRate{5}), BitRate{5});
    EXPECT_EQ(slower_of(BitRate{5}, kMegabit), BitRate{5});
    EXPECT_EQ(slower_of(kNone, kNone), kNone);
}

}  // namespace
}  // namespace farlink::bit_rate_test
