// SPDX-License-Identifier: Apache-2.0
// Bundles that go round in a circle wait longer each time.
#include "module/storage/core/state/looping_bundles.hpp"

#include <gtest/gtest.h>

#include "common/buffer/loop_delay_request.hpp"
#include "tests/unit/module/storage/core/rig.hpp"

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

}  // namespace
}  // namespace farlink::test::looping_bundles_test
