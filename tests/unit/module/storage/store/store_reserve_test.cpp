// SPDX-License-Identifier: Apache-2.0
#include "module/storage/store/store_reserve.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>

#include "tests/support/temp_folder.hpp"

namespace farlink::storage::store_reserve_test {
namespace {

TEST(StoreReserve, TakesRoomUntilItIsGivenBack) {
    const test::TempFolder folder;
    const StoreReserve reserve(folder / "");
    constexpr std::uint64_t kBytes = 1024 * 1024;
    for (int times = 0; times < 2; ++times) {
        ASSERT_TRUE(reserve.take(kBytes)) << "also where one is there";
        struct stat about{};
        ASSERT_EQ(::stat((folder / "reserve").c_str(), &about), 0);
        EXPECT_GE(static_cast<std::uint64_t>(about.st_blocks) * 512, kBytes) << "not sparse";
    }
    reserve.give_back();
    reserve.give_back();
    EXPECT_FALSE(std::filesystem::exists(folder / "reserve"));
}

TEST(StoreReserve, LeavesNothingWhereThereIsNoRoom) {
    const test::TempFolder folder;
    const StoreReserve reserve(folder / "");
    EXPECT_FALSE(reserve.take(std::uint64_t{1} << 60));
    EXPECT_FALSE(std::filesystem::exists(folder / "reserve"));
    EXPECT_FALSE(StoreReserve(folder / "missing").take(1));
}

}  // namespace
}  // namespace farlink::storage::store_reserve_test
