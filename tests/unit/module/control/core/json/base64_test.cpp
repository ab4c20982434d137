// SPDX-License-Identifier: Apache-2.0
#include "module/control/core/json/base64.hpp"

#include <gtest/gtest.h>

namespace farlink::control::base64_test {
namespace {

// RFC 4648 section 10.
TEST(Base64, PublishedVectors) {
    for (const auto &[octets, text] :
         {std::pair("", ""), std::pair("f", "Zg=="), std::pair("fo", "Zm8="),
          std::pair("foo", "Zm9v"), std::pair("foob", "Zm9vYg=="), std::pair("fooba", "Zm9vYmE="),
          std::pair("foobar", "Zm9vYmFy")}) {
        EXPECT_EQ(to_base64(as_bytes(octets)), text);
        const auto read = from_base64(text);
        ASSERT_TRUE(read) << text;
        EXPECT_EQ(as_text(*read), octets);
    }
}

TEST(Base64, EveryOctetComesBack) {
    Bytes octets;
    for (int octet = 255; octet >= 0; --octet) {
        octets.push_back(static_cast<std::uint8_t>(octet));
        EXPECT_EQ(from_base64(to_base64(octets)), octets);
    }
}

TEST(Base64, OtherTextIsRefused) {
    for (const char *text : {"Z", "Zg", "Zg=", "Zh==", "Zm9=", "Zg==Zg==", "=g==", "====", "Zm9v\n",
                             "Zm 9", "Zm_-", "Z===", "Zm9vYg==="})
        EXPECT_FALSE(from_base64(text)) << text;
}

}  // namespace
}  // namespace farlink::control::base64_test
