// SPDX-License-Identifier: Apache-2.0
#include "cfdp/disk/state_journal.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <filesystem>
#include <fstream>

#include "tests/support/temp_folder.hpp"

namespace farlink::cfdp::state_journal_test {
namespace {

namespace fs = std::filesystem;
using Kind = StateJournal::Kind;

class CfdpStateJournal : public ::testing::Test {
protected:
    CfdpStateJournal() : folder(::open(temporary.path().c_str(), O_RDONLY | O_DIRECTORY)) {
        open();
        EXPECT_EQ(journal->rewrite(), 0);
    }
    void open() {
        journal.reset();
        journal.emplace(*StateJournal::open(folder.get()));
    }
    std::string text(Kind kind, const TransactionId &id) {
        const Bytes content = journal->read(journal->places(kind).at(id));
        return std::string(as_text(content));
    }
    [[nodiscard]] fs::path path() const { return temporary.path() / "journal"; }
    [[nodiscard]] ino_t inode() const {
        struct stat status{};
        EXPECT_EQ(::stat(path().c_str(), &status), 0);
        return status.st_ino;
    }

    const test::TempFolder temporary;
    FileDescriptor folder;
    std::optional<StateJournal> journal;
};

TEST_F(CfdpStateJournal, TheLatestRecordsOutliveTheProcess) {
    ASSERT_EQ(journal->save(Kind::kPut, {1, 1}, as_bytes("one")), 0);
    ASSERT_EQ(journal->save(Kind::kState, {2, 1}, as_bytes("first")), 0);
    ASSERT_EQ(journal->save(Kind::kState, {2, 1}, as_bytes("second")), 0);
    ASSERT_EQ(journal->save(Kind::kState, {2, 2}, as_bytes("gone")), 0);
    journal->add_end({2, 2}, true);
    ASSERT_EQ(journal->end_all(), 0);
    for (int run = 0; run < 2; ++run) {
        EXPECT_EQ(text(Kind::kPut, {1, 1}), "one");
        EXPECT_EQ(text(Kind::kState, {2, 1}), "second");
        EXPECT_EQ(journal->places(Kind::kState).size(), 1U);
        EXPECT_TRUE(journal->delivered().contains({2, 2}));
        EXPECT_FALSE(journal->delivered().contains({2, 1}));
        open();
        ASSERT_EQ(run == 0 ? journal->rewrite() : 0, 0);
    }
}

TEST_F(CfdpStateJournal, ATornEndIsLeftOutAndWrittenOver) {
    ASSERT_EQ(journal->save(Kind::kPut, {1, 1}, as_bytes("one")), 0);
    const auto whole = fs::file_size(path());
    ASSERT_EQ(journal->save(Kind::kPut, {1, 2}, as_bytes("two")), 0);
    fs::resize_file(path(), fs::file_size(path()) - 1);
    open();
    EXPECT_EQ(journal->places(Kind::kPut).size(), 1U);
    ASSERT_EQ(journal->save(Kind::kPut, {1, 3}, as_bytes("three")), 0);
    EXPECT_GT(fs::file_size(path()), whole);
    open();
    EXPECT_EQ(journal->places(Kind::kPut).size(), 2U);
    EXPECT_EQ(text(Kind::kPut, {1, 3}), "three");
}

TEST_F(CfdpStateJournal, ALongOneIsWrittenAnewWithoutWhatHasEnded) {
    const Bytes content(100'000, 7);
    ASSERT_EQ(journal->save(Kind::kPut, {1, 1}, as_bytes("kept")), 0);
    std::uint64_t sequence = 2;
    for (; fs::file_size(path()) <= StateJournal::kLongJournal; ++sequence) {
        ASSERT_EQ(journal->save(Kind::kState, {2, sequence}, content), 0);
        journal->add_end({2, sequence}, true);
        ASSERT_EQ(journal->end_all(), 0);
    }
    ASSERT_EQ(journal->rewrite_if_long(), 0);
    EXPECT_LT(fs::file_size(path()), 1'000U);
    EXPECT_EQ(text(Kind::kPut, {1, 1}), "kept");
    open();
    EXPECT_EQ(text(Kind::kPut, {1, 1}), "kept");
    EXPECT_TRUE(journal->delivered().contains({2, 2}));
    EXPECT_TRUE(journal->delivered().contains({2, sequence - 1}));
}

TEST_F(CfdpStateJournal, ALongOneOfWhatIsUnderWayStays) {
    const Bytes content(100'000, 7);
    for (std::uint64_t sequence = 1; fs::file_size(path()) <= StateJournal::kLongJournal;
         ++sequence)
        ASSERT_EQ(journal->save(Kind::kState, {2, sequence}, content), 0);
    const auto before = fs::file_size(path());
    ASSERT_EQ(journal->rewrite_if_long(), 0);
    EXPECT_EQ(fs::file_size(path()), before);
    // A flush that runs elsewhere keeps the file that it has.
    const FileDescriptor file = journal->file();
    EXPECT_TRUE(file);
    ASSERT_EQ(journal->rewrite(), 0);
    EXPECT_EQ(::fsync(file.get()), 0);
}

TEST_F(CfdpStateJournal, LongNumbersAreNotWrittenAnewWithEachEnd) {
    // A source that sends to others as well: each of its numbers is an extent.
    constexpr EntityId kSources = 8;
    for (EntityId source = 1; source <= kSources; ++source)
        for (std::uint64_t number = 0; number < EndedNumbers::kMostExtents; ++number)
            journal->add_delivered(source, {2 * number, 2 * number + 1});
    ASSERT_EQ(journal->end_all(), 0);
    ASSERT_EQ(journal->rewrite(), 0);
    ASSERT_GT(fs::file_size(path()), StateJournal::kLongJournal);
    const ino_t before = inode();
    journal->add_end({kSources + 1, 1}, true);
    ASSERT_EQ(journal->end_all(), 0);
    ASSERT_EQ(journal->rewrite_if_long(), 0);
    EXPECT_EQ(inode(), before);
}

TEST_F(CfdpStateJournal, WhereItCannotBeWrittenAnewItGoesOn) {
    ASSERT_EQ(journal->save(Kind::kPut, {1, 1}, as_bytes("one")), 0);
    const auto whole = fs::file_size(path());
    std::ofstream(path(), std::ios::app) << "torn";
    fs::create_directory(temporary.path() / "new-journal");
    open();
    EXPECT_NE(journal->rewrite(), 0);
    ASSERT_EQ(journal->begin(), 0);
    EXPECT_EQ(fs::file_size(path()), whole);
    ASSERT_EQ(journal->save(Kind::kPut, {1, 2}, as_bytes("two")), 0);
    open();
    EXPECT_EQ(text(Kind::kPut, {1, 1}), "one");
    EXPECT_EQ(text(Kind::kPut, {1, 2}), "two");
    fs::remove(path());
    open();
    EXPECT_NE(journal->begin(), 0);
}

TEST_F(CfdpStateJournal, WhatIsWrittenInPartIsCutOff) {
    ASSERT_EQ(journal->save(Kind::kPut, {1, 1}, as_bytes("one")), 0);
    const auto whole = fs::file_size(path());
    rlimit before{};
    ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
    const auto handler = std::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{whole + 500, before.rlim_max};
    ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &limit), 0);
    const int error = journal->save(Kind::kState, {2, 1}, Bytes(1'000));
    EXPECT_EQ(::setrlimit(RLIMIT_FSIZE, &before), 0);
    std::signal(SIGXFSZ, handler);
    EXPECT_EQ(error, EFBIG);
    EXPECT_EQ(fs::file_size(path()), whole);
    EXPECT_TRUE(journal->places(Kind::kState).empty());
}

TEST_F(CfdpStateJournal, AnotherFileIsNoJournal) {
    std::ofstream(path()) << "something else";
    const auto opened = StateJournal::open(folder.get());
    ASSERT_FALSE(opened);
    EXPECT_EQ(opened.error(), ENOTSUP);
}

}  // namespace
}  // namespace farlink::cfdp::state_journal_test
