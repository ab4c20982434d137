// SPDX-License-Identifier: Apache-2.0
// What leaves the store: when, by which way, in which order and how much at a time.
#include "module/storage/core/storage_core.hpp"

#include <gtest/gtest.h>

#include "tests/unit/module/storage/core/rig.hpp"

namespace farlink::testing {
namespace {

using storage::StorageCounter;
using Sequences = std::vector<std::uint64_t>;

TEST(StorageRelease, ReleasesWhenTheLinkOfTheFirstCandidateIsUp) {
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

TEST(StorageRelease, ADtnNameLeavesByStaticRouteAlsoAfterARestart) {
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
        if (by_gateway) config.default_gateway = NodeNumber{77};  // nobody knows the neighbour
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

TEST(StorageRelease, ANodesNameFollowsThePlan) {
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

TEST(StorageRelease, HigherPriorityLeavesFirst) {
    SimDirectory directory;
    Rig rig(directory);
    BundleSpec bulk = bundle_numbered(1), normal = bundle_numbered(2),
               expedited = bundle_numbered(3);
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

// The link is one of the second instance of egress.
TEST(StorageRelease, WhatLeavesIsBehindWhatEgressWasGivenBefore) {
    SimDirectory directory;
    Rig rig(directory);
    rig.send_at_once = false;
    config::NodeConfig config;
    config.threads.instances = 2;
    config.outducts.resize(1);
    config.outducts[0].id = kLink20;
    config.outducts[0].instance = 2;
    rig.core().set_placement(config::LinkPlacement(config));
    const auto store = [&](std::uint64_t number, std::uint8_t ingress, std::uint64_t behind) {
        BatchPtr batch = rig.make_batch({bundle_numbered(number)});
        batch->instance = ingress;
        batch->behind = {1, behind};
        rig.core().handle(bus::StoreBatch{std::move(batch)}, rig.now);
        rig.run_for(milliseconds(10));
    };
    const auto lend_again = [&] {
        rig.link_down(kLink20, kNode20);
        rig.set_outcome(0, Outcome::kNotSent);
        rig.link_up(kLink20, kNode20);
        rig.run_for(milliseconds(10));
    };
    store(1, 0, 700);
    store(2, 1, 900);
    store(3, 0, 800);
    rig.routes_to_both();
    rig.link_up(kLink20, kNode20);
    rig.run_for(milliseconds(10));
    ASSERT_EQ(rig.lent.size(), 1U);
    using Numbers = decltype(Batch::behind);
    EXPECT_EQ(rig.lent[0]->behind, (Numbers{800, 900}));
    rig.core().handle(bus::ModuleLost{bus::AgentId::kIngress}, rig.now);
    lend_again();
    ASSERT_EQ(rig.lent.size(), 1U);
    EXPECT_EQ(rig.lent[0]->behind, (Numbers{0, 900}));
    rig.core().handle(bus::ModuleBack{bus::AgentId::kEgress2}, rig.now);
    lend_again();
    ASSERT_EQ(rig.lent.size(), 1U);
    EXPECT_EQ(rig.lent[0]->behind, Numbers{});
    rig.set_outcome(0, Outcome::kSent);
}

TEST(StorageRelease, AnOlderArrivalThatComesLateTakesItsPlace) {
    SimDirectory directory;
    Rig rig(directory);
    std::uint64_t arrival = 0;
    for (const std::uint64_t place : {50, 60, 10, 55, 20, 70, 15}) {
        BundleSpec late = bundle_numbered(++arrival);
        late.arrival = place;
        rig.store({late});
        rig.run_for(milliseconds(10));
    }
    rig.routes_to_both();
    rig.link_up(kLink20, kNode20);
    rig.run_for(milliseconds(10));
    EXPECT_EQ(rig.released_sequences(), (Sequences{3, 7, 5, 1, 4, 2, 6}));
}

TEST(StorageRelease, WhatWasNotSentKeepsItsPlaceAndIsNeverLentTwice) {
    SimDirectory directory;
    RigOptions options;
    options.limits.link_bundles = 4;
    Rig rig(directory, options);
    rig.send_at_once = false;
    rig.store(bundles_numbered(1, 10));
    rig.run_for(milliseconds(10));
    rig.routes_to_both();
    rig.link_up(kLink20, kNode20);
    rig.run_for(milliseconds(10));
    ASSERT_EQ(rig.lent.size(), 1U);
    EXPECT_EQ(rig.released_sequences(), (Sequences{1, 2, 3, 4}));
    rig.link_down(kLink20, kNode20);
    rig.lent[0]->bundles[0].outcome = Outcome::kSent;
    for (std::size_t i = 1; i < 4; ++i) rig.lent[0]->bundles[i].outcome = Outcome::kNotSent;
    rig.set_outcome(0, Outcome::kPending);
    rig.released.clear();
    rig.send_at_once = true;
    rig.link_up(kLink20, kNode20);
    rig.run_for(milliseconds(10));
    EXPECT_EQ(rig.released_sequences(), (Sequences{2, 3, 4, 5, 6, 7, 8, 9, 10}));
    EXPECT_EQ(rig.count(StorageCounter::kReturned), 3U);
    EXPECT_EQ(rig.core().figures().held(), 0U);
}

/// Three bundles that a contact has taken and the first of which is on its way.
struct PartlySent {
    explicit PartlySent(SimDirectory &directory) : rig(directory, {}) {
        rig.send_at_once = false;
        rig.store(bundles_numbered(1, 3));
        rig.run_for(milliseconds(10));
        rig.routes_to_both();
        rig.link_up(kLink20, kNode20);
        rig.run_for(milliseconds(10));
        rig.released.clear();
    }
    /// Egress tells of the two others.
    void publish(Outcome outcome) {
        auto part = std::make_unique<Batch>();
        part->owner = BatchOwner::kStorage;
        part->link = kLink20;
        part->sequence = rig.lent[0]->sequence;
        part->whole = rig.lent[0].get();
        part->bundles.resize(3);
        for (std::size_t place = 1; place < 3; ++place) {
            part->bundles[place].outcome = outcome;
            rig.lent[0]->bundles[place].outcome = Outcome::kReturnedEarly;
        }
        rig.core().handle(bus::BatchOutcome{std::move(part)}, rig.now);
        rig.run_for(milliseconds(10));
    }
    Rig rig;
};

TEST(StorageRelease, WhatIsTooLateForAContactGoesWithTheNextBeforeTheRestIsAcknowledged) {
    SimDirectory directory;
    PartlySent story(directory);
    Rig &rig = story.rig;
    ASSERT_EQ(rig.lent.size(), 1U);
    story.publish(Outcome::kTooLate);
    EXPECT_TRUE(rig.released.empty()) << "the same contact";
    rig.link_down(kLink20, kNode20);
    rig.link_up(kLink20, kNode20);
    rig.run_for(milliseconds(10));
    EXPECT_EQ(rig.released_sequences(), (Sequences{2, 3}));
    ASSERT_EQ(rig.lent.size(), 2U);

    rig.lent[0]->bundles[0].outcome = Outcome::kSent;
    rig.set_outcome(0, Outcome::kPending);
    EXPECT_EQ(rig.core().figures().held(), 2U)
        << "what was told before is lent again, and counts once";
    rig.set_outcome(0, Outcome::kSent);
    EXPECT_EQ(rig.core().figures().held(), 0U);
}

TEST(StorageRelease, TooLateForAnEarlierContactIsNotTooLateForThisOne) {
    SimDirectory directory;
    PartlySent story(directory);
    Rig &rig = story.rig;
    ASSERT_EQ(rig.lent.size(), 1U);
    rig.link_down(kLink20, kNode20);
    rig.link_up(kLink20, kNode20);
    rig.set_outcome(0, Outcome::kTooLate);
    rig.run_for(milliseconds(10));
    EXPECT_EQ(rig.released_sequences(), (Sequences{1, 2, 3}));
    rig.released.clear();
    rig.set_outcome(0, Outcome::kTooLate);
    rig.run_for(milliseconds(10));
    EXPECT_TRUE(rig.released.empty());
    rig.link_up(kLink20, kNode20);  // it has another end
    rig.run_for(milliseconds(10));
    EXPECT_EQ(rig.released_sequences(), (Sequences{1, 2, 3}));
    rig.set_outcome(0, Outcome::kSent);
}

TEST(StorageRelease, TheWindowOfALinkLimitsWhatIsLent) {
    SimDirectory directory;
    RigOptions options;
    options.limits.link_bytes = 3000;
    Rig rig(directory, options);
    rig.send_at_once = false;
    BundleSpec large;
    large.payload_bytes = 900;
    rig.store(bundles_numbered(1, 10, large));
    large.payload_bytes = 5000;  // above the window: it must travel alone
    rig.store(bundles_numbered(11, 11, large));
    rig.run_for(milliseconds(10));
    rig.routes_to_both();
    rig.link_up(kLink20, kNode20);
    for (int rounds = 0; rounds < 20 && rig.core().figures().held() > 0; ++rounds) {
        rig.run_for(milliseconds(10));
        std::uint64_t bytes = 0, bundles = 0;
        for (const BatchPtr &batch : rig.lent) {
            bytes += batch->bytes;
            bundles += batch->bundles.size();
        }
        EXPECT_TRUE(bytes <= 3000 || bundles == 1) << bytes;
        ASSERT_FALSE(rig.lent.empty());
        rig.set_outcome(0, Outcome::kSent);
    }
    EXPECT_EQ(rig.released.size(), 11U);
}

TEST(StorageRelease, WhatWasReadAheadComesBackWhenTheLinkGoes) {
    SimDirectory directory;
    RigOptions options;
    options.limits.link_bytes = 3000;
    Rig rig(directory, options);
    rig.send_at_once = false;
    BundleSpec large;
    large.payload_bytes = 900;
    rig.store(bundles_numbered(1, 20, large));
    rig.run_for(milliseconds(10));
    rig.routes_to_both();
    rig.link_up(kLink20, kNode20);
    rig.run_for(milliseconds(10));
    // The link shows how fast it is, so more is read than it may have in hand.
    while (rig.released.size() < 9) {
        ASSERT_FALSE(rig.lent.empty());
        rig.set_outcome(0, Outcome::kSent);
        rig.run_for(milliseconds(1));
    }
    rig.link_down(kLink20, kNode20);
    while (!rig.lent.empty()) {
        rig.set_outcome(0, Outcome::kNotSent);
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
    EXPECT_EQ(rig.core().figures().held(), 0U);
}

TEST(StorageRelease, ReportsAnEmptyFlowOnlyWhenItsLastBundleIsSent) {
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

TEST(StorageRelease, ReportsAFlowWhoseBundlesWereRefused) {
    SimDirectory directory;
    RigOptions options;
    options.capacity_bytes = 100;
    Rig rig(directory, options);
    rig.store({bundle_numbered(1)});
    EXPECT_EQ(rig.outcome(1), Outcome::kNoSpace);
    ASSERT_EQ(rig.backlogs.size(), 1U);
    EXPECT_EQ(rig.backlogs[0].taken[0], 1U);
}

TEST(StorageRelease, NamesWithoutARouteWaitUntilTheyExpire) {
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

TEST(StorageRelease, ARouteChangeSendsWhatWaitsAnotherWay) {
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

/// To node 20 by both neighbours, with what the router has laid onto each.
bus::RouteUpdate two_ways(std::uint64_t by_20, std::uint64_t by_30) {
    bus::Route route{kNode20, {{kNode20, kLink20}, {kNode30, kLink30}}};
    constexpr auto kNormal = static_cast<std::size_t>(Priority::kNormal);
    route.candidates[0].booked_bytes[kNormal] = by_20;
    route.candidates[1].booked_bytes[kNormal] = by_30;
    return {{}, {route}};
}

TEST(StorageRelease, WhatIsLaidOntoTwoLinksLeavesByBoth) {
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

TEST(StorageRelease, WhatIsTooLargeForEveryContactStepsAside) {
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
    rig.run_for(seconds(11));
    EXPECT_EQ(rig.core().figures().held(), 1U) << "it lives no longer for that";
    routes.routes[0].max_bundle_bytes = 6000;
    rig.core().handle(routes, rig.now);
    rig.run_for(milliseconds(10));
    EXPECT_EQ(rig.released_sequences(), (Sequences{3, 1}));
    EXPECT_EQ(rig.core().figures().held(), 0U);
}

TEST(StorageRelease, ALinkThatLeadsElsewhereGetsNothingUntilTheRouteFollows) {
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

TEST(StorageRelease, ASnapshotReplacesWhatWasKnownOfLinks) {
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

TEST(StorageRelease, NothingGoesToALinkThatASnapshotDoesNotName) {
    SimDirectory directory;
    Rig rig(directory);
    rig.routes_to_both();
    rig.link_up(kLink20, kNode20);
    rig.core().handle(bus::LinkSnapshot{}, rig.now);
    rig.store({bundle_numbered(1)});
    rig.run_for(milliseconds(10));
    EXPECT_TRUE(rig.released.empty());
}

// The log does not keep who sent a bundle; the bundle itself does (RFC 9171 section 4.4.1).
TEST(StorageRelease, AfterARestartABundleDoesNotGoBackToTheNodeBefore) {
    constexpr NodeNumber kFar{40};
    SimDirectory directory;
    {
        Rig rig(directory);
        for (const std::uint64_t sequence : {1, 2, 3, 4}) {
            BundleSpec spec = bundle_numbered(sequence);
            spec.destination_node = sequence == 4 ? kNode20.value() : kFar.value();
            spec.previous_node = sequence % 2 == 0 ? kNode20.value() : 0;
            rig.store({spec});
        }
        rig.run_for(kRigMoment);
    }
    directory.crash(3);
    Rig rig(directory);
    rig.route_by({{kFar, kLink20}, {kNode20, kLink20}}, kNode20);
    rig.link_up(kLink20, kNode20);
    rig.run_for(seconds(1));
    Sequences released = rig.released_sequences();
    std::ranges::sort(released);
    EXPECT_EQ(released, (Sequences{1, 3, 4})) << "4 is for that node itself";
    ASSERT_EQ(rig.core().figures().held(), 1U);
    rig.route_by({{kFar, kLink30}}, kNode30);
    rig.link_up(kLink30, kNode30);
    rig.run_for(seconds(1));
    EXPECT_EQ(rig.released.back().sequence, 2U);
    EXPECT_EQ(rig.released.back().link, kLink30);
    EXPECT_EQ(rig.core().figures().held(), 0U);
    EXPECT_EQ(rig.count(StorageCounter::kStoredNow), 0U);
}

// Egress counts them, and reports them to whoever asked.
TEST(StorageRelease, WhatEgressDeletesIsNeitherSentNorKept) {
    for (const Outcome outcome : {Outcome::kDeletedHopLimit, Outcome::kDeletedUnreadable}) {
        SimDirectory directory;
        Rig rig(directory);
        rig.send_at_once = false;
        rig.store(bundles_numbered(1, 1));
        rig.run_for(milliseconds(10));
        rig.routes_to_both();
        rig.link_up(kLink20, kNode20);
        rig.run_for(milliseconds(10));
        ASSERT_EQ(rig.lent.size(), 1U);
        rig.set_outcome(0, outcome);
        EXPECT_EQ(rig.core().figures().held(), 0U);
        EXPECT_EQ(rig.count(StorageCounter::kReleased), 0U);
        EXPECT_EQ(rig.count(StorageCounter::kUnsendable), 1U);
    }
}

}  // namespace
}  // namespace farlink::testing
