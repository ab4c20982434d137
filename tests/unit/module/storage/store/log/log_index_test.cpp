// SPDX-License-Identifier: Apache-2.0
// A log is opened by its indexes, and as well without them.
#include "module/storage/store/log/log_index.hpp"

#include <gtest/gtest.h>

#include "tests/unit/module/storage/store/log/log_fixture.hpp"

namespace farlink::test::log_index_test {
namespace {

using storage::DamageKind;
using storage::IndexFaultKind;

constexpr std::uint64_t kSmallFile = 4096 + 400;

/// Three files with five bundles, the third erased; all in good order.
void write_files(SimDirectory &directory) {
    LogDriver log(directory, log_options(kSmallFile));
    EXPECT_EQ(log.append({1, 2}), DiskStatus::kOk);
    EXPECT_EQ(log.append({3, 4}), DiskStatus::kOk);
    log.erase({3});
    EXPECT_EQ(log.append({5}), DiskStatus::kOk);
    EXPECT_EQ(log.sync(), DiskStatus::kOk);
    log.disk.close();
    directory.close();
}

TEST(LogIndex, EveryFileOfALogThatWasClosedHasOne) {
    SimDirectory directory;
    write_files(directory);
    ASSERT_GE(directory.files().size(), 2U);
    for (const FileNumber file : directory.files()) EXPECT_TRUE(directory.has_index(file)) << file;
    LogDriver log(directory, log_options(kSmallFile));
    EXPECT_EQ(log.opened->scanned_files, 0U);
    EXPECT_EQ(log.opened->bundles, 4U);
    EXPECT_EQ(log.read(), contents_of({1, 2, 4, 5}));
}

TEST(LogIndex, WithoutIndexesEverythingIsFoundAndTheyAreMadeAgain) {
    SimDirectory directory;
    write_files(directory);
    for (const FileNumber file : directory.files()) directory.index(file).clear();
    {
        LogDriver log(directory, log_options(kSmallFile));
        EXPECT_EQ(log.opened->scanned_files, directory.files().size());
        EXPECT_EQ(log.opened->index_faults.at(0).kind, IndexFaultKind::kMissing);
        EXPECT_EQ(log.opened->damage_count, 0U);
        EXPECT_EQ(log.read(), contents_of({1, 2, 4, 5}));
    }
    directory.close();
    LogDriver log(directory, log_options(kSmallFile));
    EXPECT_EQ(log.opened->scanned_files, 0U);
    EXPECT_EQ(log.read(), contents_of({1, 2, 4, 5}));
}

TEST(LogIndex, AFlippedOctetMakesTheFileBeScanned) {
    SimDirectory directory;
    write_files(directory);
    const Bytes good = directory.index(1);
    for (std::size_t at = 0; at < good.size(); ++at) {
        directory.index(1) = good;
        directory.index(1)[at] ^= static_cast<std::uint8_t>(1U << (at % 8));
        {
            LogDriver log(directory, log_options(kSmallFile));
            ASSERT_TRUE(log.opened.has_value()) << at;
            EXPECT_EQ(log.read(), contents_of({1, 2, 4, 5})) << at;
            ASSERT_EQ(log.opened->index_faults.size(), 1U) << at;
            EXPECT_EQ(log.opened->index_faults[0].kind, IndexFaultKind::kDamaged) << at;
            EXPECT_EQ(log.opened->index_faults[0].file, 1U) << at;
        }
        EXPECT_EQ(directory.index(1), good) << at;  // made again
        directory.close();
    }
}

TEST(LogIndex, ATornIndexMakesTheFileBeScanned) {
    SimDirectory directory;
    write_files(directory);
    const Bytes good = directory.index(1);
    for (std::size_t size = 0; size < good.size(); ++size) {
        directory.index(1) = Bytes(good.begin(), good.begin() + static_cast<std::ptrdiff_t>(size));
        LogDriver log(directory, log_options(kSmallFile));
        EXPECT_EQ(log.read(), contents_of({1, 2, 4, 5})) << size;
        EXPECT_EQ(log.opened->scanned_files, 1U) << size;
        directory.close();
    }
}

TEST(LogIndex, TheIndexOfAnotherFileIsNotBelieved) {
    SimDirectory directory;
    write_files(directory);
    SimDirectory stranger;
    {
        storage::LogOptions options = log_options(kSmallFile);
        options.fresh_key.fill(1);
        LogDriver log(stranger, options);
        EXPECT_EQ(log.append({9}), DiskStatus::kOk);
        log.disk.close();
    }
    for (const Bytes &wrong : {directory.index(2), stranger.index(1)}) {
        directory.index(1) = wrong;
        LogDriver log(directory, log_options(kSmallFile));
        EXPECT_EQ(log.read(), contents_of({1, 2, 4, 5}));
        ASSERT_EQ(log.opened->index_faults.size(), 1U);
        EXPECT_EQ(log.opened->index_faults[0].kind, IndexFaultKind::kMismatch);
        directory.close();
    }
}

TEST(LogIndex, AnIndexThatSaysMoreThanItsFileHoldsIsNotBelieved) {
    SimDirectory directory;
    write_files(directory);
    Bytes &content = directory.content(1);
    content.resize(content.size() - 8);
    LogDriver log(directory, log_options(kSmallFile));
    EXPECT_EQ(log.opened->index_faults.at(0).kind, IndexFaultKind::kMismatch);
    EXPECT_EQ(log.read(), contents_of({1, 4, 5}));
    EXPECT_EQ(log.damaged, (std::vector<std::uint64_t>{2}));
}

TEST(LogIndex, AFileThatLostItsHeaderIsServedByItsIndex) {
    SimDirectory directory;
    write_files(directory);
    directory.content(1)[3] ^= 1;
    directory.content(1)[storage::kHeaderCopyOffset + 9] ^= 1;
    LogDriver log(directory, log_options(kSmallFile));
    EXPECT_EQ(log.read(), contents_of({1, 2, 4, 5}));
    ASSERT_EQ(log.opened->damage_count, 1U);
    EXPECT_EQ(log.opened->damages[0].kind, DamageKind::kFileHeader);
    EXPECT_EQ(log.opened->damages[0].file, 1U);
}

TEST(LogIndex, ADamagedBundleIsFoundWhenItIsRead) {
    SimDirectory directory;
    write_files(directory);
    directory.content(1)[4096 + 100] ^= 1;
    LogDriver log(directory, log_options(kSmallFile));
    EXPECT_EQ(log.opened->damage_count, 0U);
    EXPECT_EQ(log.read(), contents_of({2, 4, 5}));
}

TEST(LogIndex, AFileWithDamageGetsNoneSoThatItIsNamedAgain) {
    SimDirectory directory;
    write_files(directory);
    directory.index(1).clear();
    directory.content(1)[4096 + 100] ^= 1;
    for (int life = 0; life < 2; ++life) {
        LogDriver log(directory, log_options(kSmallFile));
        EXPECT_EQ(log.damaged, (std::vector<std::uint64_t>{1}));
        EXPECT_EQ(log.opened->damage_count, 1U);
        EXPECT_FALSE(directory.has_index(1));
        directory.close();
    }
}

TEST(LogIndex, GoesWithItsFileAndOrphansGoAtTheStart) {
    SimDirectory directory;
    write_files(directory);
    ASSERT_TRUE(directory.write_index(77, Bytes{1, 2, 3}).has_value());
    LogDriver log(directory, log_options(kSmallFile));
    EXPECT_FALSE(directory.has_index(77));
    log.erase({1, 2});
    EXPECT_EQ(log.sync(), DiskStatus::kOk);
    EXPECT_EQ(log.sync(), DiskStatus::kOk);
    EXPECT_FALSE(directory.has_index(1));
}

/// What is read from the page cache after a kill is stored only when it is on disk.
TEST(LogIndex, WhatIsFoundWithoutAnIndexIsFlushedAtTheStart) {
    SimDirectory directory;
    {
        LogDriver log(directory);
        EXPECT_EQ(log.append({1, 2}), DiskStatus::kOk);
    }
    directory.kill();
    {
        LogDriver log(directory);
        EXPECT_EQ(log.opened->bundles, 2U);
    }
    directory.crash(4);
    LogDriver log(directory);
    EXPECT_EQ(log.read(), contents_of({1, 2}));
}

TEST(LogIndex, WhatCannotBeFlushedAtTheStartIsNamed) {
    SimDirectory directory;
    write_files(directory);
    directory.index(1).clear();
    directory.faults().fail_at(0, storage::FileError::kIo);
    LogDriver log(directory, log_options(kSmallFile));
    EXPECT_EQ(log.read(), contents_of({1, 2, 4, 5}));
    ASSERT_EQ(log.opened->damage_count, 1U);
    EXPECT_EQ(log.opened->damages[0].kind, DamageKind::kUnflushed);
    EXPECT_FALSE(directory.has_index(1));
}

TEST(LogIndex, ListsWhatAFileHoldsWithAnIndexAndWithout) {
    SimDirectory directory;
    write_files(directory);
    LogDriver log(directory, log_options(kSmallFile));
    EXPECT_EQ(log.list(1), (std::set<std::uint64_t>{1, 2}));
    EXPECT_EQ(log.list(2), (std::set<std::uint64_t>{3, 4}));
    directory.index(2).clear();
    EXPECT_EQ(log.list(2), (std::set<std::uint64_t>{3, 4}));
    directory.content(2)[4096 + 100] ^= 1;
    EXPECT_EQ(log.list(2), (std::set<std::uint64_t>{4}));
    EXPECT_EQ(log.append({8}), DiskStatus::kOk);
    EXPECT_EQ(log.list(storage::file_of(log.locations.at(8).number)), (std::set<std::uint64_t>{8}));
    EXPECT_TRUE(log.list(99).empty());
}

/// The life of a log that is closed, opened and closed again, with a power cut at every operation
/// of it: of the bundles that were flushed none is lost, whatever became of the indexes.
TEST(LogIndex, APowerCutAtEveryOperation) {
    const auto live = [](SimDirectory &directory) {
        std::set<std::uint64_t> safe;
        std::uint64_t next = 1;
        for (int life = 0; life < 2; ++life) {
            LogDriver log(directory, log_options(kSmallFile));
            if (!log.opened) return safe;
            std::set<std::uint64_t> written;
            for (int turn = 0; turn < 4; ++turn, next += 2) {
                if (log.append({next, next + 1}) == DiskStatus::kOk)
                    written.insert({next, next + 1});
                if (log.sync() == DiskStatus::kOk && !directory.faults().powered_off())
                    safe.merge(std::exchange(written, {}));
                else
                    written.clear();
            }
            log.disk.close();
            if (!directory.faults().powered_off()) directory.close();
        }
        return safe;
    };
    SimDirectory whole;
    EXPECT_EQ(live(whole).size(), 16U);
    for (std::uint64_t at = 0; at < whole.faults().operations(); ++at) {
        for (std::uint64_t seed = 1; seed <= 20; ++seed) {
            SimDirectory directory;
            directory.faults().power_off_at(at);
            const std::set<std::uint64_t> safe = live(directory);
            directory.crash(seed);
            LogDriver log(directory, log_options(kSmallFile));
            const Contents found = log.read();
            for (const std::uint64_t arrival : safe)
                ASSERT_TRUE(found.contains(arrival)) << at << " seed " << seed << ' ' << arrival;
            for (const auto &[arrival, payload] : found) EXPECT_EQ(payload, payload_of(arrival));
        }
    }
}

TEST(LogIndex, EveryOperationFailsOnce) {
    SimDirectory whole;
    write_files(whole);
    for (const auto error : {storage::FileError::kIo, storage::FileError::kNoSpace}) {
        for (std::uint64_t at = 0; at < whole.faults().operations(); ++at) {
            SimDirectory directory;
            std::set<std::uint64_t> safe;
            {
                LogDriver log(directory, log_options(kSmallFile));
                directory.faults().fail_at(at, error);
                for (std::uint64_t arrival = 1; arrival <= 9; arrival += 2)
                    if (log.append({arrival, arrival + 1}) == DiskStatus::kOk &&
                        log.sync() == DiskStatus::kOk)
                        safe.insert({arrival, arrival + 1});
                log.disk.close();
            }
            directory.crash(at);
            LogDriver log(directory, log_options(kSmallFile));
            const Contents found = log.read();
            for (const std::uint64_t arrival : safe)
                EXPECT_TRUE(found.contains(arrival)) << at << ' ' << arrival;
        }
    }
}

}  // namespace
}  // namespace farlink::test::log_index_test
