// SPDX-License-Identifier: Apache-2.0
// Destinations of the dtn scheme, and patterns of both.
#include <gtest/gtest.h>

#include "common/routing/forwarding_explanation.hpp"

namespace farlink::routing::forwarding_names_test {
namespace {

/// Node 40 by neighbour 2; links to 2 to 9 are up.
class ForwardingNamesTest : public testing::Test {
protected:
    ForwardingNamesTest() {
        bus::RouteCandidate candidate{NodeNumber{2}, LinkId{12}, 1000};
        candidate.leave_by = 100'000;
        update.routes = {{NodeNumber{40}, {candidate}}};
        for (std::uint32_t node = 2; node <= 9; ++node)
            update.neighbours.push_back({NodeNumber{node}, LinkId{10 + node}, true});
    }
    void configure(const config::RoutingConfig &config) {
        table = ForwardingTable(config);
        table.handle(update);
    }
    /// The endpoint's text must outlive the facts.
    BundleFacts facts(const bp::Eid &endpoint, std::uint64_t source = 1) {
        const Destination destination = table.destination_of(endpoint.view());
        return {NodeNumber{source},
                destination.node,
                destination.service,
                Priority::kNormal,
                100,
                kDtnNever,
                {},
                destination.name};
    }
    std::uint64_t next(std::string_view text, std::uint64_t source = 1) {
        const bp::Eid endpoint = *bp::Eid::parse(text);
        const BundleFacts bundle = facts(endpoint, source);
        const NextHop hop = table.decide(bundle, 0).hop;
        std::vector<BookedWay> ways;
        table.find_ways(bundle, {}, ways);
        const NextHop stored = ways.empty() ? NextHop{} : ways[0].hop;
        EXPECT_TRUE(source != 1 || stored == hop) << "what is stored goes the same way";
        const auto explained =
            routing::explain(table, bundle, 0, [](const NextHop &) { return true; });
        EXPECT_EQ(explained.decision.hop, hop);
        return hop.neighbour.value();
    }
    [[nodiscard]] static config::StaticRoute to(std::string endpoints, std::uint64_t next_hop) {
        return {{}, NodeNumber{next_hop}, std::move(endpoints)};
    }

    bus::RouteUpdate update;
    ForwardingTable table;
};

TEST_F(ForwardingNamesTest, TheGatewayTakesEveryDestination) {
    configure({});
    EXPECT_EQ(next("dtn://mars/inbox"), 0U);
    configure({.default_gateway = NodeNumber{4}});
    EXPECT_EQ(next("dtn://mars/inbox"), 4U);
    const bp::EidView other{bp::EidScheme::kOther, 0, 0, "http://mars"};
    BundleFacts bundle = facts(*bp::Eid::parse("dtn://mars/"));
    bundle.name = table.destination_of(other).name;
    EXPECT_EQ(table.decide(bundle, 0).hop.neighbour, NodeNumber{4});
}

TEST_F(ForwardingNamesTest, TheNarrowerStaticRouteCounts) {
    configure({.default_gateway = NodeNumber{9},
               .statics = {to("dtn:**", 8), to("dtn://mars/**", 3), to("dtn://mars/base/**", 4),
                           to("dtn://mars/inbox", 5), to("ipn:*.7", 6), to("ipn:5.*", 7),
                           to("ipn:5.7", 2)}});
    EXPECT_EQ(next("dtn://venus/inbox"), 8U);
    EXPECT_EQ(next("dtn://mars/outbox"), 3U);
    EXPECT_EQ(next("dtn://mars/inbox"), 5U);
    EXPECT_EQ(next("dtn://mars/base/1"), 3U) << "all of a node comes before other patterns";
    EXPECT_EQ(next("ipn:6.7"), 6U);
    EXPECT_EQ(next("ipn:5.1"), 7U);
    EXPECT_EQ(next("ipn:5.7"), 2U);
    EXPECT_EQ(next("ipn:6.1"), 9U);
    EXPECT_EQ(next("ipn:40.7"), 2U) << "the plan comes first";
}

TEST_F(ForwardingNamesTest, OtherPatternsInTheirOrder) {
    configure({.statics = {to("dtn://mars/base/**", 4), to("dtn:**", 8), to("*:**", 9)}});
    EXPECT_EQ(next("dtn://mars/base/1"), 4U);
    EXPECT_EQ(next("dtn://mars/"), 8U);
    EXPECT_EQ(next("ipn:1.1"), 9U);
}

TEST_F(ForwardingNamesTest, PoliciesTakePatterns) {
    config::RoutingPolicy mars;
    mars.destination = "dtn://mars/**";
    mars.paths = {{NodeNumber{3}}};
    config::RoutingPolicy rest;
    rest.source = NodeNumber{7};
    rest.destination = "dtn:**";
    rest.paths = {{NodeNumber{5}}};
    config::RoutingPolicy first;
    first.destination = "dtn://mars/alarm";
    first.assign_priority = Priority::kExpedited;
    first.critical = true;
    configure({.default_gateway = NodeNumber{4}, .policies = {mars, rest, first}});
    EXPECT_EQ(next("dtn://mars/inbox"), 3U);
    EXPECT_EQ(next("dtn://venus/inbox"), 4U);
    EXPECT_EQ(next("dtn://venus/inbox", 7), 5U);
    EXPECT_EQ(next("ipn:5.1", 7), 4U);
    const bp::Eid alarm = *bp::Eid::parse("dtn://mars/alarm");
    const bp::Eid inbox = *bp::Eid::parse("dtn://mars/inbox");
    const auto of = [&](const bp::Eid &eid) { return table.destination_of(eid.view()); };
    EXPECT_EQ(table.priority_of({}, of(alarm)), Priority::kExpedited);
    EXPECT_EQ(table.priority_of({}, of(inbox)), Priority::kNormal);
    EXPECT_TRUE(table.is_critical({}, of(alarm), Priority::kNormal));
    EXPECT_FALSE(table.is_critical({}, of(inbox), Priority::kNormal));
}

TEST_F(ForwardingNamesTest, AServiceNumberIsOfIpnOnly) {
    config::RoutingPolicy zero;
    zero.service = 0;
    zero.paths = {{NodeNumber{3}}};
    configure({.default_gateway = NodeNumber{4}, .policies = {zero}});
    EXPECT_EQ(next("dtn://mars/inbox"), 4U);
    EXPECT_EQ(next("ipn:5.0"), 3U);
}

TEST_F(ForwardingNamesTest, ANameOfANodeFollowsThePlan) {
    configure({.default_gateway = NodeNumber{4},
               .statics = {to("ipn:41.*", 5)},
               .nodes = {{NodeNumber{40}, {"dtn://mars/**"}},
                         {NodeNumber{41}, {"dtn://venus/base/**"}}}});
    EXPECT_EQ(next("dtn://mars/inbox"), 2U);
    EXPECT_EQ(next("dtn://venus/base/1"), 5U);
    EXPECT_EQ(next("dtn://venus/1"), 4U);
    update.held = {NodeNumber{40}};
    table.handle(update);
    EXPECT_EQ(next("dtn://mars/inbox"), 0U) << "the operator holds what is for the node";
}

TEST_F(ForwardingNamesTest, ManyNamesOneAfterAnother) {
    configure({.statics = {to("dtn://mars/**", 3), to("dtn://venus/a", 4)}});
    for (int round = 0; round < 2000; ++round) {
        const std::string number = std::to_string(round);
        EXPECT_EQ(next("dtn://mars/" + number), 3U);
        EXPECT_EQ(next("dtn://venus/" + number), 0U);
        EXPECT_EQ(next("dtn://venus/a"), 4U);
    }
}

}  // namespace
}  // namespace farlink::routing::forwarding_names_test
