// SPDX-License-Identifier: Apache-2.0
#include "module/storage/store/store_reserve.hpp"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <cerrno>
#include <filesystem>

#include "tests/support/temp_folder.hpp"

namespace farlink::storage::store_reserve_test {
namespace {

constexpr std::uint64_t kBytes = 1024 * 1024;

std::uint64_t blocks_of(const std::string &path) {
    struct stat about{};
    return ::stat(path.c_str(), &about) == 0 ? static_cast<std::uint64_t>(about.st_blocks) * 512
                                             : 0;
}

TEST(StoreReserve, TakesRoomUntilItIsGivenBack) {
    const test::TempFolder folder;
    for (int times = 0; times < 2; ++times) {
        StoreReserve reserve(folder / "");
        reserve.grow(kBytes);
        EXPECT_EQ(reserve.error(), 0);
        EXPECT_EQ(reserve.bytes(), kBytes) << "also where one is there";
        EXPECT_GE(blocks_of(folder / "reserve"), kBytes) << "not sparse";
    }
    StoreReserve reserve(folder / "");
    reserve.grow(kBytes / 2);
    EXPECT_EQ(std::filesystem::file_size(folder / "reserve"), kBytes / 2);
    reserve.give_back();
    reserve.give_back();
    EXPECT_EQ(reserve.bytes(), 0U);
    EXPECT_FALSE(std::filesystem::exists(folder / "reserve"));
}

TEST(StoreReserve, GrowsAndShrinks) {
    const test::TempFolder folder;
    StoreReserve reserve(folder / "");
    reserve.grow(kBytes);
    reserve.grow(2 * kBytes);
    EXPECT_EQ(reserve.bytes(), 2 * kBytes);
    EXPECT_GE(blocks_of(folder / "reserve"), 2 * kBytes);
    reserve.shrink(kBytes / 2);
    EXPECT_EQ(reserve.bytes(), kBytes / 2);
    EXPECT_EQ(std::filesystem::file_size(folder / "reserve"), kBytes / 2);
    reserve.shrink(kBytes);
    EXPECT_EQ(reserve.bytes(), kBytes / 2);
    reserve.shrink(0);
    EXPECT_FALSE(std::filesystem::exists(folder / "reserve"));
}

// A limit of the process stands in for a quota, which the free space does not show.
TEST(StoreReserve, TakesAsMuchAsThereIs) {
    ::signal(SIGXFSZ, SIG_IGN);
    const test::TempFolder folder;
    rlimit before{};
    ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
    const rlimit tight{3 * kBytes, before.rlim_max};
    ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &tight), 0);
    StoreReserve reserve(folder / "");
    reserve.grow(kBytes);
    reserve.grow(16 * kBytes);
    ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &before), 0);
    EXPECT_EQ(reserve.error(), 0);
    EXPECT_GT(reserve.bytes(), 2 * kBytes);
    EXPECT_LE(reserve.bytes(), 3 * kBytes);
    EXPECT_EQ(std::filesystem::file_size(folder / "reserve"), reserve.bytes());
    reserve.grow(4 * kBytes);
    EXPECT_EQ(reserve.bytes(), 4 * kBytes) << "room has become free";
}

TEST(StoreReserve, LeavesNothingWhereItCannotReserve) {
    const test::TempFolder folder;
    StoreReserve reserve(folder / "missing");
    reserve.grow(1);
    EXPECT_EQ(reserve.error(), ENOENT);
    EXPECT_EQ(reserve.bytes(), 0U);
}

}  // namespace
}  // namespace farlink::storage::store_reserve_test
