// SPDX-License-Identifier: Apache-2.0
#include "module/storage/alive_stamp.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <fstream>

#include "tests/support/temp_folder.hpp"

namespace farlink::storage::alive_stamp_test {
namespace {

TEST(AliveStamp, AFolderWithoutFilesHasNoTime) {
    const test::TempFolder folder;
    EXPECT_EQ(last_alive(folder / ""), 0U);
    EXPECT_EQ(last_alive(folder / "missing"), 0U);
}

TEST(AliveStamp, TheNewestFileCounts) {
    const test::TempFolder folder;
    const auto now = std::filesystem::file_time_type::clock::now();
    for (const char *name : {"lock", "00000001.log"}) {
        std::ofstream(folder / name) << "x";
        std::filesystem::last_write_time(folder / name, now - std::chrono::hours(48));
    }
    const DtnTime before = last_alive(folder / "");
    std::filesystem::last_write_time(folder / "00000001.log", now - std::chrono::hours(24));
    EXPECT_EQ(last_alive(folder / ""), before + 86'400'000);
    stamp_alive(folder / "");
    EXPECT_GE(last_alive(folder / ""), before + 2 * 86'400'000ULL - 60'000);
}

TEST(AliveStamp, WhatIsWrittenInDoubtDoesNotCount) {
    const test::TempFolder folder;
    std::ofstream(folder / "lock") << "x";
    const DtnTime now = last_alive(folder / "");
    const DtnTime trusted = now - 86'400'123;
    keep_stamp(folder / "", trusted);
    keep_stamp(folder / "", now);
    std::ofstream(folder / "00000002.log") << "x";
    EXPECT_EQ(last_alive(folder / ""), trusted) << "the first one stays";
    stamp_alive(folder / "");
    EXPECT_GE(last_alive(folder / ""), now) << "the clock is trusted again";
    EXPECT_FALSE(std::filesystem::exists(folder / "doubt"));
    keep_stamp(folder / "", 0);
    EXPECT_FALSE(std::filesystem::exists(folder / "doubt")) << "no time is known";
}

TEST(AliveStamp, ATimeBeforeTheDtnEpochIsNone) {
    const test::TempFolder folder;
    std::ofstream(folder / "lock") << "x";
    std::filesystem::last_write_time(
        folder / "lock", std::filesystem::file_time_type::clock::from_sys(std::chrono::sys_seconds(
                             std::chrono::sys_days(std::chrono::year(1980) / 1 / 1))));
    EXPECT_EQ(last_alive(folder / ""), 0U);
}

}  // namespace
}  // namespace farlink::storage::alive_stamp_test
