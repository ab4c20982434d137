// SPDX-License-Identifier: Apache-2.0
#include "apps/bpinspect/input/text_octets.hpp"

#include <gtest/gtest.h>

namespace farlink::inspect::text_octets_test {
namespace {

TEST(TextOctets, Hexadecimal) {
    const Bytes wanted{0x9f, 0x88, 0x07, 0xff};
    for (const char *text : {"9f8807ff", "9F 88 07\nFF\n", "9f:88:07:ff", "0x9f,0x88, 0x07, 0xff"})
        EXPECT_EQ(octets_of_hex(text), wanted) << text;
    EXPECT_EQ(octets_of_hex(" \n"), Bytes{});
    for (const char *text : {"9", "9f8", "9g", "9f\x80", "x9f"})
        EXPECT_FALSE(octets_of_hex(text)) << text;
}

TEST(TextOctets, Base64) {
    // RFC 4648 section 10.
    EXPECT_EQ(octets_of_base64(""), Bytes{});
    EXPECT_EQ(octets_of_base64("Zg=="), (Bytes{'f'}));
    EXPECT_EQ(octets_of_base64("Zm8="), (Bytes{'f', 'o'}));
    EXPECT_EQ(octets_of_base64("Zm9v"), (Bytes{'f', 'o', 'o'}));
    EXPECT_EQ(octets_of_base64("Zm9v\nYmFy\n"), (Bytes{'f', 'o', 'o', 'b', 'a', 'r'}));
    EXPECT_EQ(octets_of_base64("Zm8"), (Bytes{'f', 'o'}));
    EXPECT_EQ(octets_of_base64("-_8="), (Bytes{0xfb, 0xff}));
    for (const char *text : {"Z", "Zm9v=", "Zg=a", "Z===", "Zm9v!"})
        EXPECT_FALSE(octets_of_base64(text)) << text;
}

}  // namespace
}  // namespace farlink::inspect::text_octets_test
