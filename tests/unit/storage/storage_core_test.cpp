// SPDX-License-Identifier: Apache-2.0
#include "module/storage/core/storage_core.hpp"

#include <gtest/gtest.h>

#include "tests/unit/storage/rig.hpp"

namespace farlink::testing {
namespace {

using storage::StorageCounter;
using Sequences = std::vector<std::uint64_t>;

std::vector<BundleSpec> specs(std::uint64_t first, std::uint64_t last, BundleSpec base = {}) {
    std::vector<BundleSpec> all;
    for (base.sequence = first; base.sequence <= last; ++base.sequence) all.push_back(base);
    return all;
}

BundleSpec spec(std::uint64_t sequence) {
    BundleSpec one;
    one.sequence = sequence;
    return one;
}

TEST(StorageCore, AnswersOnlyAfterTheFlush) {
    SimDirectory directory;
    Rig rig(directory);
    rig.store({spec(1)});
    rig.run_for(milliseconds(1));
    EXPECT_EQ(rig.outcome(1), Outcome::kPending);
    EXPECT_EQ(directory.syncs(), 0U);
    rig.run_for(milliseconds(2));
    EXPECT_EQ(rig.outcome(1), Outcome::kStored);
    EXPECT_EQ(directory.syncs(), 1U);
    EXPECT_EQ(rig.count(StorageCounter::kStoredNow), 1U);
}

TEST(StorageCore, OneFlushCoversAllThatCameDuringTheLast) {
    SimDirectory directory;
    Rig rig(directory);
    for (std::uint64_t sequence = 1; sequence <= 10; ++sequence) rig.store({spec(sequence)});
    rig.run_for(milliseconds(20));
    for (std::uint64_t sequence = 1; sequence <= 10; ++sequence)
        EXPECT_EQ(rig.outcome(sequence), Outcome::kStored);
    EXPECT_EQ(rig.count(StorageCounter::kFlushes), 2U);
}

TEST(StorageCore, ReleasesWhenTheLinkOfTheFirstCandidateIsUp) {
    SimDirectory directory;
    Rig rig(directory);
    rig.store(specs(1, 3));
    rig.run_for(milliseconds(10));
    rig.routes_to_both();
    rig.link_up(kLink30, kNode30);
    rig.run_for(milliseconds(10));
    EXPECT_TRUE(rig.released.empty());
    rig.link_up(kLink20, kNode20);
    rig.run_for(milliseconds(10));
    EXPECT_EQ(rig.released_sequences(), (Sequences{1, 2, 3}));
    EXPECT_EQ(rig.released[0].octets, encode(spec(1)));
    EXPECT_EQ(rig.released[0].link, kLink20);
    EXPECT_EQ(rig.count(StorageCounter::kStoredNow), 0U);
    EXPECT_EQ(rig.count(StorageCounter::kReleased), 3U);
    EXPECT_EQ(rig.core().held(), 0U);
}

TEST(StorageCore, HigherPriorityLeavesFirst) {
    SimDirectory directory;
    Rig rig(directory);
    BundleSpec bulk = spec(1), normal = spec(2), expedited = spec(3);
    bulk.priority = Priority::kBulk;
    expedited.priority = Priority::kExpedited;
    rig.store({bulk, normal, expedited});
    rig.run_for(milliseconds(10));
    rig.routes_to_both();
    rig.link_up(kLink20, kNode20);
    rig.run_for(milliseconds(10));
    EXPECT_EQ(rig.released_sequences(), (Sequences{3, 2, 1}));
    EXPECT_EQ(rig.released[0].priority, Priority::kExpedited);
}

TEST(StorageCore, AnOlderArrivalThatComesLateTakesItsPlace) {
    SimDirectory directory;
    Rig rig(directory);
    std::uint64_t arrival = 0;
    for (const std::uint64_t place : {50, 60, 10, 55, 20, 70, 15}) {
        BundleSpec late = spec(++arrival);
        late.arrival = place;
        rig.store({late});
        rig.run_for(milliseconds(10));
    }
    rig.routes_to_both();
    rig.link_up(kLink20, kNode20);
    rig.run_for(milliseconds(10));
    EXPECT_EQ(rig.released_sequences(), (Sequences{3, 7, 5, 1, 4, 2, 6}));
}

TEST(StorageCore, WhatWasNotSentKeepsItsPlaceAndIsNeverLentTwice) {
    SimDirectory directory;
    RigOptions options;
    options.limits.link_bundles = 4;
    Rig rig(directory, options);
    rig.send_at_once = false;
    rig.store(specs(1, 10));
    rig.run_for(milliseconds(10));
    rig.routes_to_both();
    rig.link_up(kLink20, kNode20);
    rig.run_for(milliseconds(10));
    ASSERT_EQ(rig.lent.size(), 1U);
    EXPECT_EQ(rig.released_sequences(), (Sequences{1, 2, 3, 4}));
    rig.link_down(kLink20, kNode20);
    rig.lent[0]->bundles[0].outcome = Outcome::kSent;
    for (std::size_t i = 1; i < 4; ++i) rig.lent[0]->bundles[i].outcome = Outcome::kNotSent;
    rig.settle(0, Outcome::kPending);
    rig.released.clear();
    rig.send_at_once = true;
    rig.link_up(kLink20, kNode20);
    rig.run_for(milliseconds(10));
    EXPECT_EQ(rig.released_sequences(), (Sequences{2, 3, 4, 5, 6, 7, 8, 9, 10}));
    EXPECT_EQ(rig.count(StorageCounter::kReturned), 3U);
    EXPECT_EQ(rig.core().held(), 0U);
}

TEST(StorageCore, TheWindowOfALinkLimitsWhatIsLent) {
    SimDirectory directory;
    RigOptions options;
    options.limits.link_bytes = 3000;
    Rig rig(directory, options);
    rig.send_at_once = false;
    BundleSpec large;
    large.payload_bytes = 900;
    rig.store(specs(1, 10, large));
    large.payload_bytes = 5000;  // above the window: it must travel alone
    rig.store(specs(11, 11, large));
    rig.run_for(milliseconds(10));
    rig.routes_to_both();
    rig.link_up(kLink20, kNode20);
    for (int rounds = 0; rounds < 20 && rig.core().held() > 0; ++rounds) {
        rig.run_for(milliseconds(10));
        std::uint64_t bytes = 0, bundles = 0;
        for (const BatchPtr &batch : rig.lent) {
            bytes += batch->bytes;
            bundles += batch->bundles.size();
        }
        EXPECT_TRUE(bytes <= 3000 || bundles == 1) << bytes;
        ASSERT_FALSE(rig.lent.empty());
        rig.settle(0, Outcome::kSent);
    }
    EXPECT_EQ(rig.released.size(), 11U);
}

TEST(StorageCore, WhatWasReadAheadComesBackWhenTheLinkGoes) {
    SimDirectory directory;
    RigOptions options;
    options.limits.link_bytes = 3000;
    Rig rig(directory, options);
    rig.send_at_once = false;
    BundleSpec large;
    large.payload_bytes = 900;
    rig.store(specs(1, 20, large));
    rig.run_for(milliseconds(10));
    rig.routes_to_both();
    rig.link_up(kLink20, kNode20);
    rig.run_for(milliseconds(10));
    // The link shows how fast it is, so more is read than it may have in hand.
    while (rig.released.size() < 9) {
        ASSERT_FALSE(rig.lent.empty());
        rig.settle(0, Outcome::kSent);
        rig.run_for(milliseconds(1));
    }
    rig.link_down(kLink20, kNode20);
    while (!rig.lent.empty()) {
        rig.settle(0, Outcome::kNotSent);
        rig.run_for(milliseconds(1));
    }
    Sequences left;
    for (std::uint64_t at = rig.count(StorageCounter::kReleased) + 1; at <= 20; ++at)
        left.push_back(at);
    rig.released.clear();
    rig.send_at_once = true;
    rig.link_up(kLink20, kNode20);
    rig.run_for(milliseconds(100));
    EXPECT_EQ(rig.released_sequences(), left);
    EXPECT_EQ(rig.core().held(), 0U);
}

TEST(StorageCore, ReportsAnEmptyFlowOnlyWhenItsLastBundleIsSent) {
    SimDirectory directory;
    Rig rig(directory);
    rig.send_at_once = false;
    rig.store(specs(1, 3));
    rig.run_for(milliseconds(10));
    rig.routes_to_both();
    rig.link_up(kLink20, kNode20);
    rig.run_for(milliseconds(10));
    EXPECT_TRUE(rig.backlogs.empty());
    rig.store({spec(4)});
    rig.settle(0, Outcome::kSent);
    EXPECT_TRUE(rig.backlogs.empty());
    rig.run_for(milliseconds(10));
    ASSERT_EQ(rig.lent.size(), 1U);
    rig.settle(0, Outcome::kSent);
    ASSERT_EQ(rig.backlogs.size(), 1U);
    EXPECT_EQ(rig.backlogs[0].waiting, 0U);
    EXPECT_EQ(rig.backlogs[0].taken, 4U);
}

TEST(StorageCore, ReportsAFlowWhoseBundlesWereRefused) {
    SimDirectory directory;
    RigOptions options;
    options.capacity_bytes = 100;
    Rig rig(directory, options);
    rig.store({spec(1)});
    EXPECT_EQ(rig.outcome(1), Outcome::kNoSpace);
    ASSERT_EQ(rig.backlogs.size(), 1U);
    EXPECT_EQ(rig.backlogs[0].taken, 1U);
}

TEST(StorageCore, RestoresWhatItHeldAndSaysSo) {
    SimDirectory directory;
    {
        Rig rig(directory);
        rig.store(specs(1, 5));
        BundleSpec other = spec(6);
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
    EXPECT_EQ(rig.backlogs[0].taken + rig.backlogs[1].taken, 0U);
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
        rig.store(specs(1, 5));
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
    BundleSpec brief = spec(1);
    brief.created = kRigStartMs;
    brief.lifetime_ms = 1000;
    BundleSpec reported = brief;
    reported.sequence = 2;
    reported.report_deletion = true;
    rig.store({brief, reported, spec(3)});
    rig.run_for(milliseconds(900));
    EXPECT_EQ(rig.core().held(), 3U);
    rig.run_for(milliseconds(300));
    EXPECT_EQ(rig.core().held(), 1U);
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
    BundleSpec brief = spec(1);
    brief.created = kRigStartMs;
    brief.lifetime_ms = 1000;
    rig.store({brief});
    rig.routes_to_both();
    rig.link_up(kLink20, kNode20);
    rig.run_for(seconds(2));
    ASSERT_EQ(rig.lent.size(), 1U);
    rig.settle(0, Outcome::kNotSent);
    EXPECT_EQ(rig.core().held(), 0U);
    EXPECT_EQ(rig.count(StorageCounter::kExpired), 1U);
    EXPECT_EQ(rig.backlogs.size(), 1U);
}

TEST(StorageCore, ABundleThatExpiresWhileItIsWrittenIsDeletedAfterwards) {
    SimDirectory directory;
    Rig rig(directory);
    BundleSpec brief = spec(1);
    brief.created = kRigStartMs;
    brief.lifetime_ms = 1;
    rig.store({brief});
    rig.run_for(milliseconds(10));
    EXPECT_EQ(rig.outcome(1), Outcome::kStored);
    EXPECT_EQ(rig.core().held(), 0U);
    EXPECT_EQ(rig.count(StorageCounter::kExpired), 1U);
}

TEST(StorageCore, ExpiredOnArrivalIsNotStored) {
    SimDirectory directory;
    Rig rig(directory);
    BundleSpec late = spec(1);
    late.lifetime_ms = 10;
    rig.store({late});
    EXPECT_EQ(rig.outcome(1), Outcome::kExpired);
    EXPECT_EQ(rig.core().held(), 0U);
}

TEST(StorageCore, TheCapacityHoldsAndComesBack) {
    SimDirectory directory;
    RigOptions options;
    options.capacity_bytes = 3 * record_bytes(17, encode(spec(1)).size());
    Rig rig(directory, options);
    rig.store(specs(1, 5));
    rig.run_for(milliseconds(10));
    EXPECT_EQ(rig.outcome(3), Outcome::kStored);
    EXPECT_EQ(rig.outcome(4), Outcome::kNoSpace);
    EXPECT_EQ(rig.count(StorageCounter::kRefused), 2U);
    rig.routes_to_both();
    rig.link_up(kLink20, kNode20);
    rig.run_for(milliseconds(10));
    rig.link_down(kLink20, kNode20);
    rig.store(specs(4, 5));
    rig.run_for(milliseconds(10));
    EXPECT_EQ(rig.outcome(4), Outcome::kStored);
}

TEST(StorageCore, WhatComesBehindARefusedBundleIsRefusedUntilIngressResumes) {
    SimDirectory directory;
    RigOptions options;
    options.capacity_bytes = 3 * record_bytes(17, encode(spec(1)).size());
    Rig rig(directory, options);
    rig.core().handle(bus::StoreBatch{rig.make_batch(specs(1, 4))}, rig.now);
    rig.routes_to_both();
    rig.link_up(kLink20, kNode20);
    rig.run_for(milliseconds(10));  // all three are sent: there is room again
    EXPECT_EQ(rig.outcome(4), Outcome::kNoSpace);
    rig.core().handle(bus::StoreBatch{rig.make_batch({spec(5)})}, rig.now);
    rig.run_for(milliseconds(10));
    EXPECT_EQ(rig.outcome(5), Outcome::kNoSpace);
    rig.store(specs(4, 5));  // marked: the oldest comes first
    rig.run_for(milliseconds(10));
    EXPECT_EQ(rig.outcome(4), Outcome::kStored);
    EXPECT_EQ(rig.outcome(5), Outcome::kStored);
}

TEST(StorageCore, ADuplicateIsSafeWhenItsFirstCopyIs) {
    SimDirectory directory;
    Rig rig(directory);
    rig.store({spec(1), spec(2)});
    rig.store({spec(1)});
    EXPECT_EQ(rig.outcome(1), Outcome::kPending);
    rig.run_for(milliseconds(10));
    EXPECT_EQ(rig.outcome(1), Outcome::kDuplicate);
    EXPECT_EQ(rig.outcome(2), Outcome::kStored);
    rig.store({spec(2)});
    EXPECT_EQ(rig.outcome(2), Outcome::kDuplicate);
    EXPECT_EQ(rig.count(StorageCounter::kDuplicates), 2U);
    EXPECT_EQ(rig.core().held(), 2U);
}

TEST(StorageCore, ADuplicateSharesTheFateOfAFailedFirstCopy) {
    SimDirectory directory;
    Rig rig(directory);
    rig.store({spec(9)});
    rig.run_for(milliseconds(10));
    rig.store({spec(1)});
    rig.store({spec(1)});
    directory.fail_at(1, storage::FileError::kIo);  // the flush
    rig.run_for(milliseconds(10));
    EXPECT_EQ(rig.outcome(1), Outcome::kIoError);
    EXPECT_EQ(rig.core().held(), 1U);
    rig.store({spec(1)});
    rig.run_for(milliseconds(10));
    EXPECT_EQ(rig.outcome(1), Outcome::kStored);
    EXPECT_GE(rig.count(StorageCounter::kIoErrors), 1U);
}

// The disk may have got room in between; but what is kept must not overtake what is not.
TEST(StorageCore, BehindAWriteThatFailedNoneIsKept) {
    for (const storage::FileError error : {storage::FileError::kNoSpace, storage::FileError::kIo}) {
        SimDirectory directory;
        Rig rig(directory);
        rig.store({spec(9)});
        rig.run_for(milliseconds(10));
        directory.fail_at(0, error);
        rig.store({spec(1)});
        rig.store({spec(2)});
        rig.run_for(milliseconds(10));
        EXPECT_NE(rig.outcome(1), Outcome::kStored);
        EXPECT_EQ(rig.outcome(2), Outcome::kNoSpace);
        EXPECT_EQ(rig.core().held(), 1U);

        rig.store({spec(1), spec(2)});
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
        rig.store({spec(1)});
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
        rig.store({spec(1)});
        rig.run_for(milliseconds(10));
    }
    directory.crash(3);
    Rig rig(directory);
    rig.store({spec(1)});
    EXPECT_EQ(rig.outcome(1), Outcome::kDuplicate);
}

TEST(StorageCore, NamesWithoutARouteWaitUntilTheyExpire) {
    SimDirectory directory;
    Rig rig(directory);
    BundleSpec named = spec(1);
    named.destination_node = 0;
    named.created = kRigStartMs;
    named.lifetime_ms = 10'000;
    rig.store({named});
    rig.routes_to_both();
    rig.link_up(kLink20, kNode20);
    rig.run_for(seconds(1));
    EXPECT_TRUE(rig.released.empty());
    EXPECT_EQ(rig.core().held(), 1U);
    rig.run_for(seconds(10));
    EXPECT_EQ(rig.core().held(), 0U);
}

TEST(StorageCore, ARouteChangeSendsWhatWaitsAnotherWay) {
    SimDirectory directory;
    Rig rig(directory);
    rig.store(specs(1, 3));
    rig.routes_to_both();
    rig.link_up(kLink30, kNode30);
    rig.run_for(milliseconds(10));
    EXPECT_TRUE(rig.released.empty());
    rig.route_by({{kNode20, kLink30}}, kNode30);
    rig.run_for(milliseconds(10));
    ASSERT_EQ(rig.released_sequences(), (Sequences{1, 2, 3}));
    EXPECT_EQ(rig.released[0].link, kLink30);
}

TEST(StorageCore, ALinkThatLeadsElsewhereGetsNothingUntilTheRouteFollows) {
    SimDirectory directory;
    Rig rig(directory);
    rig.store(specs(1, 3));
    rig.route({{kNode20, kLink20}});
    rig.link_up(kLink20, kNode30);
    rig.run_for(milliseconds(10));
    EXPECT_TRUE(rig.released.empty()) << "the router does not know it yet";
    rig.link_up(kLink20, kNode20);
    rig.run_for(milliseconds(10));
    EXPECT_EQ(rig.released_sequences(), (Sequences{1, 2, 3})) << "it leads there again";
}

TEST(StorageCore, ASnapshotReplacesWhatWasKnownOfLinks) {
    SimDirectory directory;
    Rig rig(directory);
    rig.store({spec(1)});
    rig.routes_to_both();
    bus::LinkSnapshot snapshot;
    snapshot.links.push_back({kLink20, kNode20, {}, {}, kDtnNever, true, false});
    rig.core().handle(snapshot, rig.now);
    rig.run_for(milliseconds(10));
    EXPECT_TRUE(rig.released.empty());
    snapshot.links[0].connected = true;
    rig.core().handle(snapshot, rig.now);
    rig.run_for(milliseconds(10));
    EXPECT_EQ(rig.released.size(), 1U);
}

TEST(StorageCore, AnUnreadableBundleIsNamedAndNeverSent) {
    SimDirectory directory;
    Rig rig(directory);
    rig.store(specs(1, 3));
    rig.run_for(milliseconds(10));
    Bytes &content = directory.content(1);
    const std::uint64_t second = 4096 + record_bytes(17, encode(spec(1)).size());
    content[second + 150] ^= 1;
    rig.routes_to_both();
    rig.link_up(kLink20, kNode20);
    rig.run_for(milliseconds(10));
    EXPECT_EQ(rig.released_sequences(), (Sequences{1, 3}));
    EXPECT_EQ(rig.count(StorageCounter::kDeletedUnreadable), 1U);
    EXPECT_EQ(rig.core().held(), 1U);
    EXPECT_EQ(rig.backlogs.size(), 1U);
    // It does not count as held against a new copy.
    rig.store({spec(2)});
    rig.run_for(milliseconds(10));
    EXPECT_EQ(rig.outcome(2), Outcome::kStored);
}

TEST(StorageCore, AFullDiskRefusesAndRecovers) {
    SimDirectory directory;
    Rig rig(directory);
    rig.store({spec(1)});
    rig.run_for(milliseconds(10));
    directory.set_capacity(4096 + 600);
    rig.store(specs(2, 5));
    rig.run_for(milliseconds(10));
    EXPECT_EQ(rig.outcome(2), Outcome::kNoSpace);
    EXPECT_EQ(rig.outcome(1), Outcome::kStored);
    rig.store({spec(6)});
    rig.run_for(milliseconds(10));
    EXPECT_EQ(rig.outcome(6), Outcome::kStored);
    directory.set_capacity(1 << 20);
    rig.store(specs(2, 5));
    rig.run_for(milliseconds(10));
    EXPECT_EQ(rig.outcome(2), Outcome::kStored);
    EXPECT_EQ(rig.core().held(), 6U);
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
