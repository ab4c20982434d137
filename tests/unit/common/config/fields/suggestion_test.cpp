// SPDX-License-Identifier: Apache-2.0
#include "common/config/fields/suggestion.hpp"

#include <gtest/gtest.h>

#include <array>
#include <string>

namespace farlink::config::suggestion_test {
namespace {

TEST(Suggestion, EditDistance) {
    EXPECT_EQ(edit_distance("", ""), 0U);
    EXPECT_EQ(edit_distance("", "abc"), 3U);
    EXPECT_EQ(edit_distance("abc", ""), 3U);
    EXPECT_EQ(edit_distance("url", "URL"), 0U);
    EXPECT_EQ(edit_distance("kitten", "sitting"), 3U);
    EXPECT_EQ(edit_distance("stpc", "stcp"), 1U) << "a swap of neighbours is one slip";
}

TEST(Suggestion, TheNearestWordIsATypingErrorAway) {
    constexpr std::array<std::string_view, 3> kKnown{"startTime", "endTime", "warn"};
    EXPECT_EQ(nearest("starttime", kKnown), "startTime");
    EXPECT_EQ(nearest("strtTme", kKnown), "startTime");
    EXPECT_EQ(nearest("endtim", kKnown), "endTime");
    EXPECT_EQ(nearest("warning", kKnown), "warn");
    EXPECT_EQ(nearest("colour", kKnown), "");
    EXPECT_EQ(nearest("", kKnown), "");
    EXPECT_EQ(nearest(std::string(100'000, 'x'), kKnown), "");
}

}  // namespace
}  // namespace farlink::config::suggestion_test
