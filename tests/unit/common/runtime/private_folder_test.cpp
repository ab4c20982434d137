// SPDX-License-Identifier: Apache-2.0
#include "common/runtime/private_folder.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>

#include "tests/support/temp_folder.hpp"

namespace farlink::private_folder_test {
namespace {

unsigned mode_of(const std::string &path) {
    struct stat found{};
    EXPECT_EQ(::stat(path.c_str(), &found), 0) << path;
    return found.st_mode & 0777U;
}

TEST(PrivateFolder, WhatIsMadeIsTheOwnersAlone) {
    const test::TempFolder folder;
    for (const std::string name : {"one", "some/where/else", "slash/"}) {
        const std::string path = folder / name;
        EXPECT_FALSE(make_private_folder(path));
        EXPECT_EQ(mode_of(path), 0700U) << path;
        EXPECT_FALSE(is_open_to_others(path));
        EXPECT_FALSE(make_private_folder(path)) << "it is there";
    }
}

TEST(PrivateFolder, AFolderThatIsThereStaysAsItIs) {
    const test::TempFolder folder;
    const std::string path = folder / "shared";
    ASSERT_EQ(::mkdir(path.c_str(), 0700), 0);
    ASSERT_EQ(::chmod(path.c_str(), 0755), 0);
    EXPECT_FALSE(make_private_folder(path));
    EXPECT_EQ(mode_of(path), 0755U);
    EXPECT_TRUE(is_open_to_others(path));
}

TEST(PrivateFolder, AFileInItsPlaceIsAnError) {
    const test::TempFolder folder;
    folder.write("file", "");
    EXPECT_TRUE(make_private_folder(folder / "file/below"));
    EXPECT_FALSE(is_open_to_others(folder / "nothing"));
}

}  // namespace
}  // namespace farlink::private_folder_test
