// SPDX-License-Identifier: Apache-2.0
// Which flows leave by which links.
#include "module/storage/core/release/ready_flows.hpp"

#include <gtest/gtest.h>

#include "tests/unit/module/storage/core/rig.hpp"

namespace farlink::test::ready_flows_test {
namespace {

using Sequences = std::vector<std::uint64_t>;

/// To node 20 by both neighbours, with what the router has laid onto each.
bus::RouteUpdate two_ways(std::uint64_t by_20, std::uint64_t by_30) {
    bus::Route route{kNode20, {{kNode20, kLink20}, {kNode30, kLink30}}};
    constexpr auto kNormal = static_cast<std::size_t>(Priority::kNormal);
    route.candidates[0].booked_bytes[kNormal] = by_20;
    route.candidates[1].booked_bytes[kNormal] = by_30;
    return {{}, {route}};
}

TEST(ReadyFlows, WhatIsLaidOntoTwoLinksLeavesByBoth) {
    SimDirectory directory;
    RigOptions options;
    options.limits.link_bundles = 4;
    Rig rig(directory, options);
    rig.send_at_once = false;
    rig.store(bundles_numbered(1, 20));
    rig.run_for(milliseconds(200));
    ASSERT_EQ(rig.waiting.size(), 1U);
    const std::uint64_t bundle_bytes = encode(bundle_numbered(1)).size();
    EXPECT_GE(rig.waiting[0].bytes, 20 * bundle_bytes);
    EXPECT_GE(rig.waiting[0].head_bytes, bundle_bytes);
    rig.core().handle(two_ways(100 * bundle_bytes, 2 * bundle_bytes), rig.now);
    rig.link_up(kLink20, kNode20);
    rig.link_up(kLink30, kNode30);
    rig.run_for(milliseconds(10));
    ASSERT_EQ(rig.lent.size(), 2U);
    EXPECT_EQ(rig.lent[0]->bundles.size(), 4U) << "as many as a link may have in hand";
    EXPECT_EQ(rig.lent[1]->link, kLink30);
    EXPECT_EQ(rig.lent[1]->next_hop, kNode30);
    EXPECT_EQ(rig.lent[1]->bundles.size(), 2U) << "its share";
    EXPECT_EQ(rig.released_sequences(), (Sequences{1, 2, 3, 4, 5, 6}));
    rig.set_outcome(1, Outcome::kSent);
    rig.run_for(milliseconds(10));
    EXPECT_EQ(rig.lent.size(), 1U) << "its share is used up";
    rig.core().handle(two_ways(0, 100 * bundle_bytes), rig.now);
    rig.set_outcome(0, Outcome::kSent);
    rig.run_for(milliseconds(10));
    ASSERT_EQ(rig.lent.size(), 1U);
    EXPECT_EQ(rig.lent[0]->link, kLink30) << "all of it goes there now";
}

TEST(ReadyFlows, WhatIsTooLargeForEveryContactStepsAside) {
    SimDirectory directory;
    Rig rig(directory);
    BundleSpec large = bundle_numbered(1);
    large.payload_bytes = 5000;
    BundleSpec brief = bundle_numbered(2);
    brief.payload_bytes = 5000;
    brief.created = kRigStartMs;
    brief.lifetime_ms = 10'000;
    rig.store({large, brief, bundle_numbered(3)});
    rig.run_for(milliseconds(10));
    bus::RouteUpdate routes = two_ways(0, 0);
    routes.routes[0].max_bundle_bytes = 4000;
    rig.core().handle(routes, rig.now);
    rig.link_up(kLink20, kNode20);
    rig.run_for(milliseconds(200));
    EXPECT_EQ(rig.released_sequences(), Sequences{3});
    EXPECT_TRUE(rig.waiting.empty()) << "it takes no room in any contact";
    ASSERT_FALSE(rig.backlogs.empty());
    EXPECT_EQ(rig.backlogs.back().waiting, 0U) << "younger ones are cut through";
    EXPECT_EQ(rig.count(storage::StorageCounter::kExceedsContacts), 2U);
    rig.run_for(seconds(11));
    EXPECT_EQ(rig.core().figures().held(), 1U) << "it lives no longer for that";
    EXPECT_EQ(rig.count(storage::StorageCounter::kExceedsContacts), 1U);
    routes.routes[0].max_bundle_bytes = 6000;
    rig.core().handle(routes, rig.now);
    rig.run_for(milliseconds(10));
    EXPECT_EQ(rig.released_sequences(), (Sequences{3, 1}));
    EXPECT_EQ(rig.count(storage::StorageCounter::kExceedsContacts), 0U);
    EXPECT_EQ(rig.core().figures().held(), 0U);
}

/// An anonymous bundle is never cut.
TEST(ReadyFlows, WhatALinkCutsNeedNotStepAside) {
    SimDirectory directory;
    Rig rig(directory);
    BundleSpec large = bundle_numbered(1);
    large.payload_bytes = 5000;
    BundleSpec whole = bundle_numbered(2);
    whole.payload_bytes = 5000;
    whole.source_node = 0;
    rig.store({whole, large, bundle_numbered(3)});
    rig.run_for(milliseconds(10));
    bus::RouteUpdate routes = two_ways(0, 0);
    routes.routes[0].max_bundle_bytes = 4000;
    rig.core().handle(routes, rig.now);
    rig.run_for(milliseconds(200));
    EXPECT_EQ(rig.count(storage::StorageCounter::kExceedsContacts), 2U);
    routes.routes[0].candidates[0].cuts_to_contact = true;
    rig.core().handle(routes, rig.now);
    rig.link_up(kLink20, kNode20);
    rig.run_for(milliseconds(200));
    EXPECT_EQ(rig.released_sequences(), (Sequences{1, 3}));
    EXPECT_EQ(rig.count(storage::StorageCounter::kExceedsContacts), 1U);
    EXPECT_EQ(rig.core().figures().held(), 1U);
    rig.core().handle(routes, rig.now);
    rig.run_for(milliseconds(10));
    EXPECT_EQ(rig.count(storage::StorageCounter::kExceedsContacts), 1U) << "it is not read again";
    routes.routes[0].max_bundle_bytes = 6000;
    rig.core().handle(routes, rig.now);
    rig.run_for(milliseconds(10));
    EXPECT_EQ(rig.released_sequences(), (Sequences{1, 3, 2}));
    EXPECT_EQ(rig.core().figures().held(), 0U);
}

/// As such a bundle is cut through while nothing is stored.
TEST(ReadyFlows, WhatAPolicySendsIsNotLimitedByTheContacts) {
    SimDirectory directory;
    config::RoutingPolicy policy;
    policy.paths = {{kNode30}};
    RigOptions options;
    options.routing.policies = {policy};
    Rig rig(directory, options);
    BundleSpec large = bundle_numbered(1);
    large.payload_bytes = 5000;
    rig.store({large});
    rig.run_for(milliseconds(10));
    bus::RouteUpdate routes = two_ways(0, 0);
    routes.routes[0].max_bundle_bytes = 4000;
    routes.neighbours = {{kNode30, kLink30, false}};
    rig.core().handle(routes, rig.now);
    rig.link_up(kLink20, kNode20);
    rig.run_for(milliseconds(200));
    EXPECT_EQ(rig.released_sequences(), Sequences{}) << "the path is down: the plan";
    EXPECT_EQ(rig.count(storage::StorageCounter::kExceedsContacts), 1U);
    routes.neighbours[0].up = true;
    rig.core().handle(routes, rig.now);
    rig.link_up(kLink30, kNode30);
    rig.run_for(milliseconds(200));
    EXPECT_EQ(rig.released_sequences(), Sequences{1});
    EXPECT_EQ(rig.count(storage::StorageCounter::kExceedsContacts), 0U);
    EXPECT_EQ(rig.core().figures().held(), 0U);
}

}  // namespace
}  // namespace farlink::test::ready_flows_test
