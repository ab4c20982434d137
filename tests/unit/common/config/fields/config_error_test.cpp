// SPDX-License-Identifier: Apache-2.0
#include "common/config/fields/config_error.hpp"

#include <gtest/gtest.h>

#include <array>

namespace farlink::config::config_error_test {
namespace {

TEST(ConfigError, SaysWhereWhatAndWhatMayBe) {
    const ConfigError error{"a.b", "found -1", "an integer", "try 1"};
    EXPECT_EQ(error.to_string(), "a.b: found -1; expected an integer; try 1");
    EXPECT_EQ((ConfigError{"", "no link", "", ""}).to_string(), "no link");
    EXPECT_EQ((ConfigError{"a", "missing", "", "x"}).to_string(), "a: missing; x");
}

TEST(ConfigError, OneLineAnErrorWithItsSource) {
    const ConfigErrors errors{"node.json", {{"a", "missing", "", ""}, {"b", "found 1", "", ""}}};
    EXPECT_EQ(errors.to_string(), "node.json: a: missing\nnode.json: b: found 1\n");
}

TEST(ConfigError, QuotesAreFitForATerminal) {
    EXPECT_EQ(in_quotes("plain"), "\"plain\"");
    EXPECT_EQ(in_quotes("a\n\x1b[31m"), "\"a\\x0a\\x1b[31m\"");
    EXPECT_EQ(in_quotes("\xc3\xa4"), "\"\\xc3\\xa4\"");
    EXPECT_EQ(in_quotes(std::string(61, 'x')), '"' + std::string(60, 'x') + "...\"");
}

TEST(ConfigError, Alternatives) {
    constexpr std::array<std::string_view, 3> kWords{"a", "b", "c"};
    EXPECT_EQ(alternatives(kWords, false), "a, b or c");
    EXPECT_EQ(alternatives(std::span(kWords).first(1), true), "\"a\"");
    EXPECT_EQ(alternatives({}, true), "");
}

TEST(ConfigError, PathsOfPlainAndOddKeys) {
    EXPECT_EQ(member_path("", "myNodeId"), "myNodeId");
    EXPECT_EQ(member_path("a[0]", "url"), "a[0].url");
    EXPECT_EQ(member_path("a", "b c"), "a[\"b c\"]");
    EXPECT_EQ(member_path("", ""), "[\"\"]");
    EXPECT_EQ(item_path("contacts", 3), "contacts[3]");
}

}  // namespace
}  // namespace farlink::config::config_error_test
