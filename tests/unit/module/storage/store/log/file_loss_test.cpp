// SPDX-License-Identifier: Apache-2.0
#include "module/storage/store/log/file_loss.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/unit/module/storage/store/log/log_fixture.hpp"

namespace farlink::storage::file_loss_test {
namespace {

TEST(FileLoss, AShortFileIsNamedWithWhatIsKnown) {
    ShortFile found{.file = 21, .bytes = 700};
    EXPECT_EQ(words_of(found),
              "log file 21 has 700 bytes and no header or index: another program emptied it, or a "
              "crash occurred as it was created");
    found.expected = 8192;
    EXPECT_EQ(words_of(found),
              "log file 21 has 700 of 8192 bytes that were reserved, and no index: another program "
              "cut it short, or a crash occurred while the disk was full");
    found.clean = true;
    EXPECT_TRUE(words_of(found).ends_with("while the disk was full or as it was completed"));
    found.indexed = true;
    EXPECT_EQ(words_of(found), "log file 21 has 700 of 8192 bytes that its index states");
}

TEST(FileLoss, AFileWithoutItsFirstPageIsNamedAtEveryStart) {
    test::SimDirectory directory;
    directory.reserve_room();
    {
        test::LogDriver log(directory);
        EXPECT_EQ(log.append({1, 2, 3}), DiskStatus::kOk);
        EXPECT_EQ(log.sync(), DiskStatus::kOk);
        directory.kill();
    }
    std::fill_n(directory.content(1).begin(), kDataStart, std::uint8_t{0});
    for (std::uint64_t start = 0; start < 3; ++start) {
        test::LogDriver log(directory);
        ASSERT_TRUE(log.opened.has_value());
        EXPECT_EQ(log.opened->unreadable_files, (std::vector<FileNumber>{1})) << start;
        EXPECT_TRUE(log.opened->short_files.empty());
        EXPECT_TRUE(log.opened->losses.empty()) << "how many is not known";
        EXPECT_FALSE(log.opened->sound);
        EXPECT_EQ(log.append({10 + start}), DiskStatus::kOk);
        EXPECT_EQ(log.sync(), DiskStatus::kOk);
        directory.kill();
    }
}

TEST(FileLoss, AnIndexCountsIfItIsValidAndThatOfTheFile) {
    test::SimDirectory directory;
    {
        test::LogDriver log(directory);
        EXPECT_EQ(log.append({1}), DiskStatus::kOk);
        log.disk.close();
    }
    EXPECT_TRUE(has_index(directory, 1));
    EXPECT_FALSE(has_index(directory, 2));
    directory.index(2) = directory.index(1);
    EXPECT_FALSE(has_index(directory, 2)) << "that of another file";
    directory.index(1).back() ^= 1;
    EXPECT_FALSE(has_index(directory, 1));
}

}  // namespace
}  // namespace farlink::storage::file_loss_test
