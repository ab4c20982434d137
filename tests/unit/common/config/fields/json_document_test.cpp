// SPDX-License-Identifier: Apache-2.0
#include "common/config/fields/json_document.hpp"

#include <gtest/gtest.h>

namespace farlink::config::json_document_test {
namespace {

using Kind = JsonValue::Kind;

JsonValue parsed(std::string_view text) {
    auto value = parse_json(text);
    EXPECT_TRUE(value) << value.error().to_string();
    return value ? std::move(*value) : JsonValue{};
}

TEST(JsonDocument, KeepsOrderDuplicatesAndSpelling) {
    const JsonValue value = parsed(R"({"b": 1, "a": [1.50, -2, "t", null, true, {}], "b": 2})");
    ASSERT_EQ(value.members.size(), 3U);
    EXPECT_EQ(value.members[0].key, "b");
    EXPECT_EQ(value.members[2].key, "b");
    EXPECT_EQ(value.members[2].value.integer, 2U);
    const std::vector<JsonValue> &items = value.members[1].value.items;
    ASSERT_EQ(items.size(), 6U);
    EXPECT_EQ(items[0].text, "1.50");
    EXPECT_EQ(items[1].kind, Kind::kNumber);
    EXPECT_EQ(items[1].number, -2);
    EXPECT_EQ(items[2].text, "t");
    EXPECT_EQ(items[3].kind, Kind::kNull);
    EXPECT_TRUE(items[4].boolean);
    EXPECT_EQ(items[5].kind, Kind::kObject);
}

TEST(JsonDocument, IntegersUpTo64BitsAreExact) {
    EXPECT_EQ(parsed("18446744073709551615").integer, 18446744073709551615U);
    EXPECT_EQ(parsed("18446744073709551615").kind, Kind::kInteger);
    EXPECT_EQ(parsed("18446744073709551616").kind, Kind::kNumber);
    EXPECT_EQ(parsed("18446744073709551616").describe(), "18446744073709551616");
    EXPECT_EQ(parsed("-0").kind, Kind::kInteger);
}

TEST(JsonDocument, DescribesEveryKind) {
    EXPECT_EQ(parsed("null").describe(), "null");
    EXPECT_EQ(parsed("false").describe(), "false");
    EXPECT_EQ(parsed("7").describe(), "7");
    EXPECT_EQ(parsed("-1.5e2").describe(), "-1.5e2");
    EXPECT_EQ(parsed("\"x\"").describe(), "\"x\"");
    EXPECT_EQ(parsed("[]").describe(), "a list");
    EXPECT_EQ(parsed("{}").describe(), "an object");
}

struct SyntaxCase {
    std::string_view text;
    std::string_view message;
};

TEST(JsonDocument, SyntaxErrorsHaveAPlace) {
    constexpr SyntaxCase kCases[] = {
        {"", "line 1, column 1: unexpected end of input; expected '[', '{', or a literal"},
        {"{", "line 1, column 2: unexpected end of input; expected string literal"},
        {"{\n  \"a\": [1,}\n",
         "line 2, column 11: unexpected '}'; expected '[', '{', or a literal"},
        {"{} x", "line 1, column 4: invalid literal"},
        {"{\"a\" 1}", "line 1, column 6: unexpected number literal; expected ':'"},
        {"{'a': 1}", "line 1, column 2: invalid literal; expected string literal"},
        {"[1, 2", "line 1, column 6: unexpected end of input; expected ']'"},
    };
    for (const SyntaxCase &test : kCases) {
        const auto value = parse_json(test.text);
        ASSERT_FALSE(value) << test.text;
        EXPECT_EQ(value.error().to_string().substr(0, test.message.size()), test.message)
            << value.error().to_string();
    }
}

TEST(JsonDocument, StreamedItemsKeepNothingOfTheOnesBefore) {
    std::vector<std::size_t> members;
    const JsonStream stream{"list", [&](std::size_t, const JsonValue &item) {
                                members.push_back(item.members.size());
                                for (const JsonMember &member : item.members)
                                    EXPECT_EQ(member.value.kind, JsonValue::Kind::kInteger);
                                return std::optional<ConfigError>();
                            }};
    const auto read = parse_json(
        R"({"list":[{"a":1,"b":2,"c":3},{"a":1},{},7,[{"x":1}],{"a":1,"b":2}]})", stream);
    ASSERT_TRUE(read);
    EXPECT_EQ(members, (std::vector<std::size_t>{3, 1, 0, 0, 0, 2}));
}

TEST(JsonDocument, DepthIsBounded) {
    const std::string deep(kDeepestNesting, '[');
    EXPECT_TRUE(parse_json(deep + std::string(kDeepestNesting, ']')));
    const auto deeper = parse_json(std::string(1'000'000, '['));
    ASSERT_FALSE(deeper);
    EXPECT_EQ(deeper.error().to_string(),
              "found lists and objects nested too deeply; expected at most 16 levels");
}

TEST(JsonDocument, DepthOfATextIsSeenBeforeItIsParsed) {
    const std::string deep = std::string(kDeepestNesting, '[') + std::string(kDeepestNesting, ']');
    EXPECT_FALSE(nested_too_deeply(deep));
    EXPECT_FALSE(nested_too_deeply('[' + deep.substr(2) + "," + deep.substr(2)));
    EXPECT_TRUE(nested_too_deeply("{\"a\":" + deep + '}'));
    EXPECT_TRUE(nested_too_deeply(std::string(100'000, '{')));
    EXPECT_FALSE(nested_too_deeply("{\"\\\"" + deep + deep.substr(0, kDeepestNesting) + "\":1}"));
    EXPECT_TRUE(nested_too_deeply("{\"\\\\\":" + deep + '}')) << "the string has ended";
}

TEST(JsonDocument, NotJsonAtAll) {
    for (const std::string_view text : {"\xff\xfe", "\x00", "// comment\n{}", "{\"a\":NaN}", "01",
                                        "\"\xc3\"", "\"\x01\"", "1e999", "[1,]", "{\"a\":1,}"})
        EXPECT_FALSE(parse_json(text)) << text;
}

}  // namespace
}  // namespace farlink::config::json_document_test
