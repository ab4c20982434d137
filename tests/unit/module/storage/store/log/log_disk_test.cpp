// SPDX-License-Identifier: Apache-2.0
#include "module/storage/store/log/log_disk.hpp"

#include <gtest/gtest.h>

#include <set>

#include "common/codec/crc.hpp"
#include "tests/unit/module/storage/store/log/log_fixture.hpp"

namespace farlink::test::log_disk_test {
namespace {

using storage::StoreError;

TEST(LogDisk, KeepsWhatWasFlushed) {
    SimDirectory directory;
    {
        LogDriver log(directory);
        EXPECT_EQ(log.append({1, 2, 3}), DiskStatus::kOk);
        EXPECT_EQ(log.sync(), DiskStatus::kOk);
        EXPECT_EQ(log.read(), contents_of({1, 2, 3}));
        EXPECT_EQ(log.append({4}), DiskStatus::kOk);
    }
    directory.crash(4);
    LogDriver log(directory);
    const Contents found = log.read();
    EXPECT_TRUE(found == contents_of({1, 2, 3}) || found == contents_of({1, 2, 3, 4}));
    ASSERT_TRUE(log.opened.has_value());
    EXPECT_EQ(log.opened->key, log_options().fresh_key);
}

TEST(LogDisk, TheKeyOfTheStoreStays) {
    SimDirectory directory;
    {
        LogDriver log(directory);
        EXPECT_EQ(log.append({1}), DiskStatus::kOk);
    }
    directory.close();
    storage::LogOptions other = log_options();
    other.fresh_key.fill(1);
    LogDriver log(directory, other);
    EXPECT_EQ(log.opened->key, log_options().fresh_key);
}

TEST(LogDisk, ErasedRecordsStayAway) {
    SimDirectory directory;
    {
        LogDriver log(directory);
        EXPECT_EQ(log.append({1, 2, 3, 4}), DiskStatus::kOk);
        log.erase({2, 4});
        EXPECT_EQ(log.sync(), DiskStatus::kOk);
    }
    directory.crash(2);
    LogDriver log(directory);
    EXPECT_EQ(log.read(), contents_of({1, 3}));
}

TEST(LogDisk, DiscardedLogIsEmptyAndKeepsItsNumbers) {
    SimDirectory directory;
    RecordNumber former = 0;
    {
        LogDriver log(directory);
        EXPECT_EQ(log.append({1, 2, 3}), DiskStatus::kOk);
        EXPECT_EQ(log.sync(), DiskStatus::kOk);
        former = log.locations.at(1).number;
    }
    directory.close();
    storage::LogOptions options = log_options();
    options.discard = true;
    {
        LogDriver log(directory, options);
        ASSERT_TRUE(log.opened.has_value());
        EXPECT_EQ(log.opened->discarded, 3U);
        EXPECT_EQ(log.opened->bundles, 0U);
        EXPECT_TRUE(log.read().empty());
        EXPECT_EQ(log.append({4}), DiskStatus::kOk);
        EXPECT_EQ(log.sync(), DiskStatus::kOk);
        EXPECT_NE(log.locations.at(4).number, former);
    }
    directory.crash(1);
    LogDriver log(directory);
    EXPECT_EQ(log.read(), contents_of({4}));
}

TEST(LogDisk, LogOfAnotherNodeIsNotDiscarded) {
    SimDirectory directory;
    {
        LogDriver log(directory);
        EXPECT_EQ(log.append({1}), DiskStatus::kOk);
        EXPECT_EQ(log.sync(), DiskStatus::kOk);
    }
    directory.close();
    storage::LogOptions options = log_options();
    options.discard = true;
    options.node = NodeNumber{11};
    {
        LogDriver log(directory, options);
        ASSERT_FALSE(log.opened.has_value());
        EXPECT_EQ(log.opened.error(), StoreError::kForeignNode);
    }
    directory.close();
    LogDriver log(directory);
    EXPECT_EQ(log.read(), contents_of({1}));
}

TEST(LogDisk, RecordNumbersAreNeverUsedAgain) {
    SimDirectory directory;
    std::set<RecordNumber> numbers;
    for (std::uint64_t life = 1; life <= 5; ++life) {
        LogDriver log(directory);
        EXPECT_EQ(log.append({life, life + 100}), DiskStatus::kOk);
        EXPECT_TRUE(numbers.insert(log.locations.at(life).number).second);
        EXPECT_TRUE(numbers.insert(log.locations.at(life + 100).number).second);
        log.erase({life});
        EXPECT_EQ(log.sync(), DiskStatus::kOk);
        directory.close();
    }
}

TEST(LogDisk, DeadFilesGoAndOneStuckBundleHoldsNoOther) {
    SimDirectory directory;
    LogDriver log(directory, log_options(4096 + 1024));
    EXPECT_EQ(log.append({1}), DiskStatus::kOk);
    for (std::uint64_t arrival = 2; arrival < 500; ++arrival) {
        EXPECT_EQ(log.append({arrival}), DiskStatus::kOk);
        log.erase({arrival});
        EXPECT_EQ(log.sync(), DiskStatus::kOk);
        EXPECT_LE(directory.files().size(), 4U);
    }
    log.erase({1});
    EXPECT_EQ(log.sync(), DiskStatus::kOk);
    EXPECT_LE(directory.files().size(), 1U);
}

TEST(LogDisk, AReadThatComesBehindTheRemovalOfItsFileFindsTheOthers) {
    SimDirectory directory;
    LogDriver log(directory, log_options(4096 + 64));
    EXPECT_EQ(log.append({1, 2, 3}), DiskStatus::kOk);
    EXPECT_EQ(log.append({4}), DiskStatus::kOk);
    EXPECT_EQ(log.sync(), DiskStatus::kOk);
    const auto before = log.locations;
    log.erase({1, 2, 3});
    EXPECT_EQ(log.sync(), DiskStatus::kOk);
    EXPECT_EQ(log.sync(), DiskStatus::kOk);
    ASSERT_EQ(directory.files().size(), 1U);
    log.locations = before;
    EXPECT_EQ(log.read(), contents_of({4}));
}

/// Reads the header of a record, and a stretch of its payload.
struct Stretch {
    Stretch(LogDriver &log, std::uint64_t arrival, std::uint64_t offset, std::uint64_t size)
        : memory(kHeader + size) {
        request.verb = DiskVerb::kReadPart;
        DiskRecord record;
        record.at = log.locations.at(arrival);
        record.buffer = MutableBytes(memory).first(kHeader);
        request.records.push_back(record);
        record.from = kHeader + offset;
        record.buffer = MutableBytes(memory).subspan(kHeader);
        record.crc = codec::crc32c(ByteView(payload_of(arrival)).first(offset));
        request.records.push_back(record);
        log.disk.execute(request);
    }
    static constexpr std::uint64_t kHeader = kRecordHeaderBytes + sizeof("to whom it goes") - 1;
    Bytes memory;
    DiskRequest request;
};

TEST(LogDisk, StretchesOfARecordAreReadWithTheirChecksum) {
    SimDirectory directory;
    LogDriver log(directory);
    EXPECT_EQ(log.append({1, 2}), DiskStatus::kOk);
    EXPECT_EQ(log.sync(), DiskStatus::kOk);
    const Bytes payload = payload_of(1);
    const Stretch begin(log, 1, 0, 10);
    const DiskRecord &header = begin.request.records[0];
    EXPECT_EQ(header.status, DiskStatus::kOk);
    EXPECT_EQ(header.head.size, payload.size());
    EXPECT_EQ(header.crc, codec::crc32c(payload));
    const ByteView octets = begin.request.records[1].octets;
    EXPECT_EQ(Bytes(octets.begin(), octets.end()), Bytes(payload.begin(), payload.begin() + 10));
    EXPECT_EQ(Stretch(log, 1, 10, payload.size() - 10).request.records[1].crc, header.crc);
    // The last record of the file, whose padding is not there.
    EXPECT_GE(Stretch(log, 2, 0, 1000).request.records[1].octets.size(), payload_of(2).size());

    directory.content(1)[log.locations.at(1).offset + 20] ^= 1;
    EXPECT_EQ(Stretch(log, 1, 0, 10).request.records[0].status, DiskStatus::kDamaged);
    directory.faults().set_removed(true);
    EXPECT_EQ(Stretch(log, 2, 0, 10).request.records[1].status, DiskStatus::kIoError);
}

TEST(LogDisk, ARecordLargerThanAFileGetsAFileOfItsOwn) {
    SimDirectory directory;
    LogDriver log(directory, log_options(4096 + 64));
    EXPECT_EQ(log.append({1, 2, 3}), DiskStatus::kOk);
    EXPECT_EQ(log.append({4}), DiskStatus::kOk);
    EXPECT_EQ(directory.files().size(), 2U);
    EXPECT_EQ(log.read(), contents_of({1, 2, 3, 4}));
}

TEST(LogDisk, AfterAFailedFlushTheFileIsLeftBehind) {
    SimDirectory directory;
    LogDriver log(directory);
    EXPECT_EQ(log.append({1}), DiskStatus::kOk);
    EXPECT_EQ(log.sync(), DiskStatus::kOk);
    EXPECT_EQ(log.append({2}), DiskStatus::kOk);
    directory.faults().fail_at(0, storage::FileError::kIo);
    EXPECT_EQ(log.sync(), DiskStatus::kIoError);
    // A second flush of the same file would succeed and mean nothing.
    EXPECT_EQ(log.append({3}), DiskStatus::kOk);
    EXPECT_NE(storage::file_of(log.locations.at(3).number),
              storage::file_of(log.locations.at(2).number));
    EXPECT_EQ(log.sync(), DiskStatus::kOk);
    directory.crash(0);
    LogDriver again(directory);
    EXPECT_EQ(again.read(), contents_of({1, 3}));
}

TEST(LogDisk, AFailedFlushWhileAFileIsSealedIsReportedWithTheNext) {
    SimDirectory directory;
    LogDriver log(directory, log_options(4096 + 256));
    EXPECT_EQ(log.append({1}), DiskStatus::kOk);
    directory.faults().fail_at(0, storage::FileError::kIo);
    EXPECT_EQ(log.append({2, 3}), DiskStatus::kOk);
    EXPECT_EQ(log.sync(), DiskStatus::kIoError);
    EXPECT_EQ(log.append({4}), DiskStatus::kOk);
    EXPECT_EQ(log.sync(), DiskStatus::kOk);
}

TEST(LogDisk, ErasuresLostWithAFailedFlushAreWrittenAgain) {
    SimDirectory directory;
    LogDriver log(directory);
    EXPECT_EQ(log.append({1, 2}), DiskStatus::kOk);
    EXPECT_EQ(log.sync(), DiskStatus::kOk);
    log.erase({1});
    directory.faults().fail_at(0, storage::FileError::kIo);
    EXPECT_EQ(log.sync(), DiskStatus::kIoError);
    EXPECT_EQ(log.sync(), DiskStatus::kOk);
    directory.crash(1);
    LogDriver again(directory);
    EXPECT_EQ(again.read(), contents_of({2}));
}

TEST(LogDisk, WithoutSpaceNothingIsWritten) {
    SimDirectory directory;
    LogDriver log(directory);
    EXPECT_EQ(log.append({1}), DiskStatus::kOk);
    directory.set_capacity(4096 + 300);
    EXPECT_EQ(log.append({2, 3, 4, 5}), DiskStatus::kNoSpace);
    EXPECT_EQ(log.locations.count(2), 0U);
    EXPECT_EQ(log.sync(), DiskStatus::kOk);
    directory.close();
    LogDriver again(directory);
    EXPECT_EQ(again.read(), contents_of({1}));
}

TEST(LogDisk, RefusesWhatIsNotItsOwn) {
    SimDirectory directory;
    {
        LogDriver log(directory);
        EXPECT_EQ(log.append({1}), DiskStatus::kOk);
        LogDriver second(directory);
        ASSERT_FALSE(second.opened.has_value());
        EXPECT_EQ(second.opened.error(), StoreError::kLocked);
    }
    directory.close();
    storage::LogOptions other = log_options();
    other.node = NodeNumber{11};
    LogDriver foreign(directory, other);
    ASSERT_FALSE(foreign.opened.has_value());
    EXPECT_EQ(foreign.opened.error(), StoreError::kForeignNode);
    directory.close();
    storage::FileHeader header;
    header.version = 9;
    header.node = NodeNumber{10};
    header.file = 1;
    storage::encode_file_header(
        header, MutableBytes(directory.content(1)).first<storage::kFileHeaderBytes>());
    LogDriver newer(directory);
    ASSERT_FALSE(newer.opened.has_value());
    EXPECT_EQ(newer.opened.error(), StoreError::kUnknownVersion);
}

TEST(LogDisk, ReadsFilesOfTheFirstVersion) {
    SimDirectory directory;
    {
        LogDriver log(directory);
        EXPECT_EQ(log.append({1, 2}), DiskStatus::kOk);
        EXPECT_EQ(log.sync(), DiskStatus::kOk);
    }
    directory.close();
    storage::FileHeader header;
    header.version = 1;
    header.node = NodeNumber{10};
    header.file = 1;
    header.key = log_options().fresh_key;
    header.mark = storage::mark_of(header.key, 1);
    const MutableBytes page(directory.content(1));
    storage::encode_file_header(header, page.first<storage::kFileHeaderBytes>());
    storage::encode_file_header(
        header, page.subspan<storage::kHeaderCopyOffset, storage::kFileHeaderBytes>());
    {
        LogDriver log(directory);
        ASSERT_TRUE(log.opened.has_value());
        EXPECT_EQ(log.opened->damage_count, 0U);
        EXPECT_EQ(log.read().size(), 2U);
        EXPECT_EQ(log.append({3}), DiskStatus::kOk);
        EXPECT_EQ(log.sync(), DiskStatus::kOk);
    }
    directory.close();
    LogDriver log(directory);
    ASSERT_TRUE(log.opened.has_value());
    EXPECT_EQ(log.read().size(), 3U);
    EXPECT_TRUE(log.opened->sound);
}

/// Random appends, erasures and flushes against a model, with a power cut at the end.
TEST(LogDisk, AModelAgreesAfterEveryPowerCut) {
    for (std::uint64_t seed = 1; seed <= 1500; ++seed) {
        Random random(seed);
        SimDirectory directory;
        std::set<std::uint64_t> must, may;  // flushed and not erased; anything not surely erased
        std::uint64_t next = 1;
        for (int life = 0; life < 3; ++life) {
            LogDriver log(directory, log_options(4096 + 800));
            ASSERT_TRUE(log.opened.has_value());
            const Contents found = log.read();
            std::set<std::uint64_t> seen;
            for (const auto &[arrival, payload] : found) {
                EXPECT_EQ(payload, payload_of(arrival));
                EXPECT_TRUE(may.contains(arrival)) << "seed " << seed << " revived " << arrival;
                seen.insert(arrival);
            }
            for (const std::uint64_t arrival : must)
                EXPECT_TRUE(seen.contains(arrival)) << "seed " << seed << " lost " << arrival;
            must = may = seen;
            directory.faults().power_off_at(random.below(120));
            std::set<std::uint64_t> written, erased;
            for (int turn = 0; turn < 60; ++turn) {
                const std::uint64_t what = random.below(4);
                if (what <= 1) {
                    if (log.append({next, next + 1}) == DiskStatus::kOk) {
                        written.insert({next, next + 1});
                    }
                    may.insert({next, next + 1});
                    next += 2;
                } else if (what == 2) {
                    std::vector<std::uint64_t> some;
                    for (const auto &[arrival, at] : log.locations)
                        if (random.chance(2, 3)) some.push_back(arrival);
                    log.erase(some);
                    for (const std::uint64_t arrival : some) {
                        must.erase(arrival);
                        written.erase(arrival);
                        erased.insert(arrival);
                    }
                } else if (log.sync() == DiskStatus::kOk && !directory.faults().powered_off()) {
                    must.merge(written);
                    written.clear();
                    for (const std::uint64_t arrival : erased) may.erase(arrival);
                    erased.clear();
                }
            }
            directory.crash(random.next());
        }
        if (HasFailure()) return;
    }
}

}  // namespace
}  // namespace farlink::test::log_disk_test
