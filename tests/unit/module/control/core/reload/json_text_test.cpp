// SPDX-License-Identifier: Apache-2.0
#include "module/control/core/reload/json_text.hpp"

#include <gtest/gtest.h>

namespace farlink::control::json_text_test {
namespace {

constexpr const char *kFile = R"({
  "myNodeId":  10,
  "note": "a \"]\" {",
  "outductsConfig": [
    { "url": "stcp://a:1", "nextHopNodeId": 1 },
    { "url": "stcp://b:1", "nextHopNodeId": 2 }
  ]
}
)";

TEST(JsonText, AMemberIsReplacedOrAddedAndTheRestStays) {
    EXPECT_EQ(with_member(R"({ "a": 1, "b" : [1, 2] })", "b", "7"), R"({ "a": 1, "b" : 7 })");
    EXPECT_EQ(with_member("{}", "a", "1"), R"({"a": 1})");
    EXPECT_EQ(with_member("{\n  \"a\": 1\n}", "b", "2"), "{\n  \"a\": 1,\n  \"b\": 2\n}");
    EXPECT_EQ(with_member(R"({"a":{"b":1}})", "b", "2"), R"({"a":{"b":1},"b": 2})");
}

TEST(JsonText, ItemsComeInTheLayoutOfTheOthers) {
    EXPECT_EQ(with_items(kFile, "outductsConfig", {.items = {}, .more = {"{}"}}), R"({
  "myNodeId":  10,
  "note": "a \"]\" {",
  "outductsConfig": [
    { "url": "stcp://a:1", "nextHopNodeId": 1 },
    { "url": "stcp://b:1", "nextHopNodeId": 2 },
    {}
  ]
}
)");
}

TEST(JsonText, ItemsGoWithTheirComma) {
    const auto without = [](std::size_t place) {
        return with_items(R"({"l": [1, 2, 3]})", "l", {.items = {{place, std::nullopt}}});
    };
    EXPECT_EQ(without(0), R"({"l": [2, 3]})");
    EXPECT_EQ(without(1), R"({"l": [1, 3]})");
    EXPECT_EQ(without(2), R"({"l": [1, 2]})");
    EXPECT_EQ(without(3), R"({"l": [1, 2, 3]})") << "there is none";
    EXPECT_EQ(with_items(R"({"l": [ 1 ]})", "l", {.items = {{0, std::nullopt}}}), R"({"l": [  ]})");
    EXPECT_EQ(
        with_items(R"({"l": [1, 2, 3]})", "l",
                   {.items = {{0, std::nullopt}, {1, "x"}, {2, std::nullopt}}, .more = {"4"}}),
        R"({"l": [x, 4]})");
}

TEST(JsonText, AMissingListIsMade) {
    EXPECT_EQ(with_items(R"({"a": 1})", "l", {.items = {}, .more = {"1", "2"}}),
              R"({"a": 1,"l": [ 1, 2 ]})");
    EXPECT_EQ(with_items(R"({"a": 1})", "l", {}), R"({"a": 1})");
    EXPECT_EQ(with_items(R"({"l": []})", "l", {.items = {}, .more = {"1"}}), R"({"l": [ 1 ]})");
}

}  // namespace
}  // namespace farlink::control::json_text_test
