// SPDX-License-Identifier: Apache-2.0
#include "module/storage/core/storage_core.hpp"

#include <gtest/gtest.h>

#include "tests/unit/module/storage/core/rig.hpp"

namespace farlink::testing {
namespace {

using storage::StorageCounter;
using Sequences = std::vector<std::uint64_t>;

TEST(StorageCore, AnswersOnlyAfterTheFlush) {
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

// RFC 9171 section 4.2.3: they have no identity.
TEST(StorageCore, BundlesWithoutASourceAreNoDuplicates) {
    SimDirectory directory;
    Rig rig(directory);
    BundleSpec anonymous;
    anonymous.source_node = 0;
    rig.store({anonymous, anonymous});
    rig.store({anonymous});
    rig.run_for(milliseconds(50));
    EXPECT_EQ(rig.count(StorageCounter::kStoredNow), 3U);
    EXPECT_EQ(rig.count(StorageCounter::kDuplicates), 0U);
    rig.routes_to_both();
    rig.link_up(kLink20, kNode20);
    rig.run_for(milliseconds(50));
    EXPECT_EQ(rig.released.size(), 3U);
    EXPECT_EQ(rig.core().figures().held(), 0U);
}

TEST(StorageCore, OneFlushCoversAllThatCameDuringTheLast) {
    SimDirectory directory;
    Rig rig(directory);
    for (std::uint64_t sequence = 1; sequence <= 10; ++sequence)
        rig.store({bundle_numbered(sequence)});
    rig.run_for(milliseconds(20));
    for (std::uint64_t sequence = 1; sequence <= 10; ++sequence)
        EXPECT_EQ(rig.outcome(sequence), Outcome::kStored);
    EXPECT_EQ(rig.count(StorageCounter::kFlushes), 2U);
}

TEST(StorageCore, TellsTheRouterWhatWaits) {
    SimDirectory directory;
    Rig rig(directory);
    rig.store(bundles_numbered(1, 5));
    rig.run_for(milliseconds(200));
    ASSERT_EQ(rig.waiting.size(), 1U);
    EXPECT_EQ(rig.waiting[0].node, kNode20);
    EXPECT_EQ(rig.waiting[0].priority, Priority::kNormal);
    EXPECT_GT(rig.waiting[0].bytes, 0U);
    rig.routes_to_both();
    rig.link_up(kLink20, kNode20);
    rig.run_for(milliseconds(10));
    while (!rig.lent.empty()) rig.set_outcome(0, Outcome::kSent);
    rig.run_for(milliseconds(200));
    EXPECT_TRUE(rig.waiting.empty()) << "what has been sent waits no more";
}

TEST(StorageCore, RestoresWhatItHeldAndSaysSo) {
    SimDirectory directory;
    {
        Rig rig(directory);
        rig.store(bundles_numbered(1, 5));
        BundleSpec other = bundle_numbered(6);
        other.destination_node = 30;
        rig.store({other});
        rig.run_for(milliseconds(10));
        rig.drain();
        EXPECT_TRUE(rig.core().idle());
    }
    directory.close();
    RigOptions later;
    later.wall_ms = kRigStartMs + 60'000;  // the node was off for a minute
    Rig rig(directory, later);
    EXPECT_EQ(rig.ready, (Sequences{6}));
    ASSERT_EQ(rig.backlogs.size(), 2U);
    EXPECT_EQ(rig.backlogs[0].waiting + rig.backlogs[1].waiting, 6U);
    EXPECT_EQ(rig.backlogs[0].taken[0] + rig.backlogs[1].taken[0], 0U);
    rig.routes_to_both();
    rig.link_up(kLink20, kNode20);
    rig.run_for(milliseconds(10));
    EXPECT_EQ(rig.released_sequences(), (Sequences{1, 2, 3, 4, 5}));
    EXPECT_GE(rig.released[0].age, seconds(60));
    EXPECT_LT(rig.released[0].age, seconds(61));
    EXPECT_EQ(rig.count(StorageCounter::kRestored), 6U);
    EXPECT_EQ(rig.count(StorageCounter::kStoredNow), 1U);
}

TEST(StorageCore, SentBundlesDoNotComeBack) {
    SimDirectory directory;
    {
        Rig rig(directory);
        rig.store(bundles_numbered(1, 5));
        rig.routes_to_both();
        rig.link_up(kLink20, kNode20);
        rig.run_for(seconds(2));
        EXPECT_EQ(rig.released.size(), 5U);
    }
    directory.crash(1);
    Rig rig(directory);
    EXPECT_EQ(rig.ready, (Sequences{0}));
}

TEST(StorageCore, ExpiredBundlesAreDeletedAndReported) {
    SimDirectory directory;
    RigOptions options;
    options.reports = true;
    Rig rig(directory, options);
    BundleSpec brief = bundle_numbered(1);
    brief.created = kRigStartMs;
    brief.lifetime_ms = 1000;
    BundleSpec reported = brief;
    reported.sequence = 2;
    reported.report_deletion = true;
    rig.store({brief, reported, bundle_numbered(3)});
    rig.run_for(milliseconds(900));
    EXPECT_EQ(rig.core().figures().held(), 3U);
    rig.run_for(milliseconds(300));
    EXPECT_EQ(rig.core().figures().held(), 1U);
    EXPECT_EQ(rig.count(StorageCounter::kExpired), 2U);
    ASSERT_EQ(rig.reports.size(), 1U);
    EXPECT_EQ(rig.reports[0].event, bus::ReportEvent::kDeleted);
    EXPECT_EQ(rig.reports[0].reason, 1);
    EXPECT_EQ(rig.reports[0].payload_length, 100U);
    const Bytes whole = encode(reported);
    EXPECT_TRUE(std::equal(rig.reports[0].head.begin(), rig.reports[0].head.end(), whole.begin()));
    rig.routes_to_both();
    rig.link_up(kLink20, kNode20);
    rig.run_for(milliseconds(10));
    EXPECT_EQ(rig.released_sequences(), (Sequences{3}));
}

TEST(StorageCore, ABundleThatExpiresWhileItIsLentIsDeletedWhenItComesBack) {
    SimDirectory directory;
    Rig rig(directory);
    rig.send_at_once = false;
    BundleSpec brief = bundle_numbered(1);
    brief.created = kRigStartMs;
    brief.lifetime_ms = 1000;
    rig.store({brief});
    rig.routes_to_both();
    rig.link_up(kLink20, kNode20);
    rig.run_for(seconds(2));
    ASSERT_EQ(rig.lent.size(), 1U);
    rig.set_outcome(0, Outcome::kNotSent);
    EXPECT_EQ(rig.core().figures().held(), 0U);
    EXPECT_EQ(rig.count(StorageCounter::kExpired), 1U);
    EXPECT_EQ(rig.backlogs.size(), 1U);
}

TEST(StorageCore, ABundleThatExpiresWhileItIsWrittenIsDeletedAfterwards) {
    SimDirectory directory;
    Rig rig(directory);
    BundleSpec brief = bundle_numbered(1);
    brief.created = kRigStartMs;
    brief.lifetime_ms = 1;
    rig.store({brief});
    rig.run_for(milliseconds(10));
    EXPECT_EQ(rig.outcome(1), Outcome::kStored);
    EXPECT_EQ(rig.core().figures().held(), 0U);
    EXPECT_EQ(rig.count(StorageCounter::kExpired), 1U);
}

TEST(StorageCore, ExpiredOnArrivalIsNotStored) {
    SimDirectory directory;
    Rig rig(directory);
    BundleSpec late = bundle_numbered(1);
    late.lifetime_ms = 10;
    rig.store({late});
    EXPECT_EQ(rig.outcome(1), Outcome::kExpired);
    EXPECT_EQ(rig.core().figures().held(), 0U);
}

TEST(StorageCore, TheCapacityHoldsAndComesBack) {
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

TEST(StorageCore, WhatComesBehindARefusedBundleIsRefusedUntilIngressResumes) {
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

TEST(StorageCore, ADuplicateIsSafeWhenItsFirstCopyIs) {
    SimDirectory directory;
    Rig rig(directory);
    rig.store({bundle_numbered(1), bundle_numbered(2)});
    rig.store({bundle_numbered(1)});
    EXPECT_EQ(rig.outcome(1), Outcome::kPending);
    rig.run_for(milliseconds(10));
    EXPECT_EQ(rig.outcome(1), Outcome::kDuplicate);
    EXPECT_EQ(rig.outcome(2), Outcome::kStored);
    rig.store({bundle_numbered(2)});
    EXPECT_EQ(rig.outcome(2), Outcome::kDuplicate);
    EXPECT_EQ(rig.count(StorageCounter::kDuplicates), 2U);
    EXPECT_EQ(rig.core().figures().held(), 2U);
}

TEST(StorageCore, ADuplicateSharesTheFateOfAFailedFirstCopy) {
    SimDirectory directory;
    Rig rig(directory);
    rig.store({bundle_numbered(9)});
    rig.run_for(milliseconds(10));
    rig.store({bundle_numbered(1)});
    rig.store({bundle_numbered(1)});
    directory.fail_at(1, storage::FileError::kIo);  // the flush
    rig.run_for(milliseconds(10));
    EXPECT_EQ(rig.outcome(1), Outcome::kIoError);
    EXPECT_EQ(rig.core().figures().held(), 1U);
    rig.store({bundle_numbered(1)});
    rig.run_for(milliseconds(10));
    EXPECT_EQ(rig.outcome(1), Outcome::kStored);
    EXPECT_GE(rig.count(StorageCounter::kIoErrors), 1U);
}

// The disk may have got room in between; but what is kept must not overtake what is not.

TEST(StorageCore, BehindAWriteThatFailedNoneIsKept) {
    for (const storage::FileError error : {storage::FileError::kNoSpace, storage::FileError::kIo}) {
        SimDirectory directory;
        Rig rig(directory);
        rig.store({bundle_numbered(9)});
        rig.run_for(milliseconds(10));
        directory.fail_at(0, error);
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

TEST(StorageCore, WhatNobodyWasToldIsStoredDoesNotComeBack) {
    SimDirectory directory;
    directory.set_failed_sync_keeps(true);
    {
        Rig rig(directory);
        rig.store({bundle_numbered(1)});
        rig.run_for(milliseconds(1));  // written by now
        directory.fail_at(0, storage::FileError::kIo);
        rig.run_for(seconds(3));
        EXPECT_EQ(rig.outcome(1), Outcome::kIoError);
    }
    directory.crash(1);
    Rig rig(directory);
    EXPECT_EQ(rig.ready, (Sequences{0}));
}

TEST(StorageCore, ADuplicateIsKnownAfterARestart) {
    SimDirectory directory;
    {
        Rig rig(directory);
        rig.store({bundle_numbered(1)});
        rig.run_for(milliseconds(10));
    }
    directory.crash(3);
    Rig rig(directory);
    rig.store({bundle_numbered(1)});
    EXPECT_EQ(rig.outcome(1), Outcome::kDuplicate);
}

TEST(StorageCore, AnUnreadableBundleIsNamedAndNeverSent) {
    SimDirectory directory;
    Rig rig(directory);
    rig.store(bundles_numbered(1, 3));
    rig.run_for(milliseconds(10));
    Bytes &content = directory.content(1);
    const std::uint64_t second = 4096 + record_bytes(17, encode(bundle_numbered(1)).size());
    content[second + 150] ^= 1;
    rig.routes_to_both();
    rig.link_up(kLink20, kNode20);
    rig.run_for(milliseconds(10));
    EXPECT_EQ(rig.released_sequences(), (Sequences{1, 3}));
    EXPECT_EQ(rig.count(StorageCounter::kDeletedUnreadable), 1U);
    const auto named = rig.core().figures().poll_unreadable();
    ASSERT_TRUE(named.has_value());
    EXPECT_EQ(named->at.offset, second);
    EXPECT_FALSE(rig.core().figures().poll_unreadable().has_value());
    EXPECT_EQ(rig.core().figures().held(), 1U);
    EXPECT_EQ(rig.backlogs.size(), 1U);
    // It does not count as held against a new copy.
    rig.store({bundle_numbered(2)});
    rig.run_for(milliseconds(10));
    EXPECT_EQ(rig.outcome(2), Outcome::kStored);
}

TEST(StorageCore, AFullDiskRefusesAndRecovers) {
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

TEST(StorageCore, ADiskFullOfSentBundlesIsUsedAgain) {
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
}  // namespace farlink::testing
