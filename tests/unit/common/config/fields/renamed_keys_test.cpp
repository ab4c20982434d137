// SPDX-License-Identifier: Apache-2.0
// A key that was renamed is read by its old name, too, and said to be old.
#include "common/config/fields/renamed_keys.hpp"

#include <gtest/gtest.h>

#include <array>

#include "common/config/fields/section_checker.hpp"
#include "common/config/node/node_fields.hpp"

namespace farlink::config::renamed_keys_test {
namespace {

constexpr std::array kRenamed{RenamedKey{"inductsConfig[]", "mostSessions", "maxSessions", "0.2"},
                              RenamedKey{"storageConfig", "folder", "storeFilePath", "0.2"}};

JsonValue document(std::string_view text) {
    auto parsed = parse_json(text);
    EXPECT_TRUE(parsed);
    return std::move(*parsed);
}

std::vector<ConfigError> errors_of(std::string_view text) {
    std::vector<ConfigError> errors;
    (void)SectionChecker(node_table().info(), errors, kRenamed).check(document(text));
    return errors;
}

TEST(RenamedKeysTest, TheOldNameIsRead) {
    EXPECT_TRUE(errors_of(R"({"myNodeId":1, "storageConfig":{"folder":"a"},
        "inductsConfig":[{"url":"stcp://127.0.0.1:0", "mostSessions":3}]})")
                    .empty());
}

TEST(RenamedKeysTest, OnlyInItsOwnSection) {
    EXPECT_EQ(errors_of(R"({"myNodeId":1, "folder":"a"})").size(), 1U);
}

TEST(RenamedKeysTest, OldAndNewTogetherAreAnError) {
    EXPECT_EQ(
        errors_of(R"({"myNodeId":1, "storageConfig":{"folder":"a", "storeFilePath":"b"}})").size(),
        1U);
}

TEST(RenamedKeysTest, EachOldNameIsWarnedAboutWithItsPlace) {
    const auto warnings = renamed_key_warnings(
        node_table().info(), document(R"({"myNodeId":1, "storageConfig":{"folder":"a"},
        "inductsConfig":[{"url":"stcp://127.0.0.1:0"}, {"mostSessions":3}]})"),
        kRenamed);
    ASSERT_EQ(warnings.size(), 2U);
    EXPECT_EQ(warnings[0],
              "storageConfig.folder: is now \"storeFilePath\"; the old name is read "
              "until version 0.2");
    EXPECT_TRUE(warnings[1].starts_with("inductsConfig[1].mostSessions: is now")) << warnings[1];
}

TEST(RenamedKeysTest, NewNamesAreNotWarnedAbout) {
    EXPECT_TRUE(renamed_key_warnings(node_table().info(),
                                     document(R"({"myNodeId":1, "storageConfig":{}})"), kRenamed)
                    .empty());
}

}  // namespace
}  // namespace farlink::config::renamed_keys_test
