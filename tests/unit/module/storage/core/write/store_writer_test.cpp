// SPDX-License-Identifier: Apache-2.0
#include "module/storage/core/write/store_writer.hpp"

#include <gtest/gtest.h>

#include "tests/unit/module/storage/core/rig.hpp"

namespace farlink::test::store_writer_test {
namespace {

using storage::StorageCounter;
using Sequences = std::vector<std::uint64_t>;

TEST(StoreWriter, AnswersOnlyAfterTheFlush) {
    SimDirectory directory;
    Rig rig(directory);
    rig.store({bundle_numbered(1)});
    rig.run_for(milliseconds(1));
    EXPECT_EQ(rig.outcome(1), Outcome::kPending);
    EXPECT_EQ(directory.syncs(), 0U);
    rig.run_for(milliseconds(2));
    EXPECT_EQ(rig.outcome(1), Outcome::kStored);
    EXPECT_EQ(directory.syncs(), 1U);
    EXPECT_EQ(rig.count(StorageCounter::kStoredNow), 1U);
}

TEST(StoreWriter, ExpiredOnArrivalIsNotStored) {
    SimDirectory directory;
    Rig rig(directory);
    BundleSpec late = bundle_numbered(1);
    late.lifetime_ms = 10;
    rig.store({late});
    EXPECT_EQ(rig.outcome(1), Outcome::kExpired);
    EXPECT_EQ(rig.core().figures().held(), 0U);
}

TEST(StoreWriter, TheCapacityHoldsAndComesBack) {
    SimDirectory directory;
    RigOptions options;
    options.capacity_bytes = 3 * record_bytes(17, encode(bundle_numbered(1)).size());
    Rig rig(directory, options);
    rig.store(bundles_numbered(1, 5));
    rig.run_for(milliseconds(10));
    EXPECT_EQ(rig.outcome(3), Outcome::kStored);
    EXPECT_EQ(rig.outcome(4), Outcome::kNoSpace);
    EXPECT_EQ(rig.count(StorageCounter::kRefused), 2U);
    rig.routes_to_both();
    rig.link_up(kLink20, kNode20);
    rig.run_for(milliseconds(10));
    rig.link_down(kLink20, kNode20);
    rig.store(bundles_numbered(4, 5));
    rig.run_for(milliseconds(10));
    EXPECT_EQ(rig.outcome(4), Outcome::kStored);
}

TEST(StoreWriter, WhatComesBehindARefusedBundleIsRefusedUntilIngressResumes) {
    SimDirectory directory;
    RigOptions options;
    options.capacity_bytes = 3 * record_bytes(17, encode(bundle_numbered(1)).size());
    Rig rig(directory, options);
    rig.core().handle(bus::StoreBatch{rig.make_batch(bundles_numbered(1, 4))}, rig.now);
    rig.routes_to_both();
    rig.link_up(kLink20, kNode20);
    rig.run_for(milliseconds(10));  // all three are sent: there is room again
    EXPECT_EQ(rig.outcome(4), Outcome::kNoSpace);
    rig.core().handle(bus::StoreBatch{rig.make_batch({bundle_numbered(5)})}, rig.now);
    rig.run_for(milliseconds(10));
    EXPECT_EQ(rig.outcome(5), Outcome::kNoSpace);
    rig.store(bundles_numbered(4, 5));  // marked: the oldest comes first
    rig.run_for(milliseconds(10));
    EXPECT_EQ(rig.outcome(4), Outcome::kStored);
    EXPECT_EQ(rig.outcome(5), Outcome::kStored);
}

// The disk may have got room in between; but what is kept must not overtake what is not.

TEST(StoreWriter, BehindAWriteThatFailedNoneIsKept) {
    for (const storage::FileError error : {storage::FileError::kNoSpace, storage::FileError::kIo}) {
        SimDirectory directory;
        Rig rig(directory);
        rig.store({bundle_numbered(9)});
        rig.run_for(milliseconds(10));
        directory.faults().fail_at(0, error);
        rig.store({bundle_numbered(1)});
        rig.store({bundle_numbered(2)});
        rig.run_for(milliseconds(10));
        EXPECT_NE(rig.outcome(1), Outcome::kStored);
        EXPECT_EQ(rig.outcome(2), Outcome::kNoSpace);
        EXPECT_EQ(rig.core().figures().held(), 1U);

        rig.store({bundle_numbered(1), bundle_numbered(2)});
        rig.run_for(milliseconds(10));
        EXPECT_EQ(rig.outcome(1), Outcome::kStored);
        EXPECT_EQ(rig.outcome(2), Outcome::kStored);
        rig.routes_to_both();
        rig.link_up(kLink20, kNode20);
        rig.run_for(milliseconds(10));
        EXPECT_EQ(rig.released_sequences(), (Sequences{9, 1, 2}));
    }
}

TEST(StoreWriter, AnUnansweredWriteDoesNotComeBack) {
    SimDirectory directory;
    directory.set_failed_sync_keeps(true);
    {
        Rig rig(directory);
        rig.store({bundle_numbered(1)});
        rig.run_for(milliseconds(1));  // written by now
        directory.faults().fail_at(0, storage::FileError::kIo);
        rig.run_for(seconds(3));
        EXPECT_EQ(rig.outcome(1), Outcome::kIoError);
    }
    directory.crash(1);
    Rig rig(directory);
    EXPECT_EQ(rig.ready, (Sequences{0}));
}

TEST(StoreWriter, AFullDiskRefusesAndRecovers) {
    SimDirectory directory;
    Rig rig(directory);
    rig.store({bundle_numbered(1)});
    rig.run_for(milliseconds(10));
    directory.set_capacity(4096 + 600);
    rig.store(bundles_numbered(2, 5));
    rig.run_for(milliseconds(10));
    EXPECT_EQ(rig.outcome(2), Outcome::kNoSpace);
    EXPECT_EQ(rig.outcome(1), Outcome::kStored);
    rig.store({bundle_numbered(6)});
    rig.run_for(milliseconds(10));
    EXPECT_EQ(rig.outcome(6), Outcome::kStored);
    directory.set_capacity(1 << 20);
    rig.store(bundles_numbered(2, 5));
    rig.run_for(milliseconds(10));
    EXPECT_EQ(rig.outcome(2), Outcome::kStored);
    EXPECT_EQ(rig.core().figures().held(), 6U);
}

TEST(StoreWriter, ADiskFullOfSentBundlesIsUsedAgain) {
    SimDirectory directory;
    directory.set_capacity(16 * 1024);
    Rig rig(directory);
    rig.routes_to_both();
    BundleSpec large;
    large.payload_bytes = 1500;
    for (std::uint64_t sequence = 1; sequence <= 100; ++sequence) {
        large.sequence = sequence;
        rig.link_down(kLink20, kNode20);
        rig.store({large});
        rig.run_for(milliseconds(30));
        ASSERT_EQ(rig.outcome(sequence), Outcome::kStored) << sequence;
        rig.link_up(kLink20, kNode20);
        rig.run_for(milliseconds(30));
    }
    EXPECT_EQ(rig.released.size(), 100U);
}

}  // namespace
}  // namespace farlink::test::store_writer_test
