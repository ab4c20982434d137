// SPDX-License-Identifier: Apache-2.0
// What the storage core may rely on, the same for the simulated disk and the real one.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <semaphore>

#include "module/storage/store/directory/uring_directory.hpp"
#include "module/storage/store/disk_thread.hpp"
#include "tests/support/temp_folder.hpp"
#include "tests/unit/module/storage/store/log/log_fixture.hpp"

namespace farlink::test {
namespace {

/// The simulated disk; time passes as fast as it is asked for.
class Simulated {
public:
    void start() {
        disk_ = std::make_unique<SimDisk>(directory_, log_options(4096 + 4096));
        opened = disk_->open([this](const RestoredRecord &record) { take(record); });
    }
    void stop() {
        disk_.reset();
        directory_.close();
    }
    DiskRequestPtr run(DiskRequestPtr request) {
        submit(std::move(request));
        return wait();
    }
    void submit(DiskRequestPtr request) { disk_->submit(std::move(request), now_); }
    DiskRequestPtr wait() {
        now_ = disk_->next_timeout();
        return disk_->poll_completion(now_);
    }
    std::uint64_t file_count() { return disk_->file_count(); }

    Result<storage::Recovery, storage::StoreError> opened;
    std::map<std::uint64_t, RecordLocation> found;

private:
    void take(const RestoredRecord &record) { found[record.head.arrival] = record.at; }
    SimDirectory directory_;
    TimePoint now_{seconds(1)};
    std::unique_ptr<SimDisk> disk_;
};

/// The real one, in a directory of its own.
class Real {
public:
    void start() {
        disk_ = std::make_unique<storage::DiskThread>(
            storage::make_directory(folder_.path().string()), log_options(4096 + 4096),
            [this] { woken_.release(); });
        opened = disk_->open(
            [this](const RestoredRecord &record) { found[record.head.arrival] = record.at; });
    }
    void stop() { disk_.reset(); }
    DiskRequestPtr run(DiskRequestPtr request) {
        submit(std::move(request));
        return wait();
    }
    void submit(DiskRequestPtr request) { disk_->submit(std::move(request)); }
    DiskRequestPtr wait() {
        for (;;) {
            if (DiskRequestPtr done = disk_->poll_completion()) return done;
            woken_.acquire();
        }
    }
    std::uint64_t file_count() { return disk_->file_count(); }

    Result<storage::Recovery, storage::StoreError> opened;
    std::map<std::uint64_t, RecordLocation> found;

private:
    test::TempFolder folder_;
    std::counting_semaphore<> woken_{0};
    std::unique_ptr<storage::DiskThread> disk_;
};

template <class Disk>
class DiskConformance : public ::testing::Test {
public:
    DiskRequestPtr append(const std::vector<std::uint64_t> &arrivals) {
        AppendRequest append(arrivals);
        DiskRequestPtr done = disk.run(std::move(append.request));
        for (const DiskRecord &record : done->records) at[record.head.arrival] = record.at;
        return done;
    }
    DiskStatus sync() { return disk.run(std::make_unique<DiskRequest>())->status; }
    void erase(const std::vector<std::uint64_t> &arrivals) {
        auto request = std::make_unique<DiskRequest>();
        request->verb = DiskVerb::kErase;
        for (const std::uint64_t arrival : arrivals)
            request->erased.push_back(at.at(arrival).number);
        static_cast<void>(disk.run(std::move(request)));
    }
    DiskRequestPtr read(const std::vector<std::uint64_t> &arrivals) {
        auto request = std::make_unique<DiskRequest>();
        request->verb = DiskVerb::kRead;
        memory.clear();
        for (const std::uint64_t arrival : arrivals) {
            DiskRecord record;
            record.at = at.at(arrival);
            memory.emplace_back(record_bytes(15, payload_of(arrival).size()));
            record.buffer = memory.back();
            request->records.push_back(record);
        }
        return disk.run(std::move(request));
    }

    Disk disk;
    std::map<std::uint64_t, RecordLocation> at;
    std::vector<Bytes> memory;
};

using Disks = ::testing::Types<Simulated, Real>;
TYPED_TEST_SUITE(DiskConformance, Disks);

TYPED_TEST(DiskConformance, WhatIsAppendedAndFlushedCanBeRead) {
    this->disk.start();
    ASSERT_TRUE(this->disk.opened.has_value());
    EXPECT_EQ(this->append({1, 2, 3})->status, DiskStatus::kOk);
    EXPECT_EQ(this->sync(), DiskStatus::kOk);
    const DiskRequestPtr done = this->read({3, 1, 2});
    for (const DiskRecord &record : done->records) {
        EXPECT_EQ(record.status, DiskStatus::kOk);
        EXPECT_EQ(Bytes(record.octets.begin(), record.octets.end()),
                  payload_of(record.head.arrival));
        EXPECT_EQ(as_text(record.label), "to whom it goes");
        EXPECT_EQ(record.head.priority, Priority::kExpedited);
        EXPECT_EQ(record.head.received, 99U);
        EXPECT_EQ(record.head.expiry, kDtnNever);
    }
}

TYPED_TEST(DiskConformance, WhatIsNotErasedIsThereAfterARestart) {
    this->disk.start();
    for (std::uint64_t first = 1; first <= 200; first += 4) {
        EXPECT_EQ(this->append({first, first + 1, first + 2, first + 3})->status, DiskStatus::kOk);
        this->erase({first, first + 2});
        EXPECT_EQ(this->sync(), DiskStatus::kOk);
    }
    this->disk.stop();
    this->disk.found.clear();
    this->disk.start();
    ASSERT_TRUE(this->disk.opened.has_value());
    EXPECT_EQ(this->disk.opened->bundles, 100U);
    EXPECT_EQ(this->disk.opened->damage_count, 0U);
    for (const auto &[arrival, place] : this->disk.found) {
        EXPECT_EQ(arrival % 2, 0U);
        EXPECT_EQ(place.number, this->at.at(arrival).number);
        EXPECT_EQ(place.offset, this->at.at(arrival).offset);
    }
}

TYPED_TEST(DiskConformance, CompletionsComeInTheOrderOfTheWrites) {
    this->disk.start();
    std::vector<std::unique_ptr<AppendRequest>> appends;
    for (std::uint64_t i = 1; i <= 20; ++i) {
        appends.push_back(std::make_unique<AppendRequest>(std::vector<std::uint64_t>{i}));
        appends.back()->request->tag = i;
        this->disk.submit(std::move(appends.back()->request));
    }
    for (std::uint64_t i = 1; i <= 20; ++i) EXPECT_EQ(this->disk.wait()->tag, i);
}

TYPED_TEST(DiskConformance, ARecordElsewhereIsDamaged) {
    this->disk.start();
    EXPECT_EQ(this->append({1, 2})->status, DiskStatus::kOk);
    std::swap(this->at.at(1).number, this->at.at(2).number);
    const DiskRequestPtr done = this->read({1, 2});
    for (const DiskRecord &record : done->records) EXPECT_EQ(record.status, DiskStatus::kDamaged);
}

TYPED_TEST(DiskConformance, DeadFilesAreRemoved) {
    this->disk.start();
    for (std::uint64_t arrival = 1; arrival <= 300; ++arrival) {
        EXPECT_EQ(this->append({arrival})->status, DiskStatus::kOk);
        this->erase({arrival});
    }
    EXPECT_EQ(this->sync(), DiskStatus::kOk);
    EXPECT_LE(this->disk.file_count(), 2U);
}

}  // namespace
}  // namespace farlink::test
