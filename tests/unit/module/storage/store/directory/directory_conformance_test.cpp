// SPDX-License-Identifier: Apache-2.0
// What a log may rely on, the same for both ways to reach a file system.
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <thread>

#include "module/storage/store/directory/uring_directory.hpp"
#include "tests/support/temp_folder.hpp"
#include "tests/unit/module/storage/store/log/log_fixture.hpp"

namespace farlink::test::directory_conformance_test {
namespace {

using storage::FileError;
using storage::LogDirectory;

struct Backend {
    const char *name;
    std::unique_ptr<LogDirectory> (*make)(const std::string &path);
};

std::unique_ptr<LogDirectory> make_posix(const std::string &path) {
    return std::make_unique<storage::PosixDirectory>(path);
}
std::unique_ptr<LogDirectory> make_uring(const std::string &path) {
    return storage::UringDirectory::make(path);
}

class DirectoryConformance : public ::testing::TestWithParam<Backend> {
protected:
    void SetUp() override {
        directory = GetParam().make(root);
        if (directory == nullptr) GTEST_SKIP() << "this kernel refuses it";
        ASSERT_TRUE(directory->lock().has_value());
    }
    void make_file(FileNumber file, std::uint64_t expected_bytes) {
        ASSERT_TRUE(directory->create(file, expected_bytes).has_value());
        ASSERT_TRUE(directory->publish(file, 0).has_value());
    }
    void write(FileNumber file, std::uint64_t offset, ByteView octets) {
        const std::array<ByteView, 1> pieces{octets};
        ASSERT_TRUE(directory->write(file, offset, pieces).has_value());
    }
    void sync(FileNumber file) {
        directory->start_sync(file);
        for (;;) {
            if (const auto done = directory->poll_sync()) {
                ASSERT_TRUE(done->has_value());
                return;
            }
            directory->wait();
        }
    }
    Bytes read(FileNumber file, std::uint64_t offset, std::size_t size) {
        Bytes out(size);
        out.resize(directory->read(file, offset, out).value_or(0));
        return out;
    }
    storage::ReadDone wait_for_read() {
        for (;;) {
            if (const auto done = directory->poll_read()) return *done;
            directory->wait();
        }
    }

    /// Not beneath the folder of temporary files: that may be in memory, where nothing is read
    /// directly.
    test::TempFolder folder{std::filesystem::current_path()};
    const std::filesystem::path root = folder.path();
    std::unique_ptr<LogDirectory> directory;
};

INSTANTIATE_TEST_SUITE_P(Both, DirectoryConformance,
                         ::testing::Values(Backend{"Posix", make_posix},
                                           Backend{"Uring", make_uring}),
                         [](const auto &backend) { return backend.param.name; });

Bytes pattern(std::size_t size, std::uint64_t seed = 7) {
    Bytes octets(size);
    for (std::size_t i = 0; i < size; ++i)
        octets[i] = static_cast<std::uint8_t>(i * seed + i / 251);
    return octets;
}

TEST_P(DirectoryConformance, MakesTheFolderAndLocksIt) {
    const std::string path = root / "a" / "b";
    const auto first = GetParam().make(path);
    EXPECT_TRUE(first->lock().has_value());
    const auto refused = GetParam().make(path)->lock();
    ASSERT_FALSE(refused.has_value());
    EXPECT_EQ(refused.error(), FileError::kLocked);
}

TEST_P(DirectoryConformance, KeepsTheNumberThatItGotFirst) {
    EXPECT_EQ(directory->identify(0), 0U) << "it has none yet";
    EXPECT_EQ(directory->identify(4711), 4711U);
    EXPECT_EQ(directory->identify(4712), 4711U);
    directory.reset();
    directory = GetParam().make(root);
    ASSERT_TRUE(directory->lock().has_value());
    EXPECT_EQ(directory->identify(0), 4711U);
    // What cannot be trusted counts as none.
    std::filesystem::resize_file(std::filesystem::path(root) / "lock", 7);
    EXPECT_EQ(directory->identify(0), 0U);
    EXPECT_EQ(directory->identify(4713), 4713U);
}

TEST_P(DirectoryConformance, ListsItsFilesAndNoOthers) {
    for (const FileNumber number : {12U, 3U, 123456789U}) {
        make_file(number, 0);
        directory->close_for_writing(number);
    }
    EXPECT_TRUE(directory->write_index(3, pattern(5)).has_value());
    for (const char *name : {"notes.txt", "00000004.log~", "4.log", "0000000x.log", ".log"})
        std::ofstream(root / name) << "x";
    EXPECT_EQ(directory->list().value(), (std::vector<FileNumber>{3, 12, 123456789}));
    EXPECT_EQ(directory->list_indexes().value(), (std::vector<FileNumber>{3}));
    EXPECT_FALSE(directory->create(12, 0).has_value());
    EXPECT_TRUE(directory->remove(12).has_value());
    EXPECT_TRUE(directory->remove(3).has_value());
    EXPECT_EQ(directory->list().value(), (std::vector<FileNumber>{123456789}));
    EXPECT_TRUE(directory->list_indexes().value().empty());
}

TEST_P(DirectoryConformance, AFileIsListedWhenItIsPublished) {
    const Bytes head = pattern(4096);
    const Bytes rest = pattern(9000, 3);
    ASSERT_TRUE(directory->create(1, 1 << 20).has_value());
    write(1, 0, head);
    EXPECT_TRUE(directory->list().value().empty());
    ASSERT_TRUE(directory->publish(1, head.size()).has_value());
    EXPECT_EQ(directory->list().value(), (std::vector<FileNumber>{1}));
    write(1, head.size(), rest);
    sync(1);
    EXPECT_EQ(read(1, 0, head.size()), head);
    EXPECT_EQ(read(1, head.size(), rest.size()), rest);
}

TEST_P(DirectoryConformance, WhatWasNotPublishedIsRemoved) {
    const auto files = [this] {
        std::set<std::string> names;
        for (const auto &entry : std::filesystem::directory_iterator(root))
            names.insert(entry.path().filename());
        return names;
    };
    ASSERT_TRUE(directory->create(1, 1 << 20).has_value());
    EXPECT_TRUE(directory->remove(1).has_value());
    EXPECT_EQ(files(), (std::set<std::string>{"lock"})) << "by itself";
    ASSERT_TRUE(directory->create(2, 1 << 20).has_value());
    directory.reset();
    EXPECT_EQ(files().size(), 2U);
    directory = GetParam().make(root);
    ASSERT_TRUE(directory->lock().has_value());
    EXPECT_EQ(files(), (std::set<std::string>{"lock"})) << "at the next start";
    make_file(2, 1 << 20);
}

TEST_P(DirectoryConformance, KnowsWhetherTheSystemHasEndedSinceAFileWasMade) {
    const std::string lock = root / "lock";
    EXPECT_EQ(directory->identify(4711), 4711U);
    EXPECT_TRUE(directory->rebooted()) << "not known";
    make_file(1, 0);
    EXPECT_FALSE(directory->rebooted());
    directory.reset();
    {
        std::fstream file(lock, std::ios::in | std::ios::out | std::ios::binary);
        file.seekp(12);
        file.put('?');
    }
    directory = GetParam().make(root);
    ASSERT_TRUE(directory->lock().has_value());
    EXPECT_TRUE(directory->rebooted()) << "another boot";
    make_file(2, 0);
    EXPECT_FALSE(directory->rebooted());
    EXPECT_EQ(directory->identify(0), 4711U) << "the number of the disk stays";
}

TEST_P(DirectoryConformance, AFileHasItsReservedRoomFromTheStart) {
    make_file(1, 1 << 20);
    EXPECT_EQ(directory->reserves(), directory->size(1).value() >= 1 << 20);
}

TEST_P(DirectoryConformance, KeepsAnIndexBesideAFile) {
    EXPECT_TRUE(directory->read_index(1).value().empty());
    EXPECT_TRUE(directory->write_index(1, pattern(100'000)).has_value());
    EXPECT_TRUE(directory->write_index(1, pattern(3000, 3)).has_value());
    EXPECT_EQ(directory->read_index(1).value(), pattern(3000, 3));
}

TEST_P(DirectoryConformance, WritesManyPiecesInOrder) {
    make_file(1, 1 << 20);
    const Bytes all = pattern(9000);
    std::vector<ByteView> pieces;
    for (std::size_t i = 0; i < all.size(); i += 3) pieces.push_back(ByteView(all).subspan(i, 3));
    ASSERT_TRUE(directory->write(1, 100, pieces).has_value());
    ASSERT_TRUE(directory->truncate(1, 100 + all.size()).has_value());
    EXPECT_EQ(directory->size(1).value(), 100 + all.size());
    EXPECT_EQ(read(1, 100, all.size() + 50), all);
}

/// In steps of every size, flushed now and then; the room is more than one gathers at a time.
TEST_P(DirectoryConformance, WhatIsWrittenAndFlushedPieceByPieceIsThere) {
    constexpr std::size_t kTotal = 12 * 1024 * 1024;
    const Bytes all = pattern(kTotal);
    make_file(1, kTotal);
    Random random(5);
    std::size_t done = 0;
    while (done < kTotal) {
        const std::size_t size = std::min<std::size_t>(
            random.below(std::uint64_t{1} << random.below(21)), kTotal - done);
        write(1, done, ByteView(all).subspan(done, size));
        done += size;
        if (random.chance(1, 5)) sync(1);
        if (random.chance(1, 50)) {
            EXPECT_EQ(read(1, done - size, size),
                      Bytes(all.begin() + static_cast<long>(done - size),
                            all.begin() + static_cast<long>(done)));
        }
    }
    ASSERT_TRUE(directory->truncate(1, kTotal).has_value());
    ASSERT_TRUE(directory->sync(1).has_value());
    directory->close_for_writing(1);
    EXPECT_EQ(directory->size(1).value(), kTotal);
    EXPECT_TRUE(read(1, 0, kTotal + 1) == all);
}

TEST_P(DirectoryConformance, WritesGoOnWhileAFlushDoes) {
    const Bytes all = pattern(3 * 1024 * 1024 + 77);
    make_file(1, all.size());
    const ByteView view(all);
    write(1, 0, view.first(1000));
    directory->start_sync(1);
    write(1, 1000, view.subspan(1000));
    for (;;) {
        if (const auto done = directory->poll_sync()) {
            EXPECT_TRUE(done->has_value());
            break;
        }
        directory->wait();
    }
    EXPECT_FALSE(directory->poll_sync().has_value());
    sync(1);
    EXPECT_TRUE(read(1, 0, all.size()) == all);
}

TEST_P(DirectoryConformance, ServesManyReadsAtOnce) {
    const Bytes all = pattern(5 * 1024 * 1024 + 1234);
    make_file(1, all.size());
    write(1, 0, all);
    ASSERT_TRUE(directory->truncate(1, all.size()).has_value());
    ASSERT_TRUE(directory->sync(1).has_value());
    directory->close_for_writing(1);
    Random random(3);
    std::vector<std::pair<std::size_t, Bytes>> reads;
    for (std::uint64_t tag = 0; tag < 60; ++tag) {
        const std::size_t size = random.below(std::uint64_t{1} << random.below(23));
        reads.emplace_back(random.below(all.size() + 100), Bytes(size));
    }
    for (std::uint64_t tag = 0; tag < reads.size(); ++tag)
        directory->start_read(1, reads[tag].first, reads[tag].second, tag);
    std::set<std::uint64_t> seen;
    while (seen.size() < reads.size()) {
        const storage::ReadDone done = wait_for_read();
        EXPECT_TRUE(seen.insert(done.tag).second);
        const auto &[offset, octets] = reads.at(done.tag);
        const std::size_t there = offset < all.size() ? all.size() - offset : 0;
        const std::size_t expected = std::min(octets.size(), there);
        ASSERT_EQ(done.result.value(), expected);
        if (expected == 0) continue;
        EXPECT_EQ(std::memcmp(octets.data(), &all[offset], expected), 0) << done.tag;
    }
}

TEST_P(DirectoryConformance, WhatIsNotThereIsAnError) {
    Bytes out(10);
    directory->start_read(5, 0, out, 44);
    const storage::ReadDone done = wait_for_read();
    EXPECT_EQ(done.tag, 44U);
    EXPECT_FALSE(done.result.has_value());
    EXPECT_FALSE(directory->read(5, 0, out).has_value());
    EXPECT_FALSE(directory->size(5).has_value());
    EXPECT_TRUE(directory->remove(5).has_value());
}

TEST_P(DirectoryConformance, AnotherThreadEndsItsWaiting) {
    directory->wake();
    directory->wait();
    std::thread other([this] { directory->wake(); });
    directory->wait();
    other.join();
}

TEST_P(DirectoryConformance, ServesMoreFilesThanItKeepsOpen) {
    const Bytes octet{1};
    for (FileNumber number = 1; number <= 300; ++number) {
        make_file(number, 0);
        write(number, number, octet);
        directory->close_for_writing(number);
    }
    for (FileNumber number = 1; number <= 300; ++number) {
        EXPECT_EQ(directory->size(number).value(), number + 1U);
        Bytes out(1);
        directory->start_read(number, number, out, number);
        EXPECT_EQ(wait_for_read().result.value(), 1U);
        EXPECT_EQ(out, octet);
    }
}

/// A limit of the process stands in for a full disk: the kernel refuses in the same way.
TEST_P(DirectoryConformance, ALogWithoutSpaceRefusesAndRecovers) {
    ::signal(SIGXFSZ, SIG_IGN);
    rlimit before{};
    ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
    const auto fresh = GetParam().make(root / "log");
    LogDriver log(*fresh, log_options(1 << 20));
    ASSERT_TRUE(log.opened.has_value());
    const rlimit tight{4096 + 400, before.rlim_max};
    ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &tight), 0);
    EXPECT_EQ(log.append({1}), DiskStatus::kOk);
    EXPECT_EQ(log.append({2, 3, 4, 5, 6}), DiskStatus::kNoSpace);
    EXPECT_EQ(log.append({7}), DiskStatus::kOk);
    ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &before), 0);
    EXPECT_EQ(log.append({2, 3, 4, 5, 6}), DiskStatus::kOk);
    EXPECT_EQ(log.sync(), DiskStatus::kOk);
    EXPECT_EQ(log.read(), contents_of({1, 2, 3, 4, 5, 6, 7}));
}

/// Every flush of a file with a failed write fails.
TEST_P(DirectoryConformance, AFailedWriteIsReportedByTheFlush) {
    ::signal(SIGXFSZ, SIG_IGN);
    rlimit before{};
    ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
    const auto fresh = GetParam().make(root / "log");
    LogDriver log(*fresh, log_options(1 << 20));
    EXPECT_EQ(log.append({1}), DiskStatus::kOk);
    EXPECT_EQ(log.sync(), DiskStatus::kOk);
    const rlimit tight{4096, before.rlim_max};
    ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &tight), 0);
    const bool refused = log.append({2}) != DiskStatus::kOk;
    EXPECT_TRUE(log.sync() != DiskStatus::kOk || refused);
    ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &before), 0);
    EXPECT_EQ(log.append({3}), DiskStatus::kOk);
    EXPECT_EQ(log.sync(), DiskStatus::kOk);
    const Contents found = log.read();
    EXPECT_TRUE(found.contains(1));
    EXPECT_TRUE(found.contains(3));
}

TEST(LogNumber, OnlyTheNameOfALogHasOne) {
    EXPECT_EQ(storage::log_number("00000001.log"), 1U);
    EXPECT_EQ(storage::log_number("4294967295.log"), 4294967295U);
    for (const char *other : {"", ".log", "1.log", "00000000.log", "00000001.idx", "00000001",
                              "00000001.log.log", "-0000001.log", "4294967296.log"})
        EXPECT_EQ(storage::log_number(other), 0U) << other;
}

}  // namespace
}  // namespace farlink::test::directory_conformance_test
