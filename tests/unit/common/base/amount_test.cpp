// SPDX-License-Identifier: Apache-2.0
#include "common/base/amount.hpp"

#include <gtest/gtest.h>

namespace farlink::amount_test {
namespace {

TEST(Amount, NumbersWithAndWithoutSuffixes) {
    EXPECT_EQ(parse_amount("0"), 0U);
    EXPECT_EQ(parse_amount("18446744073709551615"), ~std::uint64_t{0});
    EXPECT_EQ(parse_amount("64k"), 64'000U);
    EXPECT_EQ(parse_amount("5M"), 5'000'000U);
    EXPECT_EQ(parse_amount("1G"), 1'000'000'000U);
    EXPECT_EQ(parse_amount("2T"), 2'000'000'000'000U);
    EXPECT_EQ(parse_amount("1.5M"), 1'500'000U);
    EXPECT_EQ(parse_amount("64Ki"), 65'536U);
    EXPECT_EQ(parse_amount("1Gi"), 1ULL << 30);
}

TEST(Amount, WhatIsNone) {
    for (const std::string_view text :
         {"", "k", "-1", "+1", " 1", "1 k", "1kB", "1K", "1e3", "1.5", "0.0001k", "1.2.3", "0x10",
          "18446744073709551616", "20000000T", "99999999999999999999.5T", ".", "k1"})
        EXPECT_FALSE(parse_amount(text).has_value()) << text;
}

}  // namespace
}  // namespace farlink::amount_test
