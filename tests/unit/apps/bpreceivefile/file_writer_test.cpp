// SPDX-License-Identifier: Apache-2.0
#include "apps/bpreceivefile/file_writer.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <utility>

#include "tests/support/temp_folder.hpp"

namespace farlink::bpreceivefile::file_writer_test {
namespace {

namespace fs = std::filesystem;

std::string content_of(const fs::path &path) {
    std::ifstream input(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(input), {}};
}

files::Digest digest_of(std::string_view text) {
    files::Sha256 sha;
    sha.update(as_bytes(text));
    return sha.finish();
}

class FileWriterTest : public testing::Test {
protected:
    FileWriterTest() { open(); }

    void open(const WriterOptions &options = {}) {
        writer_.reset();
        auto opened = FileWriter::open(folder_ / "target", options);
        ASSERT_TRUE(opened.has_value()) << opened.error();
        writer_.emplace(std::move(*opened));
    }
    void give(ByteView adu) { ASSERT_EQ(writer_->take(adu), Step::kDone) << writer_->trouble(); }
    void give_piece(std::string_view name, std::string_view whole, std::size_t offset,
                    std::size_t size, bool digest, std::uint8_t transfer = 1) {
        files::Piece piece;
        piece.transfer.fill(transfer);
        piece.name = name;
        piece.attributes = {0600, 1000, 7};
        piece.size = whole.size();
        piece.offset = offset;
        piece.data = as_bytes(whole.substr(offset, size));
        if (digest) piece.digest = digest_of(whole);
        Bytes adu;
        files::append_piece_head(adu, piece);
        append(adu, piece.data);
        give(adu);
    }
    void give_file(std::string_view name, std::string_view text) {
        Bytes adu;
        files::begin_entries(adu);
        files::append_entry(adu, {.name = name,
                                  .attributes = {0640, 1000, 7},
                                  .digest = digest_of(text),
                                  .data = as_bytes(text)});
        give(adu);
    }
    std::vector<Event> commit() {
        EXPECT_EQ(writer_->commit(), Step::kDone) << writer_->trouble();
        return writer_->take_events();
    }
    [[nodiscard]] fs::path path_of(std::string_view name) const {
        return fs::path(folder_ / "target") / name;
    }
    [[nodiscard]] unsigned permissions_of(std::string_view name) const {
        struct stat status{};
        EXPECT_EQ(::stat(path_of(name).c_str(), &status), 0);
        return status.st_mode & 07777U;
    }
    /// What is not complete.
    [[nodiscard]] std::size_t parts() const {
        std::size_t count = 0;
        for (const auto &entry : fs::recursive_directory_iterator(path_of(".bpreceivefile")))
            if (entry.path().filename() != "done" && !entry.is_directory()) ++count;
        return count;
    }

    test::TempFolder folder_;
    std::optional<FileWriter> writer_;
};

TEST_F(FileWriterTest, AFileHasItsNameOnceItIsWhole) {
    const std::string text(1000, 'x');
    give_piece("in/x", text, 600, 400, true);
    EXPECT_TRUE(commit().empty());
    EXPECT_FALSE(fs::exists(path_of("in")));
    EXPECT_EQ(writer_->open_files(), 1U);
    give_piece("in/x", text, 0, 600, false);
    const auto events = commit();
    ASSERT_EQ(events.size(), 1U);
    EXPECT_EQ(events[0].placed.fate, Fate::kWritten);
    EXPECT_EQ(content_of(path_of("in/x")), text);
    struct stat status{};
    ASSERT_EQ(::stat(path_of("in/x").c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 07777U, 0600U);
    EXPECT_EQ(status.st_mtim.tv_sec, 1000);
    EXPECT_EQ(status.st_mtim.tv_nsec, 7);
    EXPECT_EQ(parts(), 0U);
}

TEST_F(FileWriterTest, ARestartContinues) {
    const std::string text(1000, 'x');
    give_piece("x", text, 0, 600, false);
    give_piece("small", text, 0, 1000, true, 2);
    EXPECT_EQ(commit().size(), 1U);
    give_piece("x", text, 600, 100, false);  // not durable
    open();
    EXPECT_EQ(writer_->open_files(), 1U);
    give_piece("x", text, 600, 400, true);
    give_piece("small", text, 0, 1000, true, 2);
    EXPECT_EQ(commit().size(), 1U);
    EXPECT_EQ(writer_->repeated(), 1U);
    EXPECT_EQ(content_of(path_of("x")), text);
    EXPECT_EQ(parts(), 0U);
}

TEST_F(FileWriterTest, ARestartBeforeTheCommitLosesNothing) {
    give_file("a", "one");
    give_piece("x", "abc", 0, 3, true);
    open();
    EXPECT_EQ(parts(), 0U);  // nothing of these was accepted
    EXPECT_TRUE(commit().empty());
    give_file("a", "one");
    give_piece("x", "abc", 0, 3, true);
    EXPECT_EQ(commit().size(), 2U);
    EXPECT_EQ(content_of(path_of("a")), "one");
    EXPECT_EQ(content_of(path_of("x")), "abc");
}

TEST_F(FileWriterTest, AWrongDigestLeavesNothing) {
    files::Piece piece;
    piece.name = "x";
    piece.size = 3;
    piece.data = as_bytes("abc");
    piece.digest = digest_of("abd");
    Bytes adu;
    files::append_piece_head(adu, piece);
    append(adu, piece.data);
    give(adu);
    const auto events = commit();
    ASSERT_EQ(events.size(), 1U);
    EXPECT_EQ(events[0].kind, Event::Kind::kRefused);
    EXPECT_FALSE(fs::exists(path_of("x")));
    EXPECT_EQ(parts(), 0U);
    give(adu);
    EXPECT_TRUE(commit().empty());
    EXPECT_EQ(writer_->repeated(), 1U);
}

TEST_F(FileWriterTest, WhatIsThereIsNotWrittenAgain) {
    const std::string text = "0123456789";
    give_piece("x", text, 0, 5, false);
    give_piece("x", "9999999999", 3, 4, false);
    give_piece("x", text, 7, 3, true);
    EXPECT_EQ(commit()[0].kind, Event::Kind::kRefused);  // octets 5 and 6 were the wrong ones
}

TEST_F(FileWriterTest, NamesThatAreTaken) {
    give_file("x", "old");
    EXPECT_EQ(commit()[0].placed.fate, Fate::kWritten);
    give_file("x", "old");
    EXPECT_EQ(commit()[0].placed.fate, Fate::kSame);
    give_file("x", "new");
    EXPECT_EQ(commit()[0].placed.fate, Fate::kKeptOther);
    open({.existing = Existing::kRename});
    give_file("x", "new");
    give_file("x", "newer");
    const auto events = commit();
    EXPECT_EQ(events[0].placed.name, "x (2)");
    EXPECT_EQ(events[1].placed.name, "x (3)");
    give_file("x", "newer");
    EXPECT_EQ(commit()[0].placed.name, "x (3)");
    open({.existing = Existing::kReplace});
    give_file("x", "newest");
    EXPECT_EQ(commit()[0].placed.fate, Fate::kReplaced);
    EXPECT_EQ(content_of(path_of("x")), "newest");
    give_file("x (2)/y", "beneath a file");
    EXPECT_EQ(commit()[0].kind, Event::Kind::kRefused);
    fs::create_directory(path_of("folder"));
    give_file("folder", "over a folder");
    EXPECT_EQ(commit()[0].kind, Event::Kind::kRefused);
    EXPECT_EQ(parts(), 0U);
}

TEST_F(FileWriterTest, TheMaskAppliesOnlyToFoldersThatAreNotSent) {
    const mode_t before = ::umask(027);
    Bytes adu;
    files::begin_entries(adu);
    for (const auto &[name, mode] : {std::pair{"sent", 0777U}, std::pair{"above/sent", 0577U}})
        files::append_entry(adu, {.name = name, .attributes = {.mode = mode}, .folder = true});
    give(adu);
    EXPECT_EQ(commit().size(), 2U);
    ::umask(before);
    EXPECT_EQ(permissions_of("sent"), 0777U);
    EXPECT_EQ(permissions_of("above/sent"), 0777U);
    EXPECT_EQ(permissions_of("above"), 0750U);
}

TEST_F(FileWriterTest, ManyFilesTogether) {
    for (int number = 0; number < 500; ++number)
        give_file("f" + std::to_string(number % 300) + "/x" + std::to_string(number), "text");
    EXPECT_EQ(commit().size(), 500U);
    EXPECT_EQ(content_of(path_of("f299/x299")), "text");
}

TEST_F(FileWriterTest, AGroupGetsItsNamesWhileTheNextOneIsWritten) {
    Bytes folder;
    files::begin_entries(folder);
    files::append_entry(folder, {.name = "made", .attributes = {.mode = 0750}, .folder = true});
    give(folder);
    for (int number = 0; number < 100; ++number) give_file("a" + std::to_string(number), "text");
    if (!writer_->start_commit()) GTEST_SKIP() << "this file system is not synced as a whole";
    for (int number = 0; number < 100; ++number)
        give_file("a" + std::to_string(number), number == 7 ? "other" : "text");
    EXPECT_EQ(writer_->end_commit(), Step::kDone);
    EXPECT_FALSE(writer_->is_committed());
    const auto first = writer_->take_events();
    ASSERT_EQ(first.size(), 101U);
    EXPECT_EQ(first[0].kind, Event::Kind::kFolder);
    for (std::size_t at = 1; at < first.size(); ++at)
        EXPECT_EQ(first[at].placed.fate, Fate::kWritten);
    EXPECT_EQ(content_of(path_of("a99")), "text");
    EXPECT_EQ(parts(), 100U);
    ASSERT_TRUE(writer_->start_commit());
    EXPECT_EQ(writer_->end_commit(), Step::kDone);
    const auto second = writer_->take_events();
    ASSERT_EQ(second.size(), 100U);
    EXPECT_EQ(second[6].placed.fate, Fate::kSame);
    EXPECT_EQ(second[7].placed.fate, Fate::kKeptOther);
    EXPECT_EQ(parts(), 0U);
}

TEST_F(FileWriterTest, AGroupThatFailsIsLeftToCommit) {
    for (int number = 0; number < 20; ++number) give_file("a" + std::to_string(number), "text");
    // What was written is gone.
    for (const auto &entry : fs::recursive_directory_iterator(path_of(".bpreceivefile")))
        if (entry.path().filename() == "10") fs::remove(entry.path());
    if (!writer_->start_commit()) GTEST_SKIP() << "this file system is not synced as a whole";
    EXPECT_EQ(writer_->end_commit(), Step::kFailed);
    EXPECT_EQ(writer_->take_events().size(), 10U);
    EXPECT_FALSE(writer_->trouble().empty());
    EXPECT_EQ(writer_->commit(), Step::kFailed);
}

TEST_F(FileWriterTest, FewFilesAndPiecesAreCommittedAtOnce) {
    give_file("a", "text");
    EXPECT_FALSE(writer_->start_commit());
    for (int number = 0; number < 20; ++number) give_file("b" + std::to_string(number), "text");
    give_piece("x", "abc", 0, 1, false);
    EXPECT_FALSE(writer_->start_commit());
    EXPECT_EQ(commit().size(), 21U);
    EXPECT_EQ(writer_->end_commit(), Step::kDone);
}

TEST_F(FileWriterTest, AGroupIsBroughtToItsEnd) {
    for (int number = 0; number < 20; ++number) give_file("a" + std::to_string(number), "text");
    if (!writer_->start_commit()) GTEST_SKIP() << "this file system is not synced as a whole";
    open();
    EXPECT_EQ(content_of(path_of("a19")), "text");
    EXPECT_EQ(parts(), 0U);
}

TEST_F(FileWriterTest, ItsThreadTakesNoSignals) {
    // As a program does that awaits them, after the writer has been opened.
    sigset_t signals;
    sigset_t before;
    ::sigemptyset(&signals);
    ::sigaddset(&signals, SIGTERM);
    ASSERT_EQ(::pthread_sigmask(SIG_BLOCK, &signals, &before), 0);
    ASSERT_EQ(::kill(::getpid(), SIGTERM), 0);
    const timespec limit{5, 0};
    EXPECT_EQ(::sigtimedwait(&signals, nullptr, &limit), SIGTERM);
    EXPECT_EQ(::pthread_sigmask(SIG_SETMASK, &before, nullptr), 0);
}

TEST_F(FileWriterTest, LimitsOfWhatIsNotComplete) {
    open({.most_open = 1, .most_open_bytes = 5, .longest_age = std::chrono::seconds(0)});
    give_piece("x", "0123456789", 0, 3, false);
    give_piece("y", "0123456789", 0, 3, false, 2);
    give_piece("x", "0123456789", 3, 3, false);
    EXPECT_EQ(commit().size(), 2U);
    EXPECT_EQ(writer_->open_files(), 1U);
}

TEST_F(FileWriterTest, OneWriterForAFolder) {
    EXPECT_FALSE(FileWriter::open(folder_ / "target", {}).has_value());
}

}  // namespace
}  // namespace farlink::bpreceivefile::file_writer_test
