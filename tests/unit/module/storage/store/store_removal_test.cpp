// SPDX-License-Identifier: Apache-2.0
#include "module/storage/store/store_removal.hpp"

#include <gtest/gtest.h>

#include <filesystem>

#include "module/storage/store/directory/posix_directory.hpp"
#include "tests/support/temp_folder.hpp"

namespace farlink::storage::store_removal_test {
namespace {

config::StorageConfig store_in(const std::string &folder) {
    config::StorageConfig config;
    config.disks.push_back({.name = "disk", .directory = folder});
    return config;
}

TEST(StoreRemoval, DeletesTheFilesOfTheStoreOnly) {
    const test::TempFolder folder;
    for (const char *const name :
         {"00000001.log", "00000001.idx", "00000002.log", "00000007.idx", "lock", "reserve"})
        folder.write(name, "x");
    folder.write("notes.txt", "mine");
    EXPECT_TRUE(remove_store(store_in(folder.path().string())).empty());
    std::vector<std::string> left;
    for (const auto &entry : std::filesystem::directory_iterator(folder.path()))
        left.push_back(entry.path().filename().string());
    EXPECT_EQ(left, std::vector<std::string>{"notes.txt"});
}

TEST(StoreRemoval, DeletesAnEmptyFolder) {
    const test::TempFolder folder;
    const std::string store = folder / "store";
    std::filesystem::create_directory(store);
    EXPECT_TRUE(remove_store(store_in(store)).empty());
    EXPECT_FALSE(std::filesystem::exists(store));
}

TEST(StoreRemoval, LeavesAStoreThatIsInUse) {
    const test::TempFolder folder;
    folder.write("00000001.log", "x");
    PosixDirectory owner(folder.path().string());
    ASSERT_TRUE(owner.lock());
    EXPECT_EQ(remove_store(store_in(folder.path().string())).size(), 1U);
    EXPECT_TRUE(std::filesystem::exists(folder / "00000001.log"));
}

}  // namespace
}  // namespace farlink::storage::store_removal_test
