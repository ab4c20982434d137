// SPDX-License-Identifier: Apache-2.0
#include "module/control/state/config_file.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "tests/support/temp_folder.hpp"

namespace farlink::control::config_file_test {
namespace {

std::string content(const std::string &path) {
    std::ostringstream text;
    text << std::ifstream(path).rdbuf();
    return text.str();
}

TEST(ConfigFile, AFileThatStaysIsRead) {
    const test::TempFolder folder;
    folder.write("node.json", "{}\n");
    EXPECT_EQ(*read_steadily(folder / "node.json"), "{}\n");
    folder.write("node.json", "");
    EXPECT_EQ(read_steadily(folder / "node.json").error().problem, "the file is empty");
    EXPECT_FALSE(read_steadily(folder / "other.json"));
    EXPECT_FALSE(read_steadily(folder / "."));
}

TEST(ConfigFile, TheOldFileBecomesABackup) {
    const test::TempFolder folder;
    const std::string path = folder / "node.json";
    folder.write("node.json", "old");
    ASSERT_EQ(::chmod(path.c_str(), 0640), 0);
    EXPECT_EQ(replace_config(path, "new"), "");
    EXPECT_EQ(content(path), "new");
    EXPECT_EQ(content(path + ".bak"), "old");
    struct stat found{};
    ASSERT_EQ(::stat(path.c_str(), &found), 0);
    EXPECT_EQ(found.st_mode & 0777U, 0640U);
    EXPECT_NE(replace_config(folder / "other.json", "new"), "");
}

TEST(ConfigFile, ALinkToAFileStaysOne) {
    const test::TempFolder folder;
    folder.write("real.json", "old");
    std::filesystem::create_symlink("real.json", folder / "node.json");
    EXPECT_EQ(replace_config(folder / "node.json", "new"), "");
    EXPECT_TRUE(std::filesystem::is_symlink(folder / "node.json"));
    EXPECT_EQ(content(folder / "real.json"), "new");
}

TEST(ConfigFile, ADigestTellsContentsApart) {
    const test::TempFolder folder;
    folder.write("a", "1");
    folder.write("b", "2");
    EXPECT_NE(digest_of_file(folder / "a"), digest_of_file(folder / "b"));
    EXPECT_EQ(digest_of_file(folder / "c"), 0U);
    const ConfigSource source = source_of(folder / "a", "1");
    EXPECT_EQ(source.path, folder / "a");
    EXPECT_EQ(*source.read(), "1");
}

}  // namespace
}  // namespace farlink::control::config_file_test
