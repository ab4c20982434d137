// SPDX-License-Identifier: Apache-2.0
// A store on several disks: their rates add up, order is kept, and a disk that fails does
// not disturb the others.
#include "module/storage/core/disk_scheduler.hpp"

#include <gtest/gtest.h>

#include "tests/unit/module/storage/core/rig.hpp"

namespace farlink::test::disk_scheduler_test {
namespace {

using storage::StorageCounter;
using Sequences = std::vector<std::uint64_t>;

constexpr std::uint64_t kMegabyte = 1'000'000;
constexpr std::uint64_t kBatchPayload = 200'000;

BundleSpec spec(std::uint64_t sequence, std::uint64_t payload = 100) {
    BundleSpec one;
    one.sequence = sequence;
    one.payload_bytes = payload;
    return one;
}

SimDiskSpeed rate(std::uint64_t megabytes_per_second) {
    SimDiskSpeed speed;
    speed.bytes_per_second = megabytes_per_second * kMegabyte;
    return speed;
}

/// Disks of their own, that outlive the rig.
struct Shelves {
    explicit Shelves(std::size_t count) : disks(count) {
        for (SimDirectory &disk : disks) all.push_back(&disk);
        options.segment_bytes = 4 * 1024 * 1024;
    }
    Rig start() { return {all, options}; }

    std::vector<SimDirectory> disks;
    std::vector<SimDirectory *> all;
    RigOptions options;
};

bool all_stored(const Rig &rig, std::uint64_t last) {
    for (std::uint64_t sequence = 1; sequence <= last; ++sequence)
        if (rig.outcome(sequence) != Outcome::kStored) return false;
    return true;
}

/// How long it takes to store `count` bundles with 40 of them on the way at a time.
Duration time_to_store(Rig &rig, std::uint64_t count) {
    constexpr std::uint64_t kWindow = 40;
    const TimePoint begin = rig.now;
    for (std::uint64_t sequence = 1; sequence <= count; ++sequence) {
        rig.store({spec(sequence, kBatchPayload)});
        while (sequence >= kWindow && rig.outcome(sequence - kWindow + 1) != Outcome::kStored)
            rig.run_for(microseconds(100));
    }
    while (!all_stored(rig, count)) rig.run_for(microseconds(100));
    return rig.now - begin;
}

double megabytes_per_second(std::uint64_t bundles, Duration duration) {
    const double bytes = static_cast<double>(bundles * kBatchPayload);
    return bytes / kMegabyte / std::chrono::duration<double>(duration).count();
}

TEST(SeveralDisks, RatesOfWritingAndReadingAddUp) {
    const std::vector<std::vector<std::uint64_t>> cases{
        {100}, {100, 100}, {100, 100, 100, 100}, {50, 150}};
    for (const std::vector<std::uint64_t> &rates : cases) {
        Shelves shelves(rates.size());
        double sum = 0;
        for (const std::uint64_t one : rates) {
            shelves.options.speeds.push_back(rate(one));
            sum += static_cast<double>(one);
        }
        Rig rig = shelves.start();
        constexpr std::uint64_t kBundles = 400;
        const double written = megabytes_per_second(kBundles, time_to_store(rig, kBundles));
        EXPECT_GT(written, 0.75 * sum) << rates.size() << " disks";
        EXPECT_LE(written, sum);

        rig.routes_to_both();
        const TimePoint begin = rig.now;
        rig.link_up(kLink20, kNode20);
        while (rig.core().figures().held() > 0 && rig.now < begin + seconds(100))
            rig.run_for(microseconds(100));
        const double read = megabytes_per_second(kBundles, rig.now - begin);
        EXPECT_GT(read, 0.8 * sum) << rates.size() << " disks";
        ASSERT_EQ(rig.released.size(), kBundles);
        for (std::uint64_t at = 0; at < kBundles; ++at)
            ASSERT_EQ(rig.released[at].sequence, at + 1) << "out of order";
    }
}

TEST(SeveralDisks, OrderIsKeptThoughOneDiskIsSlow) {
    Shelves shelves(2);
    SimDiskSpeed slow;
    slow.read = milliseconds(50);
    shelves.options.speeds = {slow, {}};
    Rig rig = shelves.start();
    Sequences expected;
    for (std::uint64_t sequence = 1; sequence <= 40; ++sequence) {
        rig.store({spec(sequence)});
        rig.run_for(milliseconds(sequence % 7));
        expected.push_back(sequence);
    }
    rig.run_for(milliseconds(50));
    EXPECT_GT(shelves.disks[0].faults().operations(), 0U);
    EXPECT_GT(shelves.disks[1].faults().operations(), 0U);
    rig.routes_to_both();
    rig.link_up(kLink20, kNode20);
    rig.run_for(seconds(5));
    EXPECT_EQ(rig.released_sequences(), expected);
}

TEST(SeveralDisks, ABatchIsAnsweredWhenAllItsDisksHaveFlushedIt) {
    Shelves shelves(2);
    const std::uint64_t one = record_bytes(17, encode(spec(1)).size());
    shelves.options.disk_capacities = {2 * one, 2 * one};
    SimDiskSpeed slow;
    slow.sync = milliseconds(100);
    shelves.options.speeds = {{}, slow};
    Rig rig = shelves.start();
    rig.store({spec(1), spec(2), spec(3), spec(4), spec(5)});
    rig.run_for(milliseconds(50));
    EXPECT_EQ(rig.outcome(1), Outcome::kPending);
    rig.run_for(milliseconds(100));
    EXPECT_EQ(rig.outcome(1), Outcome::kStored);
    EXPECT_EQ(rig.outcome(4), Outcome::kStored);
    EXPECT_EQ(rig.outcome(5), Outcome::kNoSpace);
    rig.routes_to_both();
    rig.link_up(kLink20, kNode20);
    rig.run_for(milliseconds(50));
    EXPECT_EQ(rig.released_sequences(), (Sequences{1, 2, 3, 4}));
}

TEST(SeveralDisks, ABatchIsKeptAsAWholeOrNotAtAll) {
    Shelves shelves(2);
    const std::uint64_t one = record_bytes(17, encode(spec(1)).size());
    shelves.options.disk_capacities = {2 * one, 2 * one};
    {
        Rig rig = shelves.start();
        shelves.disks[1].faults().set_removed(true);
        rig.store({spec(1), spec(2), spec(3)});
        rig.run_for(milliseconds(50));
        EXPECT_EQ(rig.outcome(1), Outcome::kNoSpace);
        EXPECT_EQ(rig.outcome(3), Outcome::kIoError);
        EXPECT_EQ(rig.core().figures().held(), 0U);
        rig.run_for(seconds(2));
    }
    shelves.disks[1].faults().set_removed(false);
    for (SimDirectory &disk : shelves.disks) disk.crash(1);
    Rig rig = shelves.start();
    EXPECT_EQ(rig.ready, Sequences{0});
}

TEST(SeveralDisks, ADiskThatFailsIsSetAsideAndTheOthersGoOn) {
    Shelves shelves(2);
    Rig rig = shelves.start();
    for (std::uint64_t sequence = 1; sequence <= 10; ++sequence) {
        rig.store({spec(sequence)});
        rig.run_for(milliseconds(20));
    }
    shelves.disks[0].faults().set_removed(true);
    std::uint64_t refused = 0;
    for (std::uint64_t sequence = 11; sequence <= 40; ++sequence) {
        for (int tries = 0; tries < 3 && rig.outcome(sequence) != Outcome::kStored; ++tries) {
            rig.store({spec(sequence)});
            rig.run_for(milliseconds(300));
            refused += rig.outcome(sequence) == Outcome::kIoError ? 1 : 0;
        }
        EXPECT_EQ(rig.outcome(sequence), Outcome::kStored) << sequence;
    }
    EXPECT_LE(refused, 5U);
    EXPECT_EQ(rig.count(StorageCounter::kDisksSetAside), 1U);
    EXPECT_TRUE(rig.core().figures().is_set_aside(0));
    rig.routes_to_both();
    rig.link_up(kLink20, kNode20);
    rig.run_for(seconds(1));
    EXPECT_EQ(rig.released.size(), 35U);
    EXPECT_EQ(rig.count(StorageCounter::kDeletedUnreadable), 5U);
    EXPECT_EQ(rig.core().figures().held(), 5U) << "kept, but not sent";
}

TEST(SeveralDisks, TheLastDiskIsNeverSetAside) {
    Shelves shelves(2);
    Rig rig = shelves.start();
    for (SimDirectory &disk : shelves.disks) disk.faults().set_removed(true);
    for (std::uint64_t sequence = 1; sequence <= 30; ++sequence) {
        rig.store({spec(sequence)});
        rig.run_for(milliseconds(500));
    }
    EXPECT_EQ(rig.count(StorageCounter::kDisksSetAside), 1U);
    const DiskIndex last = rig.core().figures().is_set_aside(0) ? 1 : 0;
    EXPECT_EQ(rig.core().figures().trouble(last), storage::DiskTrouble::kFailing);
    for (SimDirectory &disk : shelves.disks) disk.faults().set_removed(false);
    rig.store({spec(99)});
    rig.run_for(milliseconds(50));
    EXPECT_EQ(rig.outcome(99), Outcome::kStored);
    EXPECT_EQ(rig.core().figures().trouble(last), storage::DiskTrouble::kNone);
}

TEST(SeveralDisks, AFullDiskLeavesTheOthersTheWork) {
    Shelves shelves(2);
    shelves.options.segment_bytes = 64 * 1024;
    shelves.disks[0].set_capacity(10'000);
    Rig rig = shelves.start();
    std::uint64_t refused = 0;
    for (std::uint64_t sequence = 1; sequence <= 200; ++sequence) {
        for (int tries = 0; tries < 2 && rig.outcome(sequence) != Outcome::kStored; ++tries) {
            rig.store({spec(sequence, 1000)});
            rig.run_for(milliseconds(20));
            refused += rig.outcome(sequence) == Outcome::kNoSpace ? 1 : 0;
        }
        EXPECT_EQ(rig.outcome(sequence), Outcome::kStored) << sequence;
    }
    EXPECT_LE(refused, 5U);
    EXPECT_EQ(rig.count(StorageCounter::kDisksSetAside), 0U);
}

TEST(SeveralDisks, ADiskThatJoinsTakesOverTheKeyOfTheStore) {
    Shelves shelves(2);
    std::reverse(shelves.all.begin(), shelves.all.end());
    {
        Rig rig({shelves.all[1]}, shelves.options);
        rig.store({spec(1)});
        rig.run_for(milliseconds(20));
        EXPECT_EQ(rig.outcome(1), Outcome::kStored);
    }
    for (SimDirectory &disk : shelves.disks) disk.close();
    {
        shelves.options.key_octet = 0x11;  // what a new disk would draw by itself
        Rig rig = shelves.start();
        rig.store({spec(1)});
        EXPECT_EQ(rig.outcome(1), Outcome::kDuplicate);
        rig.store({spec(2)});
        rig.store({spec(3)});
        rig.run_for(milliseconds(20));
        EXPECT_FALSE(shelves.all[0]->files().empty());
    }
    for (SimDirectory &disk : shelves.disks) disk.close();
    shelves.options.key_octet = 0x22;
    Rig rig = shelves.start();
    EXPECT_EQ(rig.ready, Sequences{3});
    rig.store({spec(1), spec(2), spec(3)});
    EXPECT_EQ(rig.outcome(1), Outcome::kDuplicate);
    EXPECT_EQ(rig.outcome(2), Outcome::kDuplicate);
    EXPECT_EQ(rig.outcome(3), Outcome::kDuplicate);
}

}  // namespace
}  // namespace farlink::test::disk_scheduler_test
