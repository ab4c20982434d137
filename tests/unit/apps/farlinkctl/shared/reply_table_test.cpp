// SPDX-License-Identifier: Apache-2.0
#include "apps/farlinkctl/shared/reply_table.hpp"

#include <gtest/gtest.h>

namespace farlink::ctl::reply_table_test {
namespace {

TEST(ReplyTable, ColumnsAreAsWideAsTheirWidestCell) {
    testing::internal::CaptureStdout();
    print_rows({{"a", "bb"}, {"\u00e4\u00e4\u00e4", "c"}, {}});
    EXPECT_EQ(testing::internal::GetCapturedStdout(), "a    bb\n\u00e4\u00e4\u00e4  c\n\n");
}

TEST(ReplyTable, MembersAreShownAsWords) {
    const nlohmann::ordered_json reply{
        {"yes", true}, {"no", false}, {"null", nullptr}, {"number", 3}, {"text", "t"}};
    EXPECT_EQ(text(reply, "yes"), "yes");
    EXPECT_EQ(text(reply, "no"), "no");
    EXPECT_EQ(text(reply, "null"), "-");
    EXPECT_EQ(text(reply, "missing"), "-");
    EXPECT_EQ(text(reply, "number"), "3");
    EXPECT_EQ(text(reply, "text"), "t");
    EXPECT_EQ(counted_text(reply, "number", "bundle"), "3 bundles");
    EXPECT_EQ(counted_text({{"number", 1}}, "number", "damaged place"), "1 damaged place");
    EXPECT_EQ(number(reply, "number"), 3);
    EXPECT_EQ(number(reply, "text"), 0);
    EXPECT_EQ(cell({{"name", "a\x1b"}}, "name"), "a?");
    EXPECT_TRUE(is_true(reply, "yes"));
    EXPECT_FALSE(is_true(reply, "missing"));
}

}  // namespace
}  // namespace farlink::ctl::reply_table_test
