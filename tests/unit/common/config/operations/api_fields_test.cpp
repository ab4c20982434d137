// SPDX-License-Identifier: Apache-2.0
#include "common/config/operations/api_fields.hpp"

#include <gtest/gtest.h>

namespace farlink::config::api_fields_test {
namespace {

TEST(ApiFields, AnAddressAndAPortAreATextAgain) {
    for (const char *text : {"127.0.0.1:8080", "0.0.0.0:0", "[::1]:443", "[fe80::1%eth0]:65535"}) {
        const auto listen = parse_listen(text);
        ASSERT_TRUE(listen) << text;
        EXPECT_EQ(to_string(*listen), text);
    }
}

TEST(ApiFields, OtherFormsAreNone) {
    for (const char *text : {"", "8080", "::1:443", "[127.0.0.1]:80", "127.0.0.1:65536", "host:80"})
        EXPECT_FALSE(parse_listen(text)) << text;
}

}  // namespace
}  // namespace farlink::config::api_fields_test
