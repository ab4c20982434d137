// SPDX-License-Identifier: Apache-2.0
// Bundles that go round in a circle wait longer each time.
#include "module/storage/core/state/looping_bundles.hpp"

#include <gtest/gtest.h>

#include "common/buffer/loop_delay_request.hpp"
#include "tests/unit/module/storage/core/release/critical_rig.hpp"

namespace farlink::test::looping_bundles_test {
namespace {

using storage::LoopingBundles;
using storage::StorageCounter;
using Sequences = std::vector<std::uint64_t>;

BundleSpec circling(std::uint64_t sequence, std::uint64_t arrival = 0) {
    BundleSpec made = bundle_numbered(sequence);
    made.circling = true;
    made.arrival = arrival;
    return made;
}

TEST(LoopingBundles, PausesGrowToALimit) {
    LoopingBundles looping;
    const Hash128 identity{1, 2};
    TimePoint now{seconds(100)};
    Duration before{};
    for (int time = 0; time < 15; ++time) {
        looping.add(identity, 5, now);
        const Duration pause = looping.next_timeout() - now;
        EXPECT_GE(pause, before);
        EXPECT_LE(pause, seconds(1024));
        EXPECT_FALSE(looping.poll(now));
        now += pause;
        EXPECT_EQ(looping.poll(now), 5U);
        before = pause;
    }
    EXPECT_EQ(before, seconds(1024));
    EXPECT_EQ(looping.next_timeout(), kNever);
}

TEST(LoopingBundles, TheOldestIsForgotten) {
    LoopingBundles looping;
    const TimePoint now{seconds(100)};
    looping.add({0, 1}, 1, now);
    for (std::uint64_t i = 2; i <= LoopingBundles::kRemembered + 1; ++i)
        looping.add({0, i}, i, now);
    while (looping.poll(now + seconds(1))) continue;
    looping.add({0, 1}, 1, now);
    EXPECT_EQ(looping.next_timeout(), now + seconds(1));
    looping.add({0, LoopingBundles::kRemembered + 1}, 2, now);
    EXPECT_EQ(looping.poll(now + seconds(1)), 1U);
    EXPECT_EQ(looping.next_timeout(), now + seconds(2));
}

struct StorageLoopingBundles : ::testing::Test {
    StorageLoopingBundles() {
        rig.routes_to_both();
        rig.link_up(kLink20, kNode20);
    }
    SimDirectory directory;
    Rig rig{directory};
};

TEST_F(StorageLoopingBundles, ABundleWaitsASecondThenTwo) {
    rig.store({circling(1)});
    rig.run_for(milliseconds(900));
    EXPECT_EQ(rig.outcome(1), Outcome::kStored);
    EXPECT_TRUE(rig.released.empty());
    rig.run_for(milliseconds(200));
    EXPECT_EQ(rig.released_sequences(), Sequences{1});
    EXPECT_EQ(rig.core().figures().held(), 0U);
    rig.store({circling(1)});
    rig.run_for(milliseconds(1900));
    EXPECT_EQ(rig.released.size(), 1U);
    rig.run_for(milliseconds(200));
    EXPECT_EQ(rig.released.size(), 2U);
}

TEST_F(StorageLoopingBundles, OthersOfItsFlowNeedNotStayBehindIt) {
    rig.store({circling(1), bundle_numbered(2)});
    rig.run_for(milliseconds(100));
    EXPECT_EQ(rig.released_sequences(), Sequences{2});
    rig.run_for(seconds(1));
    EXPECT_EQ(rig.released_sequences(), (Sequences{2, 1}));
}

TEST_F(StorageLoopingBundles, ItExpiresAsAnyOther) {
    BundleSpec brief = circling(1);
    brief.created = kRigStartMs;
    brief.lifetime_ms = 500;
    rig.store({brief});
    rig.run_for(seconds(2));
    EXPECT_TRUE(rig.released.empty());
    EXPECT_EQ(rig.count(StorageCounter::kExpired), 1U);
    EXPECT_EQ(rig.core().figures().held(), 0U);
}

/// The next hop gives it back before it acknowledges it.
TEST_F(StorageLoopingBundles, WhatComesBackWhileItIsLentRestsWhenItIsSent) {
    rig.send_at_once = false;
    rig.store({bundle_numbered(1)});
    rig.run_for(milliseconds(50));
    rig.store({circling(1, 9)});
    rig.run_for(milliseconds(50));
    EXPECT_EQ(rig.outcome(1), Outcome::kDuplicate);
    rig.set_outcome(0, Outcome::kSent);
    rig.run_for(milliseconds(500));
    EXPECT_EQ(rig.released.size(), 1U);
    EXPECT_EQ(rig.core().figures().held(), 1U);
    rig.run_for(milliseconds(600));
    EXPECT_EQ(rig.released.size(), 2U);
}

/// The way of the plan to node 20, or a detour.
void route_to_20(Rig &rig, bool detour) {
    bus::RouteUpdate update;
    update.routes.push_back({kNode20, {{kNode20, kLink20, 0}}});
    update.routes.back().detour = detour;
    rig.core().handle(update, rig.now);
    rig.run_for(milliseconds(10));
}

TEST_F(StorageLoopingBundles, ThePauseEndsWhereThePlanLeadsAgain) {
    route_to_20(rig, true);
    rig.store({circling(1)});
    rig.run_for(milliseconds(100));
    route_to_20(rig, true);
    EXPECT_TRUE(rig.released.empty());
    route_to_20(rig, false);
    EXPECT_EQ(rig.released_sequences(), Sequences{1});
    rig.store({circling(1)});
    rig.run_for(milliseconds(100));
    route_to_20(rig, false);
    EXPECT_EQ(rig.released.size(), 1U) << "nothing has changed";
    rig.run_for(seconds(2));
    EXPECT_EQ(rig.released.size(), 2U);
}

class CriticalLoopingBundles : public Critical {};

BundleSpec circling_critical() {
    BundleSpec made = critical();
    made.circling = true;
    return made;
}

TEST_F(CriticalLoopingBundles, EachRestsLongerEachTime) {
    route_by_both(rig);
    both_up();
    store(critical());
    ASSERT_EQ(rig.released.size(), 2U);
    Duration pause = seconds(1);
    for (std::size_t turn = 0; turn < 5; ++turn, pause *= 2) {
        rig.outcomes.clear();
        store(circling_critical());
        EXPECT_EQ(rig.outcome(1), Outcome::kStored);
        rig.run_for(pause - milliseconds(100));
        EXPECT_EQ(rig.released.size(), 2 + turn);
        rig.run_for(milliseconds(200));
        EXPECT_EQ(rig.released.size(), 3 + turn) << "by one way";
    }
    EXPECT_EQ(rig.core().figures().held(), 0U);
}

/// Storage has forgotten it, or was restarted.
TEST_F(CriticalLoopingBundles, EachGoesOneWay) {
    route_by_both(rig);
    both_up();
    store(circling_critical());
    rig.run_for(milliseconds(900));
    EXPECT_TRUE(rig.released.empty());
    rig.run_for(milliseconds(200));
    EXPECT_EQ(released_by(rig), Links{kLink20});
    EXPECT_EQ(rig.core().figures().held(), 0U);
    expect_balance(rig, 1, 1);
}

/// The next hop gives it back before it acknowledges it.
TEST_F(CriticalLoopingBundles, WhatComesBackWhileItIsLentRestsWhenItIsSent) {
    rig.send_at_once = false;
    route_by_both(rig);
    both_up();
    store(critical());
    ASSERT_EQ(rig.lent.size(), 2U);
    store(circling_critical());
    EXPECT_EQ(rig.outcome(1), Outcome::kDuplicate);
    rig.set_outcome(0, Outcome::kSent);
    rig.set_outcome(0, Outcome::kSent);
    rig.run_for(milliseconds(500));
    EXPECT_TRUE(rig.lent.empty());
    EXPECT_EQ(rig.core().figures().held(), 1U);
    rig.run_for(milliseconds(600));
    ASSERT_EQ(rig.lent.size(), 1U);
    rig.set_outcome(0, Outcome::kSent);
    EXPECT_EQ(rig.core().figures().held(), 0U);
}

}  // namespace
}  // namespace farlink::test::looping_bundles_test
