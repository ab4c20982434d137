// SPDX-License-Identifier: Apache-2.0
#include "module/storage/store/store_room.hpp"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>

#include <filesystem>

#include "tests/support/temp_folder.hpp"

namespace farlink::storage::store_room_test {
namespace {

TEST(StoreRoom, AStoreLargerThanItsDiskIsNamed) {
    const test::TempFolder folder;
    config::StorageConfig config;
    config.disks.push_back({"a", folder / "not/there/yet", 0});
    config.capacity_bytes = 1024 * 1024;
    EXPECT_TRUE(review_room(config, 0).empty());
    EXPECT_EQ(review_room(config, std::uint64_t{1} << 60).size(), 1U) << "the reserve, too";
    config.capacity_bytes = std::uint64_t{1} << 60;
    const auto lines = review_room(config, 0);
    ASSERT_EQ(lines.size(), 1U);
    EXPECT_TRUE(lines[0].starts_with(folder / "not/there/yet")) << lines[0];
    // Two folders of one disk share its room.
    config.disks.push_back({"b", folder / "b", 0});
    EXPECT_EQ(review_room(config, 0).size(), 1U);
    for (config::StorageDiskConfig &disk : config.disks) disk.capacity_bytes = 1024 * 1024;
    EXPECT_TRUE(review_room(config, 0).empty());
}

TEST(StoreRoom, AFolderHasTheRoomOfItsFileSystem) {
    const test::TempFolder folder;
    EXPECT_EQ(used_bytes_at(folder.path().string()), 0U);
    folder.write("file", std::string(10'000, 'x'));
    EXPECT_GE(used_bytes_at(folder.path().string()), 10'000U);
    EXPECT_GT(free_bytes_at(folder.path().string()), 0U);
    EXPECT_EQ(free_bytes_at(folder / "not/there"), 0U);
}

/// A limit of the process stands in for a quota: the kernel refuses in the same way.
TEST(StoreRoom, ALimitOfTheProcessCountsBesideFreeSpace) {
    ::signal(SIGXFSZ, SIG_IGN);
    constexpr std::uint64_t kBytes = 64 * 1024;
    const test::TempFolder folder;
    EXPECT_TRUE(has_room_for(folder.path().string(), kBytes));
    rlimit before{};
    ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
    const rlimit tight{kBytes - 1, before.rlim_max};
    ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &tight), 0);
    const bool room = has_room_for(folder.path().string(), kBytes);
    ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &before), 0);
    EXPECT_FALSE(room);
    EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
    EXPECT_FALSE(has_room_for(folder / "not/there", kBytes));
}

}  // namespace
}  // namespace farlink::storage::store_room_test
