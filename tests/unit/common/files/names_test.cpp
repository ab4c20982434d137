// SPDX-License-Identifier: Apache-2.0
#include "common/files/names.hpp"

#include <gtest/gtest.h>

namespace farlink::files::names_test {
namespace {

using namespace std::string_view_literals;

TEST(FileNames, NamesThatStayBeneathAFolder) {
    for (const auto name : {"a"sv, "a/b/c"sv, "..."sv, "a/..b"sv, ".hidden"sv, "\xff\x01"sv,
                            "a b"sv, ".bpreceivefile2"sv, "a/.bpreceivefile"sv})
        EXPECT_EQ(wrong_name(name), "") << name;
    EXPECT_EQ(wrong_name(std::string(255, 'x')), "");
}

TEST(FileNames, NamesThatMayLeaveIt) {
    for (const auto name :
         {""sv, "/"sv, "/a"sv, ".."sv, "."sv, "a/.."sv, "../a"sv, "a/../b"sv, "a//b"sv, "a/"sv,
          "a/./b"sv, "a\0b"sv, ".bpreceivefile"sv, ".bpreceivefile/done"sv})
        EXPECT_NE(wrong_name(name), "") << name;
    EXPECT_NE(wrong_name(std::string(256, 'x')), "");
    std::string deep = "a";
    while (deep.size() < 2 * kMostParts) deep += "/a";
    EXPECT_NE(wrong_name(deep), "");
    EXPECT_NE(wrong_name(std::string(kLongestPath + 1, 'x')), "");
}

TEST(FileNames, PartsOfAName) {
    EXPECT_EQ(folder_of("a/b/c"), "a/b");
    EXPECT_EQ(folder_of("c"), "");
    EXPECT_EQ(last_part_of("a/b/c"), "c");
    EXPECT_EQ(last_part_of("c"), "c");
}

TEST(FileNames, ANumberStandsBeforeTheExtension) {
    EXPECT_EQ(numbered("a.b/photo.jpg", 2), "a.b/photo (2).jpg");
    EXPECT_EQ(numbered("a.b/photo", 3), "a.b/photo (3)");
    EXPECT_EQ(numbered(".profile", 2), ".profile (2)");
    EXPECT_EQ(numbered("a/.profile", 2), "a/.profile (2)");
    for (const std::string &name : {std::string(255, 'x'), "f/" + std::string(251, 'x') + ".jpg",
                                    "x." + std::string(253, 'y')}) {
        const std::string result = numbered(name, 9999);
        EXPECT_EQ(wrong_name(result), "") << result;
        EXPECT_EQ(folder_of(result), folder_of(name));
        EXPECT_NE(result.find(" (9999)"), std::string::npos) << result;
    }
}

TEST(FileNames, ATerminalIsSafeFromThem) {
    EXPECT_EQ(printable("a\x1b[2Jb\n\\"), "a\\x1b[2Jb\\x0a\\x5c");
}

}  // namespace
}  // namespace farlink::files::names_test
