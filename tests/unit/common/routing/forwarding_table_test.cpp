// SPDX-License-Identifier: Apache-2.0
#include "common/routing/forwarding_table.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>

#include "common/runtime/clock.hpp"

namespace farlink::routing::forwarding_table_test {
namespace {

constexpr auto kBulk = Priority::kBulk;
constexpr auto kNormal = Priority::kNormal;
constexpr auto kExpedited = Priority::kExpedited;

bus::RouteCandidate by(std::uint32_t neighbour, DtnTime arrival) {
    bus::RouteCandidate candidate{NodeNumber{neighbour}, LinkId{10 + neighbour}, arrival};
    candidate.leave_by = 100'000;
    return candidate;
}

BundleFacts bundle(std::uint64_t destination, Priority priority = kNormal) {
    return {NodeNumber{1}, NodeNumber{destination}, 5, priority, 100, kDtnNever, {}};
}

/// Node 40 by neighbours 2 and 3, node 3 by itself; links to 2, 3 and 4 are up.
class ForwardingTableTest : public testing::Test {
protected:
    ForwardingTableTest() {
        update.routes = {{NodeNumber{40}, {by(2, 1000), by(3, 2000)}},
                         {NodeNumber{3}, {by(3, 500)}}};
        for (std::uint32_t node = 2; node <= 4; ++node)
            update.neighbours.push_back({NodeNumber{node}, LinkId{10 + node}, true});
    }
    void configure(const config::RoutingConfig &config) {
        table = ForwardingTable(config);
        table.handle(update);
    }
    std::uint64_t next(const BundleFacts &facts, DtnTime now = 0) {
        const Decision decision = table.decide(facts, now);
        EXPECT_TRUE(decision.fits || decision.hop.link == kNoLink);
        return decision.hop.neighbour.value();
    }
    /// The neighbours by which what waits for the node leaves.
    std::vector<std::uint64_t> ways(std::uint64_t destination, NodeNumber sender = {},
                                    std::span<const NodeNumber> avoided = {}) {
        BundleFacts facts = bundle(destination);
        facts.source = {};
        facts.sender = sender;
        table.find_ways(facts, avoided, found);
        std::vector<std::uint64_t> neighbours;
        for (const BookedWay &way : found) neighbours.push_back(way.hop.neighbour.value());
        return neighbours;
    }

    using Nodes = std::vector<std::uint64_t>;
    [[nodiscard]] Nodes all_ways(const BundleFacts &facts, DtnTime now = 0) const {
        Nodes nodes;
        for (const NextHop &hop : table.decide_all(facts, now))
            nodes.push_back(hop.neighbour.value());
        return nodes;
    }

    bus::RouteUpdate update;
    ForwardingTable table;
    std::vector<BookedWay> found;
};

TEST_F(ForwardingTableTest, TheFirstRouteOfThePlan) {
    EXPECT_EQ(table.decide(bundle(40), 0).hop.link, kNoLink) << "nothing is known yet";
    table.handle(update);
    EXPECT_EQ(next(bundle(40)), 2U);
    EXPECT_EQ(table.decide(bundle(40), 0).hop.link, LinkId{12});
    EXPECT_EQ(next(bundle(41)), 0U);
    table.handle({});
    EXPECT_EQ(next(bundle(40)), 0U) << "the table before is forgotten";
}

TEST_F(ForwardingTableTest, TheFirstRouteThatTheBundleFits) {
    update.routes[0].candidates[0].room_bytes[1] = 99;
    configure({});
    EXPECT_EQ(next(bundle(40)), 3U) << "100 bytes find no room";
    EXPECT_EQ(next(bundle(40, kExpedited)), 2U);
    BundleFacts brief = bundle(40, kExpedited);
    brief.expiry = 1500;
    EXPECT_EQ(next(brief), 2U);
    brief.expiry = 900;
    const Decision decision = table.decide(brief, 0);
    EXPECT_FALSE(decision.fits);
    EXPECT_EQ(decision.hop.neighbour, NodeNumber{2});
}

TEST_F(ForwardingTableTest, LateDepartureSizeAndDelayCount) {
    bus::RouteCandidate &first = update.routes[0].candidates[0];
    first.on_time_until = 100;
    first.octet_ps = 5'000'000'000;  // 5 ms a byte
    configure({});
    BundleFacts sized = bundle(40);
    sized.expiry = 1501;
    EXPECT_EQ(next(sized, 100), 2U) << "1000 ms and 500 for its size";
    EXPECT_FALSE(table.decide(sized, 102).fits) << "it leaves too late";
    EXPECT_EQ(next(bundle(40), 100'000), 2U);
    EXPECT_FALSE(table.decide(bundle(40), 100'001).fits);
    first.delay_ms[1] = 1500;
    configure({});
    EXPECT_EQ(next(bundle(40)), 3U) << "others wait for the first hop";
    EXPECT_EQ(next(bundle(40, kExpedited)), 2U);
}

TEST_F(ForwardingTableTest, NeverBackToTheSender) {
    table.handle(update);
    BundleFacts facts = bundle(40);
    facts.sender = NodeNumber{2};
    EXPECT_EQ(next(facts), 3U);
    EXPECT_EQ(ways(40, NodeNumber{2}), std::vector{3UL});
    facts.destination = NodeNumber{3};
    EXPECT_EQ(next(facts), 3U);
    facts.sender = NodeNumber{3};
    EXPECT_EQ(next(facts), 3U) << "it is for its sender";
    configure({.return_to_sender = true});
    facts = bundle(40);
    facts.sender = NodeNumber{2};
    EXPECT_EQ(next(facts), 2U);
}

TEST_F(ForwardingTableTest, StaticRouteThenGateway) {
    configure({.default_gateway = NodeNumber{4}, .statics = {{NodeNumber{50}, NodeNumber{3}}}});
    EXPECT_EQ(next(bundle(40)), 2U) << "the plan comes first";
    EXPECT_EQ(next(bundle(50)), 3U);
    EXPECT_EQ(next(bundle(60)), 4U);
    update.neighbours[1].up = false;
    table.handle(update);
    EXPECT_EQ(next(bundle(50)), 4U) << "the link of the static route is down";
    update.neighbours[2].up = false;
    table.handle(update);
    EXPECT_EQ(next(bundle(50)), 3U) << "it waits there";
}

TEST_F(ForwardingTableTest, APolicyComesBeforeThePlan) {
    config::RoutingPolicy policy;
    policy.destination = "ipn:40.*";
    policy.priority = kBulk;
    policy.paths = {{NodeNumber{4}}, {NodeNumber{3}}};
    configure({.policies = {policy}});
    EXPECT_EQ(next(bundle(40)), 2U);
    EXPECT_EQ(next(bundle(40, kBulk)), 4U);
    EXPECT_EQ(next(bundle(3, kBulk)), 3U);
    update.neighbours[2].up = false;
    table.handle(update);
    EXPECT_EQ(next(bundle(40, kBulk)), 3U) << "the next path";
    update.neighbours[1].up = false;
    table.handle(update);
    EXPECT_EQ(next(bundle(40, kBulk)), 2U) << "no path is up: the plan";
}

TEST_F(ForwardingTableTest, APolicyThatLeadsBackLeavesTheBundleToTheLaterRules) {
    config::RoutingPolicy policy;
    policy.paths = {{NodeNumber{2}}};
    configure({.default_gateway = NodeNumber{4},
               .statics = {{NodeNumber{50}, NodeNumber{3}}},
               .policies = {policy}});
    EXPECT_EQ(next(bundle(60)), 2U);
    EXPECT_EQ(ways(60), Nodes{2});
    EXPECT_EQ(all_ways(bundle(60)), Nodes{2}) << "the gateway is no further route";
    BundleFacts facts = bundle(60);
    facts.sender = NodeNumber{2};
    EXPECT_EQ(next(facts), 4U);
    EXPECT_TRUE(table.decide(facts, 0).fallback);
    EXPECT_EQ(ways(60, NodeNumber{2}), Nodes{4});
    EXPECT_EQ(all_ways(facts), Nodes{4});
    facts.destination = NodeNumber{50};
    EXPECT_EQ(next(facts), 3U) << "the static route comes first";
    EXPECT_EQ(all_ways(facts), (Nodes{3, 4}));
    facts.destination = NodeNumber{40};
    EXPECT_EQ(next(facts), 3U) << "the plan has a route";
    EXPECT_EQ(all_ways(facts), Nodes{3});
    const auto not_2 = [](const NextHop &hop) { return hop.neighbour != NodeNumber{2}; };
    EXPECT_EQ(table.decide(bundle(60), 0, not_2).hop.neighbour, NodeNumber{4});
    const std::array avoided{NodeNumber{2}};
    EXPECT_EQ(ways(60, {}, avoided), Nodes{4});
}

/// Bundles that leave by such a way may come back: they get a hop limit, and wait.
TEST_F(ForwardingTableTest, ThePlanAloneIsComputed) {
    config::RoutingPolicy policy;
    policy.destination = "ipn:40.*";
    policy.priority = kBulk;
    policy.paths = {{NodeNumber{4}}};
    configure({.default_gateway = NodeNumber{4},
               .statics = {{NodeNumber{50}, NodeNumber{3}}},
               .policies = {policy}});
    EXPECT_FALSE(table.decide(bundle(40), 0).fallback);
    EXPECT_TRUE(table.decide(bundle(40, kBulk), 0).fallback) << "a policy";
    EXPECT_TRUE(table.decide(bundle(50), 0).fallback) << "a static route";
    EXPECT_TRUE(table.decide(bundle(60), 0).fallback) << "the default gateway";
    update.neighbours[2].up = false;
    table.handle(update);
    EXPECT_FALSE(table.decide(bundle(40, kBulk), 0).fallback) << "no path is up: the plan";
}

TEST_F(ForwardingTableTest, ADetourMayLeadBack) {
    configure({});
    EXPECT_FALSE(table.decide(bundle(40), 0).fallback);
    EXPECT_TRUE(table.has_planned_route(NodeNumber{40}));
    EXPECT_FALSE(table.has_planned_route(NodeNumber{60}));
    update.routes[0].detour = true;
    table.handle(update);
    EXPECT_TRUE(table.decide(bundle(40), 0).fallback);
    EXPECT_FALSE(table.decide(bundle(3), 0).fallback) << "another destination";
    EXPECT_FALSE(table.has_planned_route(NodeNumber{40}));
    EXPECT_EQ(next(bundle(40)), 2U);
    EXPECT_EQ(ways(40), Nodes{2});
    update.routes[0].detour = false;
    table.handle(update);
    EXPECT_FALSE(table.decide(bundle(40), 0).fallback);
}

TEST_F(ForwardingTableTest, ConditionsOfAPolicy) {
    config::RoutingPolicy policy;
    policy.source = NodeNumber{1};
    policy.service = 5;
    policy.paths = {{NodeNumber{4}}};
    configure({.policies = {policy}});
    BundleFacts facts = bundle(40);
    EXPECT_EQ(next(facts), 4U);
    facts.service = 6;
    EXPECT_EQ(next(facts), 2U);
    facts.service = 5;
    facts.source = NodeNumber{9};
    EXPECT_EQ(next(facts), 2U);
    EXPECT_EQ(ways(40), std::vector{2UL}) << "the source is not known";
}

TEST_F(ForwardingTableTest, SpreadByWeight) {
    config::RoutingPolicy policy;
    policy.paths = {{NodeNumber{2}, 3}, {NodeNumber{3}, 1}};
    policy.spread = true;
    configure({.policies = {policy}});
    std::size_t by_2 = 0;
    for (std::uint64_t source = 1; source <= 4000; ++source) {
        BundleFacts facts = bundle(40);
        facts.source = NodeNumber{source};
        const std::uint64_t hop = next(facts);
        ASSERT_EQ(next(facts), hop) << "one source and destination stay on one path";
        by_2 += hop == 2 ? 1 : 0;
    }
    EXPECT_NEAR(static_cast<double>(by_2), 3000, 150);
}

TEST_F(ForwardingTableTest, PrioritiesAreAssigned) {
    config::RoutingPolicy policy;
    policy.destination = "ipn:40.*";
    policy.assign_priority = kExpedited;
    configure({.policies = {policy}});
    EXPECT_EQ(table.priority_of(NodeNumber{1}, {NodeNumber{40}, 5}), kExpedited);
    EXPECT_EQ(table.priority_of(NodeNumber{1}, {NodeNumber{41}, 5}), kNormal);
}

/// Only bundles without a priority are given one; until then they are normal.
TEST_F(ForwardingTableTest, APriorityIsAssignedIfThatOfThePolicyMatches) {
    config::RoutingConfig config;
    config.policies.resize(2);
    config.policies[0].priority = kBulk;
    config.policies[0].assign_priority = kExpedited;
    config.policies[1].assign_priority = kBulk;
    configure(config);
    EXPECT_EQ(table.priority_of(NodeNumber{1}, {NodeNumber{40}, 5}), kBulk);
    config.policies[0].priority = kNormal;
    configure(config);
    EXPECT_EQ(table.priority_of(NodeNumber{1}, {NodeNumber{40}, 5}), kExpedited);
}

TEST_F(ForwardingTableTest, ACriticalBundleTakesEveryNeighbour) {
    update.routes[0].candidates.push_back(by(2, 3000));
    update.routes[0].candidates.push_back(by(4, 9000));
    table.handle(update);
    EXPECT_EQ(all_ways(bundle(40)), (Nodes{2, 3, 4}));
    BundleFacts brief = bundle(40);
    brief.expiry = 2500;
    EXPECT_EQ(all_ways(brief), (Nodes{2, 3})) << "by node 4 it comes too late";
    brief.sender = NodeNumber{2};
    EXPECT_EQ(all_ways(brief), Nodes{3}) << "not back to the sender";
    EXPECT_EQ(all_ways(bundle(40), 100'001), Nodes{}) << "the contacts are over";
    EXPECT_EQ(all_ways(bundle(41)), Nodes{});
}

TEST_F(ForwardingTableTest, ACriticalBundleGoesAheadOfWhatWaits) {
    for (bus::RouteCandidate &candidate : update.routes[0].candidates) {
        candidate.room_bytes.fill(0);
        candidate.delay_ms.fill(1'000'000);
    }
    table.handle(update);
    BundleFacts brief = bundle(40);
    brief.expiry = 2500;
    EXPECT_EQ(all_ways(brief), (Nodes{2, 3}));
}

TEST_F(ForwardingTableTest, ACriticalBundleTakesPathsOfAPolicyToo) {
    config::RoutingPolicy policy;
    policy.paths = {{NodeNumber{4}}, {NodeNumber{3}}};
    configure({.default_gateway = NodeNumber{3},
               .statics = {{NodeNumber{50}, NodeNumber{2}}},
               .policies = {policy}});
    EXPECT_EQ(all_ways(bundle(40)), (Nodes{4, 3, 2}));
    configure({.default_gateway = NodeNumber{3}, .statics = {{NodeNumber{50}, NodeNumber{2}}}});
    EXPECT_EQ(all_ways(bundle(50)), (Nodes{2, 3})) << "no plan leads there";
    EXPECT_EQ(all_ways(bundle(40)), (Nodes{2, 3})) << "the plan does";
}

TEST_F(ForwardingTableTest, APolicyMarksBundlesAsCritical) {
    EXPECT_FALSE(table.is_critical(NodeNumber{1}, {NodeNumber{40}, 5}, kNormal));
    config::RoutingPolicy policy;
    policy.source = NodeNumber{1};
    policy.destination = "ipn:40.*";
    policy.critical = true;
    configure({.policies = {policy}});
    EXPECT_TRUE(table.is_critical(NodeNumber{1}, {NodeNumber{40}, 5}, kNormal));
    EXPECT_FALSE(table.is_critical(NodeNumber{2}, {NodeNumber{40}, 5}, kNormal));
    EXPECT_FALSE(table.is_critical(NodeNumber{1}, {NodeNumber{41}, 5}, kNormal));
    EXPECT_EQ(next(bundle(40)), 2U) << "it has no paths";
}

TEST_F(ForwardingTableTest, StorageAvoidsADepletedNeighbour) {
    table.handle(update);
    const std::array avoided{NodeNumber{2}, NodeNumber{3}};
    EXPECT_EQ(ways(40), std::vector{2UL});
    EXPECT_EQ(ways(40, {}, std::span(avoided).first(1)), std::vector{3UL});
    EXPECT_EQ(ways(40, {}, avoided), std::vector{2UL});
    EXPECT_TRUE(ways(77).empty());
}

TEST_F(ForwardingTableTest, StorageGoesWhereItsBundlesAreBooked) {
    constexpr auto kLevel = static_cast<std::size_t>(kNormal);
    update.routes[0].candidates.push_back(by(3, 3000));
    update.routes[0].candidates.push_back(by(4, 9000));
    update.routes[0].candidates[1].booked_bytes[kLevel] = 100;
    update.routes[0].candidates[2].booked_bytes[kLevel] = 50;
    update.routes[0].candidates[3].booked_bytes[kLevel] = 7;
    table.handle(update);
    EXPECT_EQ(ways(40), (std::vector{3UL, 4UL})) << "the first has no room for them";
    EXPECT_EQ(found[0].bytes, 150U) << "two contacts with one neighbour";
    EXPECT_EQ(found[1].bytes, 7U);
    EXPECT_FALSE(found[0].by_policy);
    const std::array avoided{NodeNumber{3}};
    EXPECT_EQ(ways(40, {}, avoided), std::vector{4UL});
    config::RoutingPolicy policy;
    policy.paths = {{NodeNumber{4}}};
    configure({.policies = {policy}});
    EXPECT_EQ(ways(40), std::vector{4UL}) << "the policy's path alone";
    EXPECT_TRUE(found[0].by_policy);
}

TEST_F(ForwardingTableTest, TakesWhatTheLinkCarries) {
    table.handle(update);
    const auto not_2 = [](const NextHop &hop) { return hop.neighbour != NodeNumber{2}; };
    EXPECT_EQ(table.decide(bundle(40), 0, not_2).hop.neighbour, NodeNumber{3});
}

/// Ten times what bench/routes measures, since the machine may be busy.
TEST_F(ForwardingTableTest, ADecisionIsNearlyFree) {
    table.handle(update);
    BundleFacts facts = bundle(40);
    facts.expiry = 50'000;
    std::uint64_t sum = 0;
    Duration best = Duration::max();
    for (int turn = 0; turn < 20; ++turn) {
        const TimePoint begin = monotonic_now();
        for (std::uint64_t call = 0; call < 10'000; ++call) {
            facts.size_bytes = call % 500;
            sum += table.decide(facts, 0).hop.neighbour.value();
        }
        best = std::min(best, monotonic_now() - begin);
    }
    EXPECT_EQ(sum, 400'000U);
    EXPECT_LT(best.count() / 10'000, 500);
    RecordProperty("nanoseconds", static_cast<int>(best.count() / 10'000));
}

TEST_F(ForwardingTableTest, NothingLeadsToAHeldDestination) {
    config::RoutingConfig config;
    config.policies.resize(1);
    config.policies[0].paths = {{NodeNumber{4}}};
    config.default_gateway = NodeNumber{4};
    update.held = {NodeNumber{40}, NodeNumber{3}};
    configure(config);
    EXPECT_EQ(next(bundle(40)), 0U);
    EXPECT_EQ(ways(40), Nodes{});
    EXPECT_EQ(all_ways(bundle(40)), Nodes{});
    EXPECT_EQ(next(bundle(3)), 0U) << "in whatever order they are told";
    EXPECT_EQ(next(bundle(2)), 4U) << "others are not";
    EXPECT_TRUE(table.is_held(NodeNumber{40}));
    update.held.clear();
    table.handle(update);
    EXPECT_EQ(next(bundle(40)), 4U);
    EXPECT_EQ(ways(40), Nodes{4});
}

TEST_F(ForwardingTableTest, BundlesForOtherNodesPassAHeldNode) {
    update.held = {NodeNumber{2}};
    table.handle(update);
    EXPECT_EQ(next(bundle(40)), 2U);
}

}  // namespace
}  // namespace farlink::routing::forwarding_table_test
