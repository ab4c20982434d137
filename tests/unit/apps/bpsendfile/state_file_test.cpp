// SPDX-License-Identifier: Apache-2.0
#include "apps/bpsendfile/state_file.hpp"

#include <gtest/gtest.h>

#include <filesystem>

#include "tests/support/temp_folder.hpp"

namespace farlink::bpsendfile::state_file_test {
namespace {

constexpr files::FileVersion kVersion{1, 2, 3};

TEST(BpsendfileState, ItIsThereForTheNextRun) {
    const test::TempFolder folder;
    const std::string path = folder / "state";
    for (int run = 0; run < 3; ++run) {
        files::SentBook book("ipn:2.1");
        auto state = StateFile::open(path, book);
        ASSERT_TRUE(state.has_value()) << state.error();
        EXPECT_EQ(book.is_done("name", kVersion), run > 0);
        book.finish("name", kVersion);
        EXPECT_EQ(state->append(book.take_records()), "");
        files::SentBook other("ipn:2.1");
        EXPECT_FALSE(StateFile::open(path, other).has_value());  // it is in use
    }
    EXPECT_LT(std::filesystem::file_size(path), 200U);
    files::SentBook other("ipn:3.1");
    EXPECT_FALSE(StateFile::open(path, other).has_value());
}

TEST(BpsendfileState, ATornEndIsLeftOut) {
    const test::TempFolder folder;
    const std::string path = folder / "state";
    {
        files::SentBook book("ipn:2.1");
        auto state = StateFile::open(path, book);
        ASSERT_TRUE(state.has_value());
        book.finish("one", kVersion);
        book.finish("two", kVersion);
        EXPECT_EQ(state->append(book.take_records()), "");
    }
    std::filesystem::resize_file(path, std::filesystem::file_size(path) - 1);
    files::SentBook book("ipn:2.1");
    ASSERT_TRUE(StateFile::open(path, book).has_value());
    EXPECT_TRUE(book.is_done("one", kVersion));
    EXPECT_FALSE(book.is_done("two", kVersion));
}

TEST(BpsendfileState, AnotherKindOfFileStays) {
    const test::TempFolder folder;
    folder.write("text", "which is no state at all");
    files::SentBook book("ipn:2.1");
    EXPECT_FALSE(StateFile::open(folder / "text", book).has_value());
    EXPECT_EQ(std::filesystem::file_size(folder / "text"), 24U);
}

}  // namespace
}  // namespace farlink::bpsendfile::state_file_test
