// SPDX-License-Identifier: Apache-2.0
#include "module/storage/core/storage_figures.hpp"

#include <gtest/gtest.h>

#include "tests/unit/module/storage/core/spool_rig.hpp"
#include "tests/unit/module/storage/core/write/gathering_fixture.hpp"

namespace farlink::test::storage_figures_test {
namespace {

TEST(StorageFigures, ADiskIsOkFullOrSetAside) {
    SimDirectory one;
    SimDirectory two;
    RigOptions options;
    options.disk_capacities = {4000, 1'000'000};
    Rig rig({&one, &two}, options);
    EXPECT_EQ(rig.core().figures().disk_report(0).state, bus::DiskState::kOk);
    EXPECT_EQ(rig.core().figures().disk_report(0).capacity_bytes, 4000U);
    EXPECT_EQ(rig.core().figures().disk_report(0).used_bytes, 0U);
    for (std::uint64_t sequence = 1; sequence <= 100; ++sequence) {
        rig.store({bundle_numbered(sequence)});
        rig.run_for(kRigMoment);
    }
    EXPECT_GT(rig.core().figures().disk_report(0).used_bytes, 3000U);
    EXPECT_GT(rig.core().figures().disk_report(1).used_bytes, 3000U);
    rig.core().set_aside(1);
    EXPECT_EQ(rig.core().figures().disk_report(1).state, bus::DiskState::kSetAside);
}

TEST(StorageFigures, AFullDiskIsOkOnceItHasRoom) {
    SimDirectory disk;
    Rig rig(disk);
    disk.set_capacity(0);
    rig.store({bundle_numbered(1)});
    rig.run_for(kRigMoment);
    EXPECT_EQ(rig.outcome(1), Outcome::kNoSpace);
    EXPECT_EQ(rig.core().figures().disk_report(0).state, bus::DiskState::kFull);
    rig.core().figures().handle_room(0);
    EXPECT_EQ(rig.core().figures().disk_report(0).state, bus::DiskState::kOk);
}

// They were written before the disk was full.
TEST(StorageFigures, BundlesThatAreFlushedLaterDoNotEndAFullDisk) {
    SimDirectory disk;
    Rig rig(disk);
    rig.store({bundle_numbered(1)});
    rig.run_for(kRigMoment);
    disk.set_capacity(4096 + 600);
    rig.store({bundle_numbered(2)});
    rig.store(bundles_numbered(3, 20));
    rig.run_for(kRigMoment);
    ASSERT_EQ(rig.outcome(2), Outcome::kStored);
    ASSERT_EQ(rig.outcome(3), Outcome::kNoSpace);
    EXPECT_EQ(rig.core().figures().disk_report(0).state, bus::DiskState::kFull);
}

TEST(StorageFigures, RoomDoesNotEndFailures) {
    SimDirectory disk;
    Rig rig(disk);
    disk.faults().set_removed(true);
    rig.store({bundle_numbered(1)});
    rig.run_for(kRigMoment);
    EXPECT_EQ(rig.core().figures().disk_report(0).state, bus::DiskState::kFailing);
    rig.core().figures().handle_room(0);
    EXPECT_EQ(rig.core().figures().disk_report(0).state, bus::DiskState::kFailing);
}

// The pieces of a bundle and the bundle of a set count no more than once.
TEST(StorageFigures, NoMoreBundlesAreOverdueThanAreHeld) {
    SimDirectory disk;
    RigOptions options = gathering::joining();
    {
        Rig rig(disk, options);
        store_spooled(rig, encode(spooled_spec(1)));
        for (const Bytes &fragment :
             gathering::cut_at(gathering::bundle_of(2, 1000, kNode20), {500}))
            EXPECT_EQ(rig.store_octets(fragment), Outcome::kStored);
        EXPECT_EQ(rig.core().figures().overdue(), 0U);
        rig.drain();
    }
    disk.close();
    options.wall_ms += 7'200'000;
    options.clock_doubted = true;
    Rig rig(disk, options);
    EXPECT_EQ(rig.core().figures().held(), 3U);
    EXPECT_EQ(rig.core().figures().overdue(), 3U);
}

TEST(StorageFigures, EveryFlushIsMeasured) {
    SimDirectory disk;
    Rig rig(disk);
    rig.store(bundles_numbered(1, 3));
    rig.run_for(kRigMoment);
    const auto &times = rig.core().figures().flush_times();
    EXPECT_EQ(times.count(), rig.count(storage::StorageCounter::kFlushes));
    EXPECT_GT(times.count(), 0U);
    EXPECT_LE(times.largest(), static_cast<std::uint64_t>(Duration(kRigMoment).count()));
}

}  // namespace
}  // namespace farlink::test::storage_figures_test
