// SPDX-License-Identifier: Apache-2.0
#include "module/telemetry/api/request/target.hpp"

#include <gtest/gtest.h>

namespace farlink::telemetry::target_test {
namespace {

using Path = std::vector<std::string>;

TEST(Target, PathAndQuery) {
    const auto target = parse_target("/api/v1/x%20y?a=1&b=%2f+c&d");
    ASSERT_TRUE(target);
    EXPECT_EQ(target->path, (Path{"api", "v1", "x y"}));
    EXPECT_EQ(target->query.at("a"), "1");
    EXPECT_EQ(target->query.at("b"), "/ c");
    EXPECT_EQ(target->query.at("d"), "");
    EXPECT_EQ(parse_target("/")->path, Path{""});
    EXPECT_TRUE(parse_target("/?")->query.empty());
}

TEST(Target, WhatIsNotInOrderIsRefused) {
    for (const char *text : {"", "api", "http://x/", "*", "/%", "/%4", "/%zz", "/a%00", "/a\x01",
                             "/?a=1&a=2", "/?=1", "/?a=%0a", "/?&"})
        EXPECT_FALSE(parse_target(text)) << text;
    EXPECT_FALSE(parse_target('/' + std::string(40, '/')));
}

TEST(Target, Numbers) {
    EXPECT_EQ(parse_number("0", 10), 0U);
    EXPECT_EQ(parse_number("10", 10), 10U);
    for (const char *text : {"", "-1", "+1", "11", "1x", " 1", "99999999999999999999"})
        EXPECT_FALSE(parse_number(text, 10)) << text;
}

}  // namespace
}  // namespace farlink::telemetry::target_test
