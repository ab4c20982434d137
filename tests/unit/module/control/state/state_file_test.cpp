// SPDX-License-Identifier: Apache-2.0
#include "module/control/state/state_file.hpp"

#include <gtest/gtest.h>

#include <filesystem>

#include "common/config/fields/text_file.hpp"
#include "tests/support/temp_folder.hpp"

namespace farlink::control::state_file_test {
namespace {

class StateFile : public testing::Test {
protected:
    [[nodiscard]] std::string text() const { return config::read_text_file(path_).value_or("-"); }

    test::TempFolder folder_;
    const std::string path_ = folder_ / "file";
};

TEST_F(StateFile, IsReplacedAsAWhole) {
    EXPECT_EQ(replace_file(path_, "one"), "");
    EXPECT_EQ(replace_file(path_, "two"), "");
    EXPECT_EQ(text(), "two");
    EXPECT_FALSE(std::filesystem::exists(path_ + ".new"));
    EXPECT_NE(replace_file((folder_ / "none") + "/file", "x"), "");
}

TEST_F(StateFile, LosesALineThatWasCutShort) {
    EXPECT_EQ(append_line(path_, "one"), "");
    EXPECT_EQ(append_line(path_, "two"), "");
    cut_last_line(path_);
    EXPECT_EQ(text(), "one\ntwo\n");
    EXPECT_EQ(replace_file(path_, "one\ntw"), "");
    cut_last_line(path_);
    EXPECT_EQ(text(), "one\n");
    EXPECT_EQ(replace_file(path_, "o"), "");
    cut_last_line(path_);
    EXPECT_EQ(text(), "");
}

TEST_F(StateFile, ItsFolderIsMadeWithMode0700) {
    const std::string made = folder_ / "state";
    EXPECT_EQ(make_state_folder(made), "");
    EXPECT_EQ(std::filesystem::status(made).permissions(), std::filesystem::perms::owner_all);
    EXPECT_EQ(make_state_folder(made), "");
}

}  // namespace
}  // namespace farlink::control::state_file_test
