// SPDX-License-Identifier: Apache-2.0
// Copies of bundles that ingress has lent to egress: kept until their outcome is reported.
#include "module/storage/core/write/stored_copies.hpp"

#include <gtest/gtest.h>

#include "tests/unit/module/storage/core/rig.hpp"

namespace farlink::test::stored_copies_test {
namespace {

using storage::StorageCounter;
using Sequences = std::vector<std::uint64_t>;

BundleSpec spec(std::uint64_t sequence) {
    BundleSpec made;
    made.sequence = sequence;
    made.destination_node = kNode20.value();
    return made;
}

struct StorageCopies : ::testing::Test {
    StorageCopies() {
        rig.routes_to_both();
        rig.link_up(kLink20, kNode20);
    }
    SimDirectory directory;
    Rig rig{directory};
};

TEST_F(StorageCopies, ACopyIsSafeAndIsNotReleased) {
    rig.store_copies({spec(1), spec(2)});
    rig.run_for(milliseconds(50));
    EXPECT_EQ(rig.outcome(1), Outcome::kStored);
    EXPECT_EQ(rig.outcome(2), Outcome::kStored);
    EXPECT_TRUE(rig.released.empty());
    EXPECT_EQ(rig.core().figures().held(), 2U);
}

TEST_F(StorageCopies, ACopyOfWhatWasSentGoes) {
    rig.store_copies({spec(1)});
    rig.run_for(milliseconds(50));
    rig.publish_outcome(spec(1), 1, true);
    rig.run_for(milliseconds(50));
    EXPECT_EQ(rig.core().figures().held(), 0U);
    EXPECT_EQ(rig.count(StorageCounter::kCopiesDropped), 1U);
    EXPECT_TRUE(rig.released.empty());
}

TEST_F(StorageCopies, ACopyOfWhatWasNotSentIsTheBundle) {
    rig.store_copies({spec(1)});
    rig.run_for(milliseconds(50));
    rig.publish_outcome(spec(1), 1, false);
    rig.run_for(milliseconds(50));
    EXPECT_EQ(rig.released_sequences(), Sequences{1});
    EXPECT_EQ(rig.core().figures().held(), 0U);
    ASSERT_FALSE(rig.backlogs.empty());
    EXPECT_EQ(rig.backlogs.back().waiting, 0U);
    EXPECT_EQ(rig.backlogs.back().taken[0], 1U) << "ingress may cut the flow through again";
}

TEST_F(StorageCopies, AnOutcomeMayComeBeforeTheFlush) {
    rig.store_copies({spec(1), spec(2)});
    rig.publish_outcome(spec(1), 1, true);
    rig.publish_outcome(spec(2), 2, false);
    rig.run_for(milliseconds(50));
    EXPECT_EQ(rig.outcome(1), Outcome::kStored);
    EXPECT_EQ(rig.released_sequences(), Sequences{2});
    EXPECT_EQ(rig.core().figures().held(), 0U);
    EXPECT_EQ(rig.count(StorageCounter::kCopiesDropped), 1U);
}

/// The next hop has got it and gives it back: two came in, and a copy. One is forwarded by ingress,
/// one by storage, and the third is gone.
TEST_F(StorageCopies, ACopyOfWhatCameBackIsThatBundle) {
    rig.store_copies({spec(1)});
    rig.run_for(milliseconds(50));
    BundleSpec back = spec(1);
    back.arrival = 2;
    rig.store({back});
    rig.run_for(milliseconds(50));
    EXPECT_EQ(rig.outcome(1), Outcome::kDuplicate);
    rig.publish_outcome(spec(1), 1, true);
    rig.run_for(milliseconds(50));
    EXPECT_EQ(rig.released_sequences(), Sequences{1});
    EXPECT_EQ(rig.count(StorageCounter::kCopiesDropped), 1U);
    EXPECT_EQ(rig.count(StorageCounter::kDuplicates), 0U);
    EXPECT_EQ(rig.core().figures().held(), 0U);
}

// Records of one second may have the same identity: each copy goes with its original.
TEST_F(StorageCopies, ThoseOfRecordsAreToldApartByTheirOriginals) {
    BundleSpec one = spec(1);
    one.record = true;
    one.arrival = 1;
    BundleSpec other = one;
    other.arrival = 2;
    rig.store_copies({one, other});
    rig.run_for(milliseconds(50));
    EXPECT_EQ(rig.core().figures().held(), 2U);
    rig.publish_outcome(one, 1, true);
    rig.run_for(milliseconds(50));
    EXPECT_EQ(rig.core().figures().held(), 1U);
    EXPECT_TRUE(rig.released.empty());
    rig.publish_outcome(other, 2, false);
    rig.run_for(milliseconds(50));
    EXPECT_EQ(rig.released_sequences(), Sequences{1});
    EXPECT_EQ(rig.count(StorageCounter::kCopiesDropped), 1U);
    EXPECT_EQ(rig.core().figures().held(), 0U);
}

// The original comes after its copy: they have one arrival.
TEST_F(StorageCopies, TheCopyOfARecordIsThatRecord) {
    BundleSpec record = spec(1);
    record.record = true;
    record.arrival = 1;
    rig.store_copies({record});
    rig.run_for(milliseconds(50));
    rig.store({record});
    rig.run_for(milliseconds(50));
    EXPECT_EQ(rig.outcome(1), Outcome::kDuplicate);
    EXPECT_EQ(rig.core().figures().held(), 1U);
}

/// The same bundle on its way from ingress twice, in a circle: each copy goes with its original.
struct StorageCopiesOfTheSame : StorageCopies {
    StorageCopiesOfTheSame() { again.arrival = 2; }
    void store_both() {
        rig.store_copies({first});
        rig.run_for(milliseconds(50));
        rig.store_copies({again});
        rig.run_for(milliseconds(50));
        EXPECT_EQ(rig.outcome(1), Outcome::kDuplicate);
    }
    void publish(const BundleSpec &of, bool sent) {
        rig.publish_outcome(of, of.arrival, sent);
        rig.run_for(milliseconds(50));
    }
    static BundleSpec numbered(std::uint64_t arrival) {
        BundleSpec made = spec(1);
        made.arrival = arrival;
        return made;
    }
    BundleSpec first = numbered(1);
    BundleSpec again = spec(1);
};

TEST_F(StorageCopiesOfTheSame, AreGoneWhenBothAreSent) {
    store_both();
    publish(first, true);
    EXPECT_EQ(rig.core().figures().held(), 1U)
        << "for the second, whose sender has been told that it is safe";
    publish(again, true);
    EXPECT_EQ(rig.core().figures().held(), 0U);
    EXPECT_TRUE(rig.released.empty());
    EXPECT_EQ(rig.count(StorageCounter::kCopiesDropped), 2U);
    EXPECT_EQ(rig.count(StorageCounter::kDuplicates), 0U);
}

TEST_F(StorageCopiesOfTheSame, AreTheBundleWhenTheLaterIsNotSent) {
    store_both();
    publish(first, true);
    publish(again, false);
    EXPECT_EQ(rig.released_sequences(), Sequences{1});
    EXPECT_EQ(rig.count(StorageCounter::kCopiesDropped), 1U);
    EXPECT_EQ(rig.core().figures().held(), 0U);
}

TEST_F(StorageCopiesOfTheSame, AreTheBundleOnceWhenNeitherIsSent) {
    store_both();
    publish(again, false);
    publish(first, false);
    EXPECT_EQ(rig.released_sequences(), Sequences{1});
    EXPECT_EQ(rig.count(StorageCounter::kDuplicates), 1U);
    EXPECT_EQ(rig.core().figures().held(), 0U);
}

TEST_F(StorageCopiesOfTheSame, AreOneRecordWhenTheyComeInTheSameMoment) {
    rig.store_copies({first});
    rig.store_copies({again});
    rig.run_for(milliseconds(50));
    publish(first, true);
    EXPECT_EQ(rig.core().figures().held(), 1U);
    publish(again, true);
    EXPECT_EQ(rig.core().figures().held(), 0U);
    EXPECT_TRUE(rig.released.empty());
}

/// Its own copy waits for the write of the first one.
TEST_F(StorageCopiesOfTheSame, AreGoneWhenTheLaterIsSentBeforeTheFlush) {
    rig.store_copies({first});
    rig.store_copies({again});
    rig.publish_outcome(again, again.arrival, true);
    rig.run_for(milliseconds(50));
    publish(first, true);
    EXPECT_EQ(rig.core().figures().held(), 0U);
    EXPECT_TRUE(rig.released.empty());
    EXPECT_EQ(rig.count(StorageCounter::kCopiesDropped), 2U);
    EXPECT_EQ(rig.count(StorageCounter::kDuplicates), 0U);
}

TEST_F(StorageCopiesOfTheSame, AreOneOfThreeWhereOneIsLeft) {
    store_both();
    publish(first, true);
    rig.store_copies({numbered(3)});
    rig.run_for(milliseconds(50));
    publish(again, true);
    EXPECT_EQ(rig.core().figures().held(), 1U);
    publish(numbered(3), true);
    EXPECT_EQ(rig.core().figures().held(), 0U);
    EXPECT_TRUE(rig.released.empty());
}

TEST_F(StorageCopiesOfTheSame, AreTheBundleOnceWhenIngressHasDied) {
    store_both();
    BundleSpec other = spec(2);
    BundleSpec twin = spec(2);
    other.arrival = 8;
    twin.arrival = 9;
    rig.store_copies({other});
    rig.store_copies({twin});  // waits for the write of the other
    rig.core().handle(bus::ModuleLost{bus::AgentId::kIngress}, rig.now);
    rig.run_for(milliseconds(50));
    EXPECT_EQ(rig.released_sequences(), (Sequences{1, 2}));
    EXPECT_EQ(rig.core().figures().held(), 0U);
}

/// Storage has lent the bundle, and ingress the same one that came back.
struct StorageCopyOfWhatIsLent : StorageCopiesOfTheSame {
    StorageCopyOfWhatIsLent() {
        rig.send_at_once = false;
        rig.store({first});
        rig.run_for(milliseconds(50));
        rig.store_copies({again});
        rig.run_for(milliseconds(50));
        EXPECT_EQ(rig.outcome(1), Outcome::kDuplicate);
        EXPECT_EQ(rig.released_sequences(), Sequences{1});
    }
};

TEST_F(StorageCopyOfWhatIsLent, GoesWithItsOriginal) {
    rig.set_outcome(0, Outcome::kSent);
    EXPECT_EQ(rig.core().figures().held(), 1U);
    publish(again, true);
    EXPECT_EQ(rig.core().figures().held(), 0U);
    EXPECT_EQ(rig.released_sequences(), Sequences{1}) << "and no second time";
    EXPECT_EQ(rig.count(StorageCounter::kCopiesDropped), 1U);
}

TEST_F(StorageCopyOfWhatIsLent, StaysWhenItsOriginalIsNotSent) {
    publish(again, false);
    rig.set_outcome(0, Outcome::kSent);
    rig.run_for(milliseconds(50));
    EXPECT_EQ(rig.released_sequences(), (Sequences{1, 1}));
}

TEST_F(StorageCopyOfWhatIsLent, IsADuplicateOfWhatWaitsAgain) {
    rig.set_outcome(0, Outcome::kNotSent);
    rig.run_for(milliseconds(50));
    EXPECT_EQ(rig.released_sequences(), (Sequences{1, 1}));
    EXPECT_EQ(rig.count(StorageCounter::kDuplicates), 1U);
    publish(again, true);
    rig.set_outcome(0, Outcome::kSent);
    EXPECT_EQ(rig.core().figures().held(), 0U);
    EXPECT_EQ(rig.released_sequences(), (Sequences{1, 1}));
}

TEST_F(StorageCopies, AnOutcomeOfAnUnknownCopyIsAnsweredToIngress) {
    rig.publish_outcome(spec(1), 77, true);
    EXPECT_TRUE(rig.backlogs.empty());
    rig.publish_outcome(spec(1), 77, false);
    ASSERT_EQ(rig.backlogs.size(), 1U);
    EXPECT_EQ(rig.backlogs.back().taken[0], 1U);
}

TEST(StorageCopiesAfterACrash, AreOrdinaryBundles) {
    SimDirectory directory;
    {
        Rig first(directory);
        first.store_copies({spec(5)});
        first.run_for(milliseconds(50));
        EXPECT_EQ(first.outcome(5), Outcome::kStored);
    }
    directory.crash(1);
    Rig second(directory);
    second.routes_to_both();
    second.link_up(kLink20, kNode20);
    second.run_for(milliseconds(50));
    EXPECT_EQ(second.count(StorageCounter::kRestored), 1U);
    EXPECT_EQ(second.released_sequences(), Sequences{5});
}

TEST_F(StorageCopies, ACopyWithoutRoomIsRefusedAndOthersGoOn) {
    SimDirectory small_directory;
    RigOptions options;
    options.capacity_bytes = 400;
    Rig small(small_directory, options);
    small.store_copies({spec(1), spec(2), spec(3)});
    small.run_for(milliseconds(50));
    EXPECT_EQ(small.outcome(3), Outcome::kNoSpace);
    small.publish_outcome(spec(1), 1, true);
    small.run_for(milliseconds(50));
    small.store({spec(4)});
    small.run_for(milliseconds(50));
    EXPECT_EQ(small.outcome(4), Outcome::kStored) << "nothing has to be resumed";
}

// The ingress that comes after it counts from 0 what it hands over.
TEST_F(StorageCopies, AreTheBundlesWhenIngressHasDied) {
    rig.store_copies({spec(1), spec(2)});
    rig.run_for(milliseconds(50));
    rig.store_copies({spec(3)});  // on its way to the disk
    rig.core().handle(bus::ModuleLost{bus::AgentId::kIngress}, rig.now);
    rig.run_for(milliseconds(50));
    EXPECT_EQ(rig.released_sequences(), (Sequences{1, 2, 3}));
    EXPECT_EQ(rig.core().figures().held(), 0U);
    rig.backlogs.clear();
    rig.link_down(kLink20, kNode20);
    rig.store({spec(4)});
    rig.run_for(milliseconds(50));
    const std::size_t ready = rig.ready.size();
    rig.core().handle(bus::ModuleBack{bus::AgentId::kIngress}, rig.now);
    rig.run_for(milliseconds(1));
    ASSERT_EQ(rig.backlogs.size(), 1U);
    EXPECT_EQ(rig.backlogs[0].waiting, 1U);
    EXPECT_EQ(rig.ready.size(), ready + 1) << "behind what waits";
}

TEST_F(StorageCopies, StayWhereTheyAreWhenEgressHasDied) {
    rig.store_copies({spec(1)});
    rig.store({spec(2)});
    rig.core().handle(bus::ModuleLost{bus::AgentId::kEgress}, rig.now);
    rig.run_for(milliseconds(50));
    EXPECT_EQ(rig.released_sequences(), Sequences{}) << "there is no link";
    rig.link_up(kLink20, kNode20);
    rig.run_for(milliseconds(50));
    EXPECT_EQ(rig.released_sequences(), Sequences{2});
}

}  // namespace
}  // namespace farlink::test::stored_copies_test
