// SPDX-License-Identifier: Apache-2.0
#include "common/files/fresh_folders.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>

#include <cerrno>
#include <filesystem>
#include <fstream>

#include "common/runtime/file_descriptor.hpp"
#include "tests/support/temp_folder.hpp"

namespace farlink::files::fresh_folders_test {
namespace {

namespace fs = std::filesystem;

class FreshFoldersTest : public ::testing::Test {
protected:
    std::string make(FreshFolders &folders, const std::string &name) {
        const std::string made = *folders.next() + name;
        std::ofstream(temporary.path() / made) << "x";
        return made;
    }
    std::size_t count() {
        std::size_t found = 0;
        for (const auto &each : fs::directory_iterator(temporary.path())) found += each.exists();
        return found;
    }

    const test::TempFolder temporary;
    FileDescriptor parent{::open(temporary.path().c_str(), O_RDONLY | O_DIRECTORY)};
};

TEST_F(FreshFoldersTest, AfterManyFilesThereIsANewOneAndEmptyOnesGo) {
    FreshFolders folders(parent.get());
    const std::string first = make(folders, "kept");
    for (unsigned i = 1; i < FreshFolders::kFilesEach; ++i)
        ASSERT_EQ(*folders.next(), first.substr(0, first.find("kept")));
    const std::string second = *folders.next();
    EXPECT_NE(first.substr(0, second.size()), second);
    EXPECT_EQ(count(), 2U);
    fs::remove(temporary.path() / first);
    for (unsigned i = 0; i < 2 * FreshFolders::kFilesEach; ++i) (void)*folders.next();
    EXPECT_EQ(count(), 1U);
}

TEST_F(FreshFoldersTest, WhatAnEarlierRunHasLeftIsFoundAndItsFolderIsNotUsed) {
    std::string first;
    {
        FreshFolders folders(parent.get());
        first = make(folders, "left");
    }
    FreshFolders folders(parent.get());
    EXPECT_EQ(folders.names(), std::vector{first});
    const std::string second = make(folders, "new");
    EXPECT_NE(fs::path(first).parent_path(), fs::path(second).parent_path());
    EXPECT_EQ(folders.names(), (std::vector{first, second}));
}

TEST_F(FreshFoldersTest, AnErrorIsReported) {
    FreshFolders folders(-1);
    EXPECT_EQ(folders.next().error(), EBADF);
}

}  // namespace
}  // namespace farlink::files::fresh_folders_test
