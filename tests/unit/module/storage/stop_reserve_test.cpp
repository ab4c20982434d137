// SPDX-License-Identifier: Apache-2.0
#include "module/storage/stop_reserve.hpp"

#include <gtest/gtest.h>

#include <filesystem>

#include "tests/support/small_disk.hpp"
#include "tests/support/temp_folder.hpp"

namespace farlink::storage::stop_reserve_test {
namespace {

constexpr std::uint64_t kMiB = 1024 * 1024;

class StopReserveTest : public testing::Test {
protected:
    void SetUp() override {
        if (!disk_.usable()) GTEST_SKIP() << "no mount namespaces";
        add(disk_.folder());
    }
    void add(const std::string &folder) {
        disks_.emplace_back(config::StorageDiskConfig{"d", folder, 0}, LogOptions{}, [] {});
        disks_.back().open = true;
    }
    /// A file of other programs, or of the store.
    void fill(const std::string &name, std::uint64_t bytes) {
        disk_files_.write(name, std::string(bytes, 'x'));
    }

    test::TempFolder disk_files_;
    test::SmallDisk disk_{disk_files_ / "disk", 16 * kMiB};
    Logger log_{"storage"};
    std::deque<StorageDisk> disks_;
};

TEST_F(StopReserveTest, IsTwiceTheMemory) {
    StopReserve reserve(log_, 4 * kMiB);
    reserve.take(disks_);
    EXPECT_TRUE(reserve.is_complete());
    EXPECT_EQ(reserve.memory_bytes(), 2 * kMiB);
    EXPECT_LE(disk_.free_bytes(), 12 * kMiB);
    EXPECT_FALSE(reserve.grow());
    reserve.give_back();
    EXPECT_GE(disk_.free_bytes(), 15 * kMiB);
}

TEST_F(StopReserveTest, IsSharedByTheDisksThatAreOpen) {
    const test::TempFolder other;
    add(other.path().string());
    add(other / "missing");
    disks_.back().open = false;
    StopReserve reserve(log_, 8 * kMiB);
    reserve.take(disks_);
    EXPECT_EQ(std::filesystem::file_size(disk_.folder() + "/reserve"), 4 * kMiB);
    EXPECT_EQ(std::filesystem::file_size(other / "reserve"), 4 * kMiB);
    EXPECT_EQ(reserve.memory_bytes(), 4 * kMiB);
}

TEST_F(StopReserveTest, IsAtMostHalfOfTheRoom) {
    StopReserve reserve(log_, 1024 * kMiB);
    reserve.take(disks_);
    EXPECT_TRUE(reserve.is_complete()) << "it will not become more";
    EXPECT_NEAR(static_cast<double>(reserve.memory_bytes()), 4.0 * kMiB, 0.1 * kMiB);
    EXPECT_GE(disk_.free_bytes(), 7 * kMiB) << "the store may have the rest";
    EXPECT_FALSE(reserve.grow());
}

// The store was stopped with a full disk: what was in memory is where the reserve was.
TEST_F(StopReserveTest, IsCompletedWhenStoredBundlesLeave) {
    fill("disk/00000001.log", 8 * kMiB);
    fill("disk/00000002.log", 6 * kMiB);
    StopReserve reserve(log_, 4 * kMiB);
    reserve.take(disks_);
    EXPECT_FALSE(reserve.is_complete());
    EXPECT_TRUE(reserve.is_short(disk_.folder()));
    EXPECT_EQ(reserve.memory_bytes(), 0U);
    EXPECT_LT(disk_.free_bytes(), kMiB / 2) << "what is free is reserved";
    EXPECT_FALSE(reserve.grow());
    std::filesystem::remove(disk_.folder() + "/00000002.log");
    EXPECT_TRUE(reserve.grow());
    EXPECT_TRUE(reserve.is_complete());
    EXPECT_EQ(reserve.memory_bytes(), 2 * kMiB);
    EXPECT_GE(disk_.free_bytes(), 3 * kMiB);
}

// There is no room at all: half of it is nothing, and nothing is no reserve.
TEST_F(StopReserveTest, OfADiskThatOthersHaveFilledIsMissing) {
    std::filesystem::create_directory(disk_.folder() + "/others");
    fill("disk/others/file", disk_.free_bytes());
    StopReserve reserve(log_, 4 * kMiB);
    reserve.take(disks_);
    EXPECT_FALSE(reserve.is_complete());
    EXPECT_TRUE(reserve.is_short(disk_.folder()));
    EXPECT_EQ(reserve.memory_bytes(), 0U);
    std::filesystem::remove(disk_.folder() + "/others/file");
    EXPECT_TRUE(reserve.grow());
    EXPECT_EQ(reserve.memory_bytes(), 2 * kMiB);
    reserve.give_back();
    EXPECT_TRUE(reserve.is_complete()) << "at the stop nothing is missing";
}

// A file of a killed run is taken over: it needs no room.
TEST_F(StopReserveTest, SurvivesAKill) {
    {
        StopReserve killed(log_, 4 * kMiB);
        killed.take(disks_);
    }
    fill("disk/00000001.log", disk_.free_bytes());
    StopReserve reserve(log_, 4 * kMiB);
    reserve.take(disks_);
    EXPECT_EQ(reserve.memory_bytes(), 2 * kMiB);
}

TEST_F(StopReserveTest, GrowsWhenOtherProgramsGiveRoom) {
    std::filesystem::create_directory(disk_.folder() + "/others");
    fill("disk/others/file", 14 * kMiB);
    StopReserve reserve(log_, 4 * kMiB);
    reserve.take(disks_);
    EXPECT_TRUE(reserve.is_complete()) << "half of the rest";
    EXPECT_LE(reserve.memory_bytes(), kMiB / 2);
    std::filesystem::remove(disk_.folder() + "/others/file");
    EXPECT_TRUE(reserve.grow());
    EXPECT_EQ(reserve.memory_bytes(), 2 * kMiB);
}

}  // namespace
}  // namespace farlink::storage::stop_reserve_test
