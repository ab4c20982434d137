// SPDX-License-Identifier: Apache-2.0
#include "apps/farlink/request_json.hpp"

#include <gtest/gtest.h>

namespace farlink::app {
namespace {

std::string wrong_with(const std::string &text) {
    const auto request = parse_request(text);
    return request ? "" : request.error();
}

TEST(RequestJson, TakesOneObject) {
    EXPECT_EQ(*parse_request(R"({"command": "status"})"),
              (nlohmann::ordered_json{{"command", "status"}}));
    EXPECT_EQ(wrong_with("[1]"), "the request is no JSON object");
    EXPECT_EQ(wrong_with(R"({"command": )"), "the request is no JSON object");
    EXPECT_NE(wrong_with(std::string(17, '[')).find("nested too deeply"), std::string::npos);
}

TEST(RequestJson, RefusesAKeyThatOccursTwiceInAnObject) {
    EXPECT_EQ(wrong_with(R"({"command": "link down", "link": 1, "link": 2})"),
              "the key \"link\" occurs twice in one object");
    EXPECT_EQ(wrong_with(R"({"contacts": [{"contact": 1}, {"contact": 2, "\u0063ontact": 3}]})"),
              "the key \"contact\" occurs twice in one object");
    EXPECT_EQ(wrong_with(R"({"a": {"b": 1}, "b": {"a": 1}, "c": [{"a": 1}, {"a": 2}]})"), "");
}

}  // namespace
}  // namespace farlink::app
