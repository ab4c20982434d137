// SPDX-License-Identifier: Apache-2.0
#include "common/base/hex.hpp"

#include <gtest/gtest.h>

namespace farlink::hex_test {
namespace {

TEST(Hex, DigitsOfEitherCase) {
    EXPECT_EQ(hex_digit('0'), 0);
    EXPECT_EQ(hex_digit('a'), 10);
    EXPECT_EQ(hex_digit('F'), 15);
    EXPECT_FALSE(hex_digit('g'));
}

TEST(Hex, OctetsAsDigits) {
    EXPECT_EQ(hex_text(Bytes{0x00, 0x1b, 0xff}), "001bff");
    EXPECT_EQ(hex_text({}), "");
}

TEST(Hex, TextWithoutControlCharacters) {
    EXPECT_EQ(printable("a ~", 3), "a ~");
    EXPECT_EQ(printable("a\nb\x7f", 10), "a\\x0ab\\x7f");
    EXPECT_EQ(printable("\xff", 10), "\\xff");
    EXPECT_EQ(printable("abcd", 3), "abc...");
}

}  // namespace
}  // namespace farlink::hex_test
