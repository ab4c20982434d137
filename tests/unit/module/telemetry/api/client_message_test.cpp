// SPDX-License-Identifier: Apache-2.0
#include "module/telemetry/api/client_message.hpp"

#include <gtest/gtest.h>

#include <string>

namespace farlink::telemetry::client_message_test {
namespace {

TEST(ClientMessage, ARateAndNothingElse) {
    EXPECT_EQ(parse_client_message(R"({"rate":1})"), 1U);
    EXPECT_EQ(parse_client_message(R"( {"rate": 10} )"), 10U);
    for (const char *text :
         {"", "{}", "[]", "10", R"({"rate":0})", R"({"rate":11})", R"({"rate":1.5})",
          R"({"rate":-1})", R"({"rate":"1"})", R"({"rate":1,"x":1})", R"({"rate":1)"})
        EXPECT_FALSE(parse_client_message(text)) << text;
    EXPECT_FALSE(parse_client_message(std::string(100'000, '[')));
    EXPECT_FALSE(parse_client_message(R"({"rate":1})" + std::string(2000, ' ')));
}

}  // namespace
}  // namespace farlink::telemetry::client_message_test
