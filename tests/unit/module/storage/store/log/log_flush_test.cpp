// SPDX-License-Identifier: Apache-2.0
// A log is written while a flush of it goes on.
#include <gtest/gtest.h>

#include <utility>

#include "module/storage/store/log/log_scanner.hpp"
#include "tests/unit/module/storage/store/log/log_fixture.hpp"

namespace farlink::test::log_flush_test {
namespace {

/// A log whose flushes take a while. What is on disk for certain follows the rules of DiskStatus.
class SlowLog {
public:
    SlowLog(SimDirectory &directory, std::uint64_t segment_bytes, std::uint32_t polls)
        : disk(directory, log_options(segment_bytes)) {
        directory.set_flush_polls(polls);
        opened = disk.open([this](const RestoredRecord &record) {
            if (!record.damaged) at[record.head.arrival] = record.at;
        });
    }
    DiskStatus append(const std::vector<std::uint64_t> &arrivals) {
        AppendRequest append(arrivals);
        DiskRequest *const wanted = append.request.get();
        disk.start(std::move(append.request));
        DiskStatus status = DiskStatus::kOk;
        while (DiskRequestPtr done = disk.poll()) {
            if (done.get() != wanted) {
                take(*done);
                continue;
            }
            status = done->status;
            for (const DiskRecord &record : done->records) {
                if (record.at.number == 0) continue;
                at[record.head.arrival] = record.at;
                written.insert(record.head.arrival);
            }
            // The core never counts a record as stored behind a failed write.
            if (status != DiskStatus::kOk) failed.insert(arrivals.begin(), arrivals.end());
        }
        return status;
    }
    void erase(std::uint64_t arrival) {
        auto request = std::make_unique<DiskRequest>();
        request->verb = DiskVerb::kErase;
        request->erased.push_back(at.at(arrival).number);
        at.erase(arrival);
        safe.erase(arrival);
        written.erase(arrival);
        covered.erase(arrival);
        disk.start(std::move(request));
        poll();
    }
    /// One flush at a time, as the core does it.
    void start_sync() {
        if (flushing) return;
        flushing = true;
        covered = std::exchange(written, {});
        disk.start(std::make_unique<DiskRequest>());
        poll();
    }
    void poll() {
        while (DiskRequestPtr done = disk.poll()) take(*done);
    }
    /// The result of the flush that goes on.
    DiskStatus wait_for_sync(SimDirectory &directory) {
        while (flushing) {
            directory.wait();
            poll();
        }
        return last;
    }

    storage::LogDisk disk;
    Result<storage::Recovery, storage::StoreError> opened;
    std::map<std::uint64_t, RecordLocation> at;
    std::set<std::uint64_t> written, covered, safe, failed;
    bool flushing = false;
    DiskStatus last = DiskStatus::kOk;

private:
    void take(const DiskRequest &done) {
        if (done.verb != DiskVerb::kSync) return;
        flushing = false;
        last = done.status;
        for (const std::uint64_t arrival : std::exchange(covered, {}))
            if (last == DiskStatus::kOk && !failed.contains(arrival)) safe.insert(arrival);
    }
};

Contents contents_after_crash(SimDirectory &directory, std::uint64_t seed) {
    directory.crash(seed);
    directory.set_flush_polls(0);
    LogDriver log(directory);
    return log.read();
}

TEST(LogFlush, CoversWhatWasWrittenBeforeItBeganAndNoMore) {
    bool lost = false;
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        SimDirectory directory;
        {
            SlowLog log(directory, 64 * 1024, 1000);
            EXPECT_EQ(log.append({1}), DiskStatus::kOk);
            log.start_sync();
            EXPECT_EQ(log.append({2}), DiskStatus::kOk);
            EXPECT_TRUE(log.flushing);
            EXPECT_EQ(log.wait_for_sync(directory), DiskStatus::kOk);
            EXPECT_EQ(log.safe, (std::set<std::uint64_t>{1}));
        }
        const Contents found = contents_after_crash(directory, seed);
        EXPECT_TRUE(found.contains(1)) << seed;
        lost |= !found.contains(2);
    }
    EXPECT_TRUE(lost);
}

TEST(LogFlush, ItsFailureCostsWhatWasWrittenMeanwhileToo) {
    SimDirectory directory;
    SlowLog log(directory, 64 * 1024, 1000);
    EXPECT_EQ(log.append({1}), DiskStatus::kOk);
    log.start_sync();
    EXPECT_EQ(log.append({2}), DiskStatus::kOk);
    directory.faults().fail_at(0, storage::FileError::kIo);
    EXPECT_EQ(log.wait_for_sync(directory), DiskStatus::kIoError);
    EXPECT_EQ(log.append({3}), DiskStatus::kOk);
    log.start_sync();
    EXPECT_EQ(log.last, DiskStatus::kIoError);
    EXPECT_EQ(log.append({4}), DiskStatus::kOk);
    log.start_sync();
    EXPECT_EQ(log.wait_for_sync(directory), DiskStatus::kOk);
    EXPECT_EQ(log.safe, (std::set<std::uint64_t>{4}));
    EXPECT_TRUE(contents_after_crash(directory, 4).contains(4));
}

TEST(LogFlush, AFileThatIsFullWaitsForIt) {
    SimDirectory directory;
    SlowLog log(directory, 4096 + 256, 1000);
    EXPECT_EQ(log.append({1}), DiskStatus::kOk);
    log.start_sync();
    EXPECT_EQ(log.append({2, 3}), DiskStatus::kOk);  // the next file
    log.poll();
    EXPECT_FALSE(log.flushing);
    EXPECT_EQ(log.safe, (std::set<std::uint64_t>{1}));
    EXPECT_TRUE(directory.has_index(1));
}

TEST(LogFlush, DeadFilesGoWhileErasuresAreWrittenAllTheTime) {
    SimDirectory directory;
    SlowLog log(directory, 4096 + 1024, 2);
    EXPECT_EQ(log.append({1}), DiskStatus::kOk);
    for (std::uint64_t arrival = 2; arrival < 500; ++arrival) {
        EXPECT_EQ(log.append({arrival}), DiskStatus::kOk);
        log.start_sync();
        log.erase(arrival);
        EXPECT_LE(directory.files().size(), 6U) << arrival;
    }
}

/// Appends, erasures and flushes of any length that overlap, with power cuts and failures.
TEST(LogFlush, AModelAgreesAfterEveryPowerCut) {
    for (std::uint64_t seed = 1; seed <= 1500; ++seed) {
        Random random(seed);
        SimDirectory directory;
        std::set<std::uint64_t> must;
        std::uint64_t next = 1;
        for (int life = 0; life < 3; ++life) {
            SlowLog log(directory, 4096 + 800, static_cast<std::uint32_t>(random.below(6)));
            ASSERT_TRUE(log.opened.has_value());
            for (const std::uint64_t arrival : must)
                EXPECT_TRUE(log.at.contains(arrival)) << "seed " << seed << " lost " << arrival;
            log.safe = must;
            if (random.chance(1, 3))
                directory.faults().fail_at(random.below(60), storage::FileError::kIo);
            directory.faults().power_off_at(random.below(120));
            for (int turn = 0; turn < 60; ++turn) {
                const std::uint64_t what = random.below(4);
                if (what <= 1) {
                    (void)log.append({next, next + 1});
                    next += 2;
                } else if (what == 2 && !log.at.empty()) {
                    log.erase(log.at.begin()->first);
                } else if (!directory.faults().powered_off()) {
                    log.start_sync();
                }
                log.poll();
                if (!directory.faults().powered_off()) must = log.safe;
                // A completion after the power went reaches nothing.
                for (auto at = must.begin(); at != must.end();)
                    at = log.safe.contains(*at) ? std::next(at) : must.erase(at);
            }
            directory.crash(random.next());
        }
        if (HasFailure()) return;
    }
}

/// The operations of the first write, of the second file, and of the flushes are cut one by one.
TEST(LogFlush, AKilledNodeLeavesNoFileWithoutAHeader) {
    for (const bool reserves : {false, true}) {
        bool cut = true;
        for (std::uint64_t operation = 0; cut; ++operation) {
            SimDirectory directory;
            if (reserves) directory.reserve_room();
            {
                LogDriver log(directory, log_options(4096 + 256));
                directory.faults().power_off_at(operation);
                for (std::uint64_t arrival = 1; arrival <= 3; ++arrival) {
                    (void)log.append({arrival});
                    (void)log.sync();
                }
                cut = directory.faults().powered_off();
            }
            directory.faults().clear();
            directory.kill();
            for (const FileNumber file : directory.files())
                EXPECT_TRUE(storage::read_file_header(directory, file)) << operation << ' ' << file;
            LogDriver again(directory, log_options(4096 + 256));
            ASSERT_TRUE(again.opened.has_value());
            EXPECT_TRUE(again.opened->short_files.empty()) << operation;
            EXPECT_TRUE(again.opened->unreadable_files.empty()) << operation;
            EXPECT_TRUE(again.opened->losses.empty()) << operation;
            EXPECT_EQ(again.append({9}), DiskStatus::kOk) << operation;
        }
    }
}

}  // namespace
}  // namespace farlink::test::log_flush_test
