// SPDX-License-Identifier: Apache-2.0
// Stored bundles that a neighbour refuses for their own sake.
#include "module/storage/core/release/refused_releaser.hpp"

#include "tests/unit/module/storage/core/release/critical_rig.hpp"

namespace farlink::test::refused_releaser_test {
namespace {

class Refused : public ::testing::Test {
protected:
    Refused() { rig.send_at_once = false; }
    BundleSpec far(std::uint64_t sequence) {
        BundleSpec made = bundle_numbered(sequence);
        made.destination_node = kFar.value();
        made.lifetime_ms = 86'400'000;
        return made;
    }
    void store(const std::vector<BundleSpec> &specs) {
        rig.store(specs);
        rig.run_for(kRigMoment);
    }
    void both_up() {
        rig.link_up(kLink20, kNode20);
        rig.link_up(kLink30, kNode30);
        rig.run_for(kRigMoment);
    }
    void refuse() {
        rig.set_outcome(0, Outcome::kRefused);
        rig.run_for(kRigMoment);
    }
    SimDirectory directory;
    Rig rig{directory};
};

TEST_F(Refused, TakesAnotherWay) {
    store({far(1)});
    route_by_both(rig);
    both_up();
    ASSERT_EQ(released_by(rig), Links{kLink20});
    refuse();
    EXPECT_EQ(released_by(rig), (Links{kLink20, kLink30}));
    EXPECT_EQ(rig.count(StorageCounter::kRefusedNow), 1U);
    rig.set_outcome(0, Outcome::kSent);
    EXPECT_EQ(rig.core().figures().held(), 0U);
    EXPECT_EQ(rig.count(StorageCounter::kReleased), 1U);
    EXPECT_EQ(rig.count(StorageCounter::kRefusedNow), 0U);
}

TEST_F(Refused, WhatIsTooLargeForItsLinkTakesAnotherWayAndCountsApart) {
    store({far(1)});
    route_by_both(rig);
    both_up();
    rig.set_outcome(0, Outcome::kTooLarge);
    rig.run_for(kRigMoment);
    EXPECT_EQ(released_by(rig), (Links{kLink20, kLink30}));
    EXPECT_EQ(rig.count(StorageCounter::kTooLargeNow), 1U);
    EXPECT_EQ(rig.count(StorageCounter::kRefusedNow), 0U);
    rig.set_outcome(0, Outcome::kSent);
    EXPECT_EQ(rig.count(StorageCounter::kTooLargeNow), 0U);
}

// The neighbour has been reconfigured meanwhile, or bundles may be cut for it now.
TEST_F(Refused, WhatWasTooLargeGoesWhenTheLimitGrows) {
    store({far(1)});
    route_far(rig, {by(kNode20, kLink20)});
    const auto comes_back = [&](std::uint64_t max_bundle_bytes, bool fragments) {
        rig.link_down(kLink20, kNode20);
        rig.link_up(kLink20, kNode20, max_bundle_bytes, fragments);
        rig.run_for(kRigMoment);
        return !rig.lent.empty();
    };
    const auto too_large = [&] {
        rig.set_outcome(0, Outcome::kTooLarge);
        rig.run_for(kRigMoment);
    };
    ASSERT_TRUE(comes_back(100, false));
    too_large();
    EXPECT_FALSE(comes_back(100, false)) << "the limit is the same";
    EXPECT_FALSE(comes_back(50, false));
    ASSERT_TRUE(comes_back(90, false))
        << "a larger one than the last, although less than the first";
    too_large();
    ASSERT_TRUE(comes_back(90, true)) << "it may be cut now";
    refuse();
    EXPECT_FALSE(comes_back(1000, true)) << "the neighbour has refused it for another reason";
}

TEST_F(Refused, TakesAnotherWayWhenItsLinkComesUp) {
    store({far(1)});
    route_by_both(rig);
    rig.link_up(kLink20, kNode20);
    rig.run_for(kRigMoment);
    for (int times = 0; times < 12; ++times) {
        refuse();
        rig.run_for(seconds(750));
    }
    refuse();  // the pause is ten minutes long by now
    const std::size_t before = rig.released.size();
    rig.link_up(kLink30, kNode30);
    rig.run_for(kRigMoment);
    ASSERT_EQ(rig.released.size(), before + 1);
    EXPECT_EQ(rig.released.back().link, kLink30);
    rig.set_outcome(0, Outcome::kSent);
    EXPECT_EQ(rig.core().figures().held(), 0U);
}

TEST_F(Refused, IsNotInTheWayOfYoungerBundles) {
    rig.routes_to_both();
    store({bundle_numbered(1)});
    rig.link_up(kLink20, kNode20);
    rig.run_for(kRigMoment);
    ASSERT_EQ(rig.lent.size(), 1U);
    refuse();
    EXPECT_TRUE(rig.lent.empty()) << "there is no other way";
    EXPECT_FALSE(rig.backlogs.empty()) << "its flow may be cut through";
    EXPECT_EQ(rig.backlogs.back().waiting, 0U);
    store({bundle_numbered(2)});
    ASSERT_EQ(rig.released_sequences(), (std::vector<std::uint64_t>{1, 2}));
    rig.set_outcome(0, Outcome::kSent);
    rig.run_for(seconds(2));
    EXPECT_EQ(rig.released_sequences(), (std::vector<std::uint64_t>{1, 2, 1}));
    rig.set_outcome(0, Outcome::kSent);
    EXPECT_EQ(rig.core().figures().held(), 0U);
}

TEST_F(Refused, WaitsForAnotherWayWhenTheLinkGoesDownFirst) {
    store({far(1), far(2)});
    route_by_both(rig);
    both_up();
    while (!rig.lent.empty()) {
        rig.link_down(kLink30, kNode30);
        refuse();
    }
    EXPECT_EQ(rig.core().figures().held(), 2U);
    rig.link_down(kLink20, kNode20);
    rig.run_for(seconds(5));
    EXPECT_TRUE(rig.lent.empty());
    rig.send_at_once = true;
    rig.link_up(kLink20, kNode20);
    rig.run_for(seconds(5));
    EXPECT_EQ(rig.core().figures().held(), 0U);
}

// One that comes back for another reason is not offered again at once.
TEST_F(Refused, RestsAfterOtherReturns) {
    store({far(1)});
    route_far(rig, {by(kNode20, kLink20)});
    both_up();
    refuse();
    rig.run_for(seconds(2));
    ASSERT_EQ(rig.lent.size(), 1U);
    for (const Outcome outcome : {Outcome::kNotSent, Outcome::kTooLate}) {
        rig.set_outcome(0, outcome);
        rig.run_for(milliseconds(500));
        EXPECT_TRUE(rig.lent.empty());
        rig.run_for(seconds(1));
        ASSERT_EQ(rig.lent.size(), 1U);
    }
}

TEST_F(Refused, IsListedAndMayBeDeletedByTheOperator) {
    store({far(2)});
    route_far(rig, {by(kNode20, kLink20)});
    both_up();
    refuse();
    bus::StoreRequest request;
    request.limit = 10;
    const bus::StoreReply listed = rig.ask_store(request);
    ASSERT_EQ(listed.bundles.size(), 1U);
    EXPECT_EQ(listed.bundles[0].state, bus::StoredState::kRefused);
    request.verb = bus::StoreVerb::kDelete;
    const bus::StoreReply reply = rig.ask_store(request);
    EXPECT_EQ(reply.deleted, 1U);
    EXPECT_EQ(rig.core().figures().held(), 0U);
    EXPECT_EQ(rig.count(StorageCounter::kRefusedNow), 0U);
}

TEST_F(Critical, WhatOneNeighbourRefusesTheOthersGet) {
    rig.send_at_once = false;
    store(critical());
    route_by_both(rig);
    both_up();
    rig.run_for(kRigMoment);
    ASSERT_EQ(rig.lent.size(), 2U);
    rig.set_outcome(0, Outcome::kRefused);
    rig.set_outcome(0, Outcome::kSent);
    rig.run_for(kRigMoment);
    EXPECT_EQ(rig.lent.size(), 0U);
    EXPECT_EQ(rig.core().figures().held(), 1U) << "one of them may take it later";
    rig.run_for(seconds(2));
    ASSERT_EQ(rig.lent.size(), 1U);
    rig.set_outcome(0, Outcome::kSent);
    rig.run_for(kRigMoment);
    EXPECT_EQ(rig.core().figures().held(), 0U);
}

// What has no hop left for one neighbour has none for the others.
TEST_F(Critical, WhatEgressDeletesIsGoneOnceEveryCopyIsBack) {
    rig.send_at_once = false;
    store(critical());
    route_by_both(rig);
    both_up();
    rig.run_for(kRigMoment);
    ASSERT_EQ(rig.lent.size(), 2U);
    rig.set_outcome(0, Outcome::kDeletedHopLimit);
    EXPECT_EQ(rig.core().figures().held(), 1U);
    rig.set_outcome(0, Outcome::kDeletedHopLimit);
    rig.run_for(kRigMoment);
    EXPECT_EQ(rig.core().figures().held(), 0U);
    EXPECT_TRUE(rig.lent.empty());
    // Egress has counted two deletions of a bundle and its copy.
    EXPECT_EQ(rig.count(StorageCounter::kCriticalSent), 1U);
    EXPECT_EQ(rig.count(StorageCounter::kCriticalReleased), 0U);
}

}  // namespace
}  // namespace farlink::test::refused_releaser_test
