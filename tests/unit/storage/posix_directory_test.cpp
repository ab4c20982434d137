// SPDX-License-Identifier: Apache-2.0
#include "module/storage/store/posix_directory.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "tests/unit/storage/log_fixture.hpp"

namespace farlink::testing {
namespace {

using storage::FileError;
using storage::PosixDirectory;

class PosixDirectoryTest : public ::testing::Test {
protected:
    PosixDirectoryTest() {
        std::string name = (std::filesystem::temp_directory_path() / "farlink-XXXXXX").string();
        root = ::mkdtemp(name.data());
    }
    ~PosixDirectoryTest() override { std::filesystem::remove_all(root); }
    std::filesystem::path root;
};

TEST_F(PosixDirectoryTest, MakesTheFolderAndLocksIt) {
    const std::string path = root / "a" / "b";
    PosixDirectory directory(path);
    EXPECT_TRUE(directory.lock().has_value());
    PosixDirectory second(path);
    const auto refused = second.lock();
    ASSERT_FALSE(refused.has_value());
    EXPECT_EQ(refused.error(), FileError::kLocked);
}

TEST_F(PosixDirectoryTest, ListsItsFilesAndNoOthers) {
    PosixDirectory directory(root);
    ASSERT_TRUE(directory.lock().has_value());
    for (const storage::FileNumber number : {12U, 3U, 123456789U})
        EXPECT_TRUE(directory.create(number, 0).has_value());
    for (const char *name : {"notes.txt", "00000004.log~", "4.log", "0000000x.log", ".log"})
        std::ofstream(root / name) << "x";
    EXPECT_EQ(directory.list().value(), (std::vector<storage::FileNumber>{3, 12, 123456789}));
    EXPECT_FALSE(directory.create(12, 0).has_value());
    EXPECT_TRUE(directory.remove(12).has_value());
    EXPECT_EQ(directory.list().value(), (std::vector<storage::FileNumber>{3, 123456789}));
}

TEST_F(PosixDirectoryTest, WritesManyPiecesInOrder) {
    PosixDirectory directory(root);
    ASSERT_TRUE(directory.lock().has_value());
    ASSERT_TRUE(directory.create(1, 1 << 20).has_value());
    Bytes all(9000);
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<std::uint8_t>(i * 7);
    std::vector<ByteView> pieces;
    for (std::size_t i = 0; i < all.size(); i += 3) pieces.push_back(ByteView(all).subspan(i, 3));
    ASSERT_TRUE(directory.write(1, 100, pieces).has_value());
    ASSERT_TRUE(directory.truncate(1, 100 + all.size()).has_value());
    EXPECT_EQ(directory.size(1).value(), 100 + all.size());
    Bytes back(all.size() + 50);
    EXPECT_EQ(directory.read(1, 100, back).value(), all.size());
    back.resize(all.size());
    EXPECT_EQ(back, all);
}

TEST_F(PosixDirectoryTest, ServesMoreFilesThanItKeepsOpen) {
    PosixDirectory directory(root);
    ASSERT_TRUE(directory.lock().has_value());
    const Bytes octet{1};
    const std::array<ByteView, 1> pieces{ByteView(octet)};
    for (storage::FileNumber number = 1; number <= 300; ++number) {
        ASSERT_TRUE(directory.create(number, 0).has_value());
        ASSERT_TRUE(directory.write(number, number, pieces).has_value());
        directory.close_for_writing(number);
    }
    for (storage::FileNumber number = 1; number <= 300; ++number)
        EXPECT_EQ(directory.size(number).value(), number + 1U);
}

/// A limit of the process stands in for a full disk: the kernel refuses in the same way.
TEST_F(PosixDirectoryTest, ALogWithoutSpaceRefusesAndRecovers) {
    ::signal(SIGXFSZ, SIG_IGN);
    rlimit before{};
    ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
    PosixDirectory directory(root);
    LogDriver log(directory, log_options(1 << 20));
    ASSERT_TRUE(log.opened.has_value());
    EXPECT_EQ(log.append({1}), DiskStatus::kOk);
    const rlimit tight{4096 + 400, before.rlim_max};
    ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &tight), 0);
    EXPECT_EQ(log.append({2, 3, 4, 5, 6}), DiskStatus::kNoSpace);
    EXPECT_EQ(log.append({7}), DiskStatus::kOk);
    ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &before), 0);
    EXPECT_EQ(log.append({2, 3, 4, 5, 6}), DiskStatus::kOk);
    EXPECT_EQ(log.sync(), DiskStatus::kOk);
    EXPECT_EQ(log.read(), contents_of({1, 2, 3, 4, 5, 6, 7}));
}

}  // namespace
}  // namespace farlink::testing
