// SPDX-License-Identifier: Apache-2.0
// What storage does when there is no room: capacity, reserve, quotas, and the policies when full.
#include "module/storage/core/upkeep/evictor.hpp"

#include <gtest/gtest.h>

#include "tests/unit/module/storage/core/rig.hpp"

namespace farlink::test::evictor_test {
namespace {

using storage::StorageCounter;
using Sequences = std::vector<std::uint64_t>;

BundleSpec spec(std::uint64_t sequence, Priority priority = Priority::kNormal) {
    BundleSpec one;
    one.sequence = sequence;
    one.priority = priority;
    return one;
}

std::uint64_t record_size() {
    return record_bytes(17, encode(spec(1)).size());
}
/// Where sources are remembered.
std::uint64_t pair_record_size() {
    return record_bytes(3 + 17 + 17, encode(spec(1)).size());
}

RigOptions room_for(std::uint64_t bundles) {
    RigOptions options;
    options.capacity_bytes = bundles * record_size();
    return options;
}

Sequences held_in_order(Rig &rig) {
    rig.routes_to_both();
    rig.link_up(kLink20, kNode20);
    rig.link_up(kLink30, kNode30);
    rig.run_for(milliseconds(50));
    return rig.released_sequences();
}

void store_each(Rig &rig, const std::vector<BundleSpec> &specs) {
    for (const BundleSpec &one : specs) {
        rig.store({one});
        rig.run_for(milliseconds(10));
    }
}

TEST(Limits, ExpeditedBundlesHaveAReserve) {
    SimDirectory directory;
    RigOptions options = room_for(5);
    options.expedited_reserve_bytes = 2 * record_size();
    Rig rig(directory, options);
    store_each(rig, {spec(1), spec(2), spec(3), spec(4)});
    EXPECT_EQ(rig.outcome(3), Outcome::kStored);
    EXPECT_EQ(rig.outcome(4), Outcome::kNoSpace);
    store_each(rig, {spec(5, Priority::kExpedited), spec(6, Priority::kExpedited),
                     spec(7, Priority::kExpedited)});
    EXPECT_EQ(rig.outcome(6), Outcome::kStored);
    EXPECT_EQ(rig.outcome(7), Outcome::kNoSpace);
}

TEST(Limits, AQuotaOfADestinationDoesNotAffectOthers) {
    SimDirectory directory;
    RigOptions options;
    options.quotas = {
        {.source = {}, .destination = "ipn:20.*", .capacity_bytes = 2 * record_size()}};
    Rig rig(directory, options);
    BundleSpec other = spec(4);
    other.destination_node = 30;
    rig.store({spec(1), spec(2), spec(3), other});
    rig.run_for(milliseconds(10));
    EXPECT_EQ(rig.outcome(2), Outcome::kStored);
    EXPECT_EQ(rig.outcome(3), Outcome::kNoSpace);
    EXPECT_EQ(rig.outcome(4), Outcome::kStored);
    EXPECT_EQ(rig.count(StorageCounter::kRefusedQuota), 1U);
    EXPECT_EQ(rig.count(StorageCounter::kRefused), 1U);
    rig.route({{kNode20, kLink20}});
    rig.link_up(kLink20, kNode20);
    rig.run_for(milliseconds(10));
    store_each(rig, {spec(3)});
    EXPECT_EQ(rig.outcome(3), Outcome::kStored) << "space has returned";
}

TEST(Limits, AQuotaOfASourceIsKeptOverARestart) {
    SimDirectory directory;
    RigOptions options;
    options.quotas = {
        {.source = "ipn:7.1", .destination = {}, .capacity_bytes = 2 * pair_record_size()}};
    BundleSpec from_7 = spec(1);
    from_7.source_node = 7;
    const auto next = [&from_7] {
        ++from_7.sequence;
        return from_7;
    };
    {
        Rig rig(directory, options);
        rig.store({from_7});
        rig.store({next(), spec(100)});
        rig.store({next(), spec(101)});
        rig.run_for(milliseconds(20));
        EXPECT_EQ(rig.outcome(2), Outcome::kStored);
        EXPECT_EQ(rig.outcome(3), Outcome::kNoSpace);
        EXPECT_EQ(rig.outcome(101), Outcome::kStored);
    }
    directory.crash(1);
    Rig rig(directory, options);
    EXPECT_EQ(rig.ready, Sequences{4});
    rig.store({from_7, spec(102)});
    rig.run_for(milliseconds(20));
    EXPECT_EQ(rig.outcome(3), Outcome::kNoSpace);
    EXPECT_EQ(rig.outcome(102), Outcome::kStored);
    EXPECT_EQ(held_in_order(rig).size(), 5U);
    store_each(rig, {from_7});
    EXPECT_EQ(rig.outcome(3), Outcome::kStored);
}

TEST(Limits, RoomIsMadeByTheLowestPriorityAndTheOldest) {
    SimDirectory directory;
    RigOptions options = room_for(4);
    options.when_full = config::WhenFull::kMakeRoom;
    Rig rig(directory, options);
    BundleSpec elsewhere = spec(2, Priority::kBulk);
    elsewhere.destination_node = 30;
    store_each(rig, {spec(1), elsewhere, spec(3, Priority::kBulk), spec(4, Priority::kExpedited)});
    store_each(rig, {spec(5)});  // costs 2
    store_each(rig, {spec(6)});  // costs 3
    store_each(rig, {spec(7)});  // costs 1
    store_each(rig, {spec(8, Priority::kBulk)});
    EXPECT_EQ(rig.outcome(7), Outcome::kStored);
    EXPECT_EQ(rig.outcome(8), Outcome::kNoSpace) << "what is there is more important";
    EXPECT_EQ(rig.count(StorageCounter::kDeletedToMakeRoom), 3U);
    EXPECT_EQ(held_in_order(rig), (Sequences{4, 5, 6, 7}));
}

TEST(Limits, ExpiredBundlesGoFirst) {
    SimDirectory directory;
    RigOptions options = room_for(3);
    options.when_full = config::WhenFull::kMakeRoom;
    Rig rig(directory, options);
    BundleSpec brief = spec(3, Priority::kExpedited);
    brief.created = kRigStartMs;
    brief.lifetime_ms = 1000;
    store_each(rig, {spec(1), spec(2), brief});
    rig.now += seconds(2);  // no timer has been served
    store_each(rig, {spec(4)});
    EXPECT_EQ(rig.outcome(4), Outcome::kStored);
    EXPECT_EQ(rig.count(StorageCounter::kExpired), 1U);
    EXPECT_EQ(rig.count(StorageCounter::kDeletedToMakeRoom), 0U);
}

TEST(Limits, WhatMakesRoomIsReportedAsDepletedStorage) {
    SimDirectory directory;
    RigOptions options = room_for(2);
    options.when_full = config::WhenFull::kMakeRoom;
    options.reports = true;
    Rig rig(directory, options);
    BundleSpec reported = spec(1);
    reported.report_deletion = true;
    rig.store({reported});
    rig.run_for(milliseconds(10));
    const std::uint64_t sizes[] = {encode(reported).size(), encode(spec(2)).size()};
    ASSERT_LE(sizes[0], sizes[1] + 8);
    store_each(rig, {spec(2), spec(3), spec(4)});
    EXPECT_EQ(rig.outcome(4), Outcome::kStored);
    ASSERT_EQ(rig.reports.size(), 1U);
    EXPECT_EQ(rig.reports[0].reason, 4);
    EXPECT_EQ(rig.reports[0].event, bus::ReportEvent::kDeleted);
    EXPECT_EQ(rig.count(StorageCounter::kStoredNow), 2U - rig.count(StorageCounter::kRefused));
}

TEST(Limits, AFullQuotaMakesRoomAmongItsOwn) {
    SimDirectory directory;
    RigOptions options;
    options.when_full = config::WhenFull::kMakeRoom;
    options.quotas = {
        {.source = {}, .destination = "ipn:20.1", .capacity_bytes = 2 * record_size()}};
    Rig rig(directory, options);
    BundleSpec other = spec(1);
    other.destination_node = 30;
    store_each(rig, {other, spec(2), spec(3), spec(4)});
    EXPECT_EQ(rig.outcome(4), Outcome::kStored);
    EXPECT_EQ(rig.count(StorageCounter::kDeletedToMakeRoom), 1U);
    EXPECT_EQ(held_in_order(rig).size(), 3U);
    EXPECT_EQ(rig.core().figures().held(), 0U);
}

TEST(Limits, WhatIsLentIsNotDeleted) {
    SimDirectory directory;
    RigOptions options = room_for(2);
    options.when_full = config::WhenFull::kMakeRoom;
    Rig rig(directory, options);
    rig.send_at_once = false;
    store_each(rig, {spec(1), spec(2)});
    rig.routes_to_both();
    rig.link_up(kLink20, kNode20);
    rig.run_for(milliseconds(10));
    ASSERT_FALSE(rig.lent.empty());
    store_each(rig, {spec(3)});
    EXPECT_EQ(rig.outcome(3), Outcome::kNoSpace);
    rig.set_outcome(0, Outcome::kSent);
    store_each(rig, {spec(3)});
    EXPECT_EQ(rig.outcome(3), Outcome::kStored) << "it flows again by itself";
}

// Of two disks one fails for good: what it holds gives no room to anybody.
TEST(Limits, NothingIsDeletedOnADiskThatIsSetAside) {
    SimDirectory good;
    SimDirectory bad;
    RigOptions options;
    options.when_full = config::WhenFull::kMakeRoom;
    options.disk_capacities = {3 * record_size(), 3 * record_size()};
    Rig rig({&good, &bad}, options);
    store_each(rig, {spec(1), spec(2), spec(3), spec(4)});
    rig.core().set_aside(1);
    store_each(rig, {spec(5), spec(6), spec(7)});
    EXPECT_EQ(rig.outcome(7), Outcome::kStored);
    EXPECT_EQ(rig.count(StorageCounter::kDeletedToMakeRoom), 2U);
    EXPECT_EQ(rig.count(StorageCounter::kStoredNow), 5U);
}

// What comes again is the same bundle.
TEST(Limits, ABundleIsRefusedOnce) {
    SimDirectory directory;
    RigOptions options;
    options.capacity_bytes = record_size();
    Rig rig(directory, options);
    rig.store({spec(1)});
    rig.run_for(milliseconds(10));
    for (int times = 0; times < 5; ++times) {
        BatchPtr batch = rig.make_batch({spec(2), spec(3)});
        batch->retried = times > 0;
        batch->resumes = true;
        rig.core().handle(bus::StoreBatch{std::move(batch)}, rig.now);
        rig.run_for(milliseconds(10));
        EXPECT_EQ(rig.outcome(3), Outcome::kNoSpace);
    }
    EXPECT_EQ(rig.count(StorageCounter::kRefused), 2U);
}

// When the node stops, what ingress holds fits, whatever the limits.
TEST(Limits, DoNotHoldForWhatIsInMemoryWhenTheNodeStops) {
    SimDirectory directory;
    RigOptions options;
    options.capacity_bytes = 2 * record_size();
    options.quotas = {{.source = {}, .destination = "ipn:20.*", .capacity_bytes = record_size()}};
    Rig rig(directory, options);
    rig.store({spec(1), spec(2)});
    rig.run_for(milliseconds(10));
    EXPECT_EQ(rig.outcome(2), Outcome::kNoSpace);
    rig.core().placement().open_reserve(10 * record_size());
    rig.store({spec(2), spec(3), spec(4)});
    rig.run_for(milliseconds(10));
    for (std::uint64_t sequence = 1; sequence <= 4; ++sequence)
        EXPECT_EQ(rig.outcome(sequence), Outcome::kStored) << sequence;
}

// Room that becomes free is for the reserve first.
TEST(Limits, WithoutItsReserveTheStoreAcceptsAndDeletesNothing) {
    for (const config::WhenFull policy : {config::WhenFull::kRefuse, config::WhenFull::kMakeRoom}) {
        SimDirectory directory;
        RigOptions options;
        options.when_full = policy;
        Rig rig(directory, options);
        store_each(rig, {spec(1)});
        rig.core().placement().set_reserve_missing(true);
        store_each(rig, {spec(2)});
        EXPECT_EQ(rig.outcome(2), Outcome::kNoSpace);
        const Bytes large = encode(spec(3));
        rig.store_piece(large, 1, 0, large.size() / 2);
        rig.run_for(milliseconds(10));
        EXPECT_EQ(rig.piece_outcomes, std::vector{Outcome::kNoSpace});
        EXPECT_EQ(rig.count(StorageCounter::kStoredNow), 1U);
        EXPECT_EQ(rig.count(StorageCounter::kRefused), 2U);
        rig.core().placement().set_reserve_missing(false);
        store_each(rig, {spec(2)});
        EXPECT_EQ(rig.outcome(2), Outcome::kStored);
        // A stop takes what there is.
        rig.core().placement().set_reserve_missing(true);
        rig.core().placement().open_reserve(record_size());
        store_each(rig, {spec(4)});
        EXPECT_EQ(rig.outcome(4), Outcome::kStored);
    }
}

}  // namespace
}  // namespace farlink::test::evictor_test
