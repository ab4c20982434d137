// SPDX-License-Identifier: Apache-2.0
// When stored bundles leave, and by which link: links, routes and snapshots.
#include "module/storage/core/release/releaser.hpp"

#include <gtest/gtest.h>

#include "tests/unit/module/storage/core/rig.hpp"

namespace farlink::test::releaser_test {
namespace {

using storage::StorageCounter;
using Sequences = std::vector<std::uint64_t>;

TEST(Releaser, ReleasesWhenTheLinkOfTheFirstCandidateIsUp) {
    SimDirectory directory;
    Rig rig(directory);
    rig.store(bundles_numbered(1, 3));
    rig.run_for(milliseconds(10));
    rig.routes_to_both();
    rig.link_up(kLink30, kNode30);
    rig.run_for(milliseconds(10));
    EXPECT_TRUE(rig.released.empty());
    rig.link_up(kLink20, kNode20);
    rig.run_for(milliseconds(10));
    EXPECT_EQ(rig.released_sequences(), (Sequences{1, 2, 3}));
    EXPECT_EQ(rig.released[0].octets, encode(bundle_numbered(1)));
    EXPECT_EQ(rig.released[0].link, kLink20);
    EXPECT_EQ(rig.count(StorageCounter::kStoredNow), 0U);
    EXPECT_EQ(rig.count(StorageCounter::kReleased), 3U);
    EXPECT_EQ(rig.core().figures().held(), 0U);
}

TEST(Releaser, ADtnNameLeavesByStaticRouteAlsoAfterARestart) {
    SimDirectory directory;
    BundleSpec named = bundle_numbered(1);
    named.destination_node = 0;
    {
        Rig rig(directory);
        rig.store({named});
        rig.run_for(milliseconds(10));
        rig.drain();
    }
    for (const bool by_gateway : {true, false}) {
        directory.close();
        Rig rig(directory);
        config::RoutingConfig config;
        if (by_gateway) config.default_gateway = NodeNumber{77};  // an unknown neighbour
        if (!by_gateway) config.statics = {{{}, kNode20, "dtn://far/**"}};
        rig.core().set_policies(config);
        bus::RouteUpdate update;
        update.neighbours = {{kNode20, kLink20, true}};
        rig.core().handle(update, rig.now);
        rig.link_up(kLink20, kNode20);
        rig.run_for(milliseconds(10));
        EXPECT_EQ(rig.released.size(), by_gateway ? 0U : 1U);
        rig.drain();
    }
}

TEST(Releaser, ANodesNameFollowsThePlan) {
    SimDirectory directory;
    Rig rig(directory);
    config::RoutingConfig config;
    config.nodes = {{kNode20, {"dtn://far/**"}}};
    rig.core().set_policies(config);
    BundleSpec named = bundle_numbered(1);
    named.destination_node = 0;
    rig.store({named});
    rig.run_for(milliseconds(10));
    rig.routes_to_both();
    rig.link_up(kLink20, kNode20);
    rig.run_for(milliseconds(10));
    EXPECT_EQ(rig.released_sequences(), (Sequences{1}));
}

TEST(Releaser, ReportsAnEmptyFlowOnlyWhenItsLastBundleIsSent) {
    SimDirectory directory;
    Rig rig(directory);
    rig.send_at_once = false;
    rig.store(bundles_numbered(1, 3));
    rig.run_for(milliseconds(10));
    rig.routes_to_both();
    rig.link_up(kLink20, kNode20);
    rig.run_for(milliseconds(10));
    EXPECT_TRUE(rig.backlogs.empty());
    rig.store({bundle_numbered(4)});
    rig.set_outcome(0, Outcome::kSent);
    EXPECT_TRUE(rig.backlogs.empty());
    rig.run_for(milliseconds(10));
    ASSERT_EQ(rig.lent.size(), 1U);
    rig.set_outcome(0, Outcome::kSent);
    ASSERT_EQ(rig.backlogs.size(), 1U);
    EXPECT_EQ(rig.backlogs[0].waiting, 0U);
    EXPECT_EQ(rig.backlogs[0].taken[0], 4U);
}

TEST(Releaser, ReportsAFlowWhoseBundlesWereRefused) {
    SimDirectory directory;
    RigOptions options;
    options.capacity_bytes = 100;
    Rig rig(directory, options);
    rig.store({bundle_numbered(1)});
    EXPECT_EQ(rig.outcome(1), Outcome::kNoSpace);
    ASSERT_EQ(rig.backlogs.size(), 1U);
    EXPECT_EQ(rig.backlogs[0].taken[0], 1U);
}

TEST(Releaser, NamesWithoutARouteWaitUntilTheyExpire) {
    SimDirectory directory;
    Rig rig(directory);
    BundleSpec named = bundle_numbered(1);
    named.destination_node = 0;
    named.created = kRigStartMs;
    named.lifetime_ms = 10'000;
    rig.store({named});
    rig.routes_to_both();
    rig.link_up(kLink20, kNode20);
    rig.run_for(seconds(1));
    EXPECT_TRUE(rig.released.empty());
    EXPECT_EQ(rig.core().figures().held(), 1U);
    rig.run_for(seconds(10));
    EXPECT_EQ(rig.core().figures().held(), 0U);
}

TEST(Releaser, ARouteChangeSendsWhatWaitsAnotherWay) {
    SimDirectory directory;
    Rig rig(directory);
    rig.store(bundles_numbered(1, 3));
    rig.routes_to_both();
    rig.link_up(kLink30, kNode30);
    rig.run_for(milliseconds(10));
    EXPECT_TRUE(rig.released.empty());
    rig.route_by({{kNode20, kLink30}}, kNode30);
    rig.run_for(milliseconds(10));
    ASSERT_EQ(rig.released_sequences(), (Sequences{1, 2, 3}));
    EXPECT_EQ(rig.released[0].link, kLink30);
}

TEST(Releaser, ALinkThatLeadsElsewhereGetsNothingUntilTheRouteFollows) {
    SimDirectory directory;
    Rig rig(directory);
    rig.store(bundles_numbered(1, 3));
    rig.route({{kNode20, kLink20}});
    rig.link_up(kLink20, kNode30);
    rig.run_for(milliseconds(10));
    EXPECT_TRUE(rig.released.empty()) << "the router does not know it yet";
    rig.link_up(kLink20, kNode20);
    rig.run_for(milliseconds(10));
    EXPECT_EQ(rig.released_sequences(), (Sequences{1, 2, 3})) << "it leads there again";
}

TEST(Releaser, ASnapshotReplacesWhatWasKnownOfLinks) {
    SimDirectory directory;
    Rig rig(directory);
    rig.store({bundle_numbered(1)});
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

TEST(Releaser, NothingGoesToALinkThatASnapshotDoesNotName) {
    SimDirectory directory;
    Rig rig(directory);
    rig.routes_to_both();
    rig.link_up(kLink20, kNode20);
    rig.core().handle(bus::LinkSnapshot{}, rig.now);
    rig.store({bundle_numbered(1)});
    rig.run_for(milliseconds(10));
    EXPECT_TRUE(rig.released.empty());
}

}  // namespace
}  // namespace farlink::test::releaser_test
