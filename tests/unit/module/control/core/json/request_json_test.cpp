// SPDX-License-Identifier: Apache-2.0
#include "module/control/core/json/request_json.hpp"

#include <gtest/gtest.h>

namespace farlink::control::request_json_test {
namespace {

std::string wrong_with(const std::string &text) {
    const auto request = parse_request(text);
    return request ? "" : request.error();
}

TEST(RequestJson, TakesOneObject) {
    EXPECT_EQ(*parse_request(R"({"command": "status"})"),
              (nlohmann::ordered_json{{"command", "status"}}));
    EXPECT_EQ(wrong_with("[1]"), "the request is not a JSON object");
    EXPECT_EQ(wrong_with(R"({"command": )"), "the request is not a JSON object");
    EXPECT_NE(wrong_with(std::string(17, '[')).find("nested too deeply"), std::string::npos);
}

TEST(RequestJson, RefusesAKeyThatOccursTwiceInAnObject) {
    EXPECT_EQ(wrong_with(R"({"command": "link down", "link": 1, "link": 2})"),
              "the key \"link\" occurs twice in one object");
    EXPECT_EQ(wrong_with(R"({"contacts": [{"contact": 1}, {"contact": 2, "\u0063ontact": 3}]})"),
              "the key \"contact\" occurs twice in one object");
    EXPECT_EQ(wrong_with(R"({"a": {"b": 1}, "b": {"a": 1}, "c": [{"a": 1}, {"a": 2}]})"), "");
}

// The time would grow with the square of the length if each addition searched all members.
TEST(RequestJson, ReadsLongRequestsInLinearTime) {
    std::string members = "{\"command\":\"x\"";
    std::string items = "{\"contacts\":[{}";
    std::string keys = "{\"a\":{\"k\":0";
    for (int i = 0; i < 200'000; ++i) {
        members += ",\"" + std::to_string(i) + "\":{}";
        items += ",{\"contact\":" + std::to_string(i) + "}";
        keys += ",\"k" + std::to_string(i) + "\":1";
    }
    EXPECT_EQ(parse_request(members + "}")->size(), 200'001U);
    EXPECT_EQ((*parse_request(items + "]}"))["contacts"].size(), 200'001U);
    EXPECT_EQ((*parse_request(keys + "}}"))["a"].size(), 200'001U);
    EXPECT_EQ(wrong_with(keys + ",\"k7\":1}}"), "the key \"k7\" occurs twice in one object");
}

TEST(RequestJson, RefusesTooManyValues) {
    std::string text = "{\"a\":[0";
    for (std::size_t i = 0; i < kMostRequestValues; ++i) text += ",0";
    EXPECT_EQ(wrong_with(text + "]}"), "the request has too many values; expected at most 4000000");
}

}  // namespace
}  // namespace farlink::control::request_json_test
