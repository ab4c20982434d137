// SPDX-License-Identifier: Apache-2.0
#include "module/storage/known_losses.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "tests/support/temp_folder.hpp"

namespace farlink::storage::known_losses_test {
namespace {

TEST(KnownLosses, AreFoundAtTheNextStart) {
    const test::TempFolder folder;
    EXPECT_TRUE(read_known_losses(folder / "").empty());
    const KnownLosses losses{{1, 12}, {4'000'000'000, 1}};
    keep_known_losses(folder / "", losses);
    EXPECT_EQ(read_known_losses(folder / ""), losses);
    keep_known_losses(folder / "", {{2, 3}});
    EXPECT_EQ(read_known_losses(folder / ""), (KnownLosses{{2, 3}})) << "the others are gone";
    EXPECT_FALSE(std::filesystem::exists(folder / "losses.new"));
    keep_known_losses(folder / "", {});
    EXPECT_FALSE(std::filesystem::exists(folder / "losses"));
}

TEST(KnownLosses, WhatIsDamagedIsNotKnown) {
    const test::TempFolder folder;
    std::ofstream(folder / "losses") << "1 12\n2 x\n3 4\n";
    EXPECT_EQ(read_known_losses(folder / ""), (KnownLosses{{1, 12}}));
    keep_known_losses(folder / "missing", {{1, 1}});
    EXPECT_TRUE(read_known_losses(folder / "missing").empty());
}

}  // namespace
}  // namespace farlink::storage::known_losses_test
