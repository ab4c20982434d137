// SPDX-License-Identifier: Apache-2.0
#include "common/routing/forwarding_explanation.hpp"

#include <gtest/gtest.h>

namespace farlink::routing::forwarding_explanation_test {
namespace {

bus::RouteCandidate by(std::uint32_t neighbour, DtnTime arrival) {
    bus::RouteCandidate candidate{NodeNumber{neighbour}, LinkId{10 + neighbour}, arrival};
    candidate.leave_by = 100'000;
    return candidate;
}

/// Node 40 by neighbours 2, 3 and 4, of which 4 is down; node 5 is the gateway.
class ForwardingExplanation : public testing::Test {
protected:
    ForwardingExplanation() {
        update_.routes = {{NodeNumber{40}, {by(2, 1000), by(3, 2000), by(4, 3000)}}};
        for (std::uint32_t node = 2; node <= 5; ++node)
            update_.neighbours.push_back({NodeNumber{node}, LinkId{10 + node}, node != 4});
        config_.default_gateway = NodeNumber{5};
    }
    /// "plan 2: taken", in order; the decision must be that of the table.
    std::vector<std::string> explain(const BundleFacts &bundle, DtnTime now = 0) {
        ForwardingTable table(config_);
        table.handle(update_);
        const auto takes = [this](const NextHop &hop) { return hop.neighbour != too_small_; };
        const Explanation published = routing::explain(table, bundle, now, takes);
        const Decision decision = table.decide(bundle, now, takes);
        EXPECT_EQ(published.decision.hop, decision.hop);
        EXPECT_EQ(published.decision.fits, decision.fits);
        std::vector<std::string> lines;
        for (const ExplainedWay &way : published.ways)
            lines.push_back(std::string(to_string(way.rule)) + ' ' +
                            std::to_string(way.hop.neighbour.value()) + ": " +
                            std::string(to_string(way.verdict)));
        return lines;
    }
    static BundleFacts bundle(std::uint64_t destination) {
        return {NodeNumber{1}, NodeNumber{destination}, 5, Priority::kNormal,
                100,           DtnTime{kDtnNever},      {}};
    }
    using Lines = std::vector<std::string>;

    config::RoutingConfig config_;
    bus::RouteUpdate update_;
    NodeNumber too_small_;
};

const std::string kUnused = "default gateway 5: not evaluated: an earlier rule has a route";

TEST_F(ForwardingExplanation, SaysWhyEarlierWaysAreNotTaken) {
    EXPECT_EQ(explain(bundle(40)), (Lines{"plan 2: taken", "plan 3: an earlier route is taken",
                                          "plan 4: an earlier route is taken", kUnused}));
    BundleFacts facts = bundle(40);
    facts.sender = NodeNumber{2};
    EXPECT_EQ(explain(facts)[0], "plan 2: the next hop is the sender of the bundle");
    update_.routes[0].candidates[0].room_bytes[1] = 99;
    too_small_ = NodeNumber{3};
    EXPECT_EQ(
        explain(bundle(40)),
        (Lines{"plan 2: the bundle is larger than the residual volume of the contacts",
               "plan 3: the bundle is larger than the link accepts", "plan 4: taken", kUnused}));
    facts = bundle(40);
    facts.expiry = 2500;
    EXPECT_EQ(explain(facts)[2], "plan 4: the bundle would arrive after its lifetime has expired");
    EXPECT_EQ(explain(bundle(40), 100'001)[2],
              "plan 4: the bundle cannot be sent before the contact ends");
}

TEST_F(ForwardingExplanation, NamesThePolicyAndWhatIsDown) {
    config_.policies.resize(2);
    config_.policies[0].source = NodeNumber{9};
    config_.policies[0].paths = {{NodeNumber{2}}};
    config_.policies[1].paths = {{NodeNumber{4}}, {NodeNumber{7}}, {NodeNumber{3}}};
    EXPECT_EQ(
        explain(bundle(40)),
        (Lines{"policy 4: its link is down", "policy 7: no link to the next hop", "policy 3: taken",
               "plan 2: an earlier route is taken", "plan 3: an earlier route is taken",
               "plan 4: an earlier route is taken", kUnused}));
    ForwardingTable table(config_);
    table.handle(update_);
    EXPECT_EQ(
        routing::explain(table, bundle(40), 0, [](const NextHop &) { return true; }).ways[2].policy,
        1U);
}

TEST_F(ForwardingExplanation, SaysWhenNoContactHasRoom) {
    update_.routes[0].candidates[0].room_bytes[1] = 0;
    update_.routes[0].candidates[0].delay_ms[1] = kDtnNever;
    // A later contact of the same way is over before its turn comes.
    update_.routes[0].candidates[1].delay_ms[1] = kDtnNever;
    update_.routes[0].candidates[2].room_bytes[1] = 0;
    BundleFacts facts = bundle(40);
    facts.expiry = 1'000'000;
    const std::string full = "the contacts of this route have no residual volume";
    EXPECT_EQ(explain(facts),
              (Lines{"plan 4: " + full, "plan 2: " + full, "plan 3: " + full, kUnused}));
    ForwardingTable table(config_);
    table.handle(update_);
    const Explanation published =
        routing::explain(table, facts, 0, [](const NextHop &) { return true; });
    EXPECT_EQ(published.ways[1].arrival, kDtnNever) << "later than any time";
}

TEST_F(ForwardingExplanation, OfACriticalBundleEveryWayIsTaken) {
    config_.policies.resize(1);
    config_.policies[0].paths = {{NodeNumber{4}}, {NodeNumber{3}}};
    update_.routes[0].candidates[0].room_bytes[1] = 0;
    update_.routes[0].candidates[2].arrival = 3000;
    const auto lines = [&](const BundleFacts &facts) {
        ForwardingTable table(config_);
        table.handle(update_);
        const Explanation published = routing::explain_all(table, facts, 0);
        EXPECT_TRUE(published.critical);
        Lines rows;
        std::vector<NextHop> taken;
        for (const ExplainedWay &way : published.ways) {
            rows.push_back(std::string(to_string(way.rule)) + ' ' +
                           std::to_string(way.hop.neighbour.value()) + ": " +
                           std::string(to_string(way.verdict)));
            if (way.verdict == Verdict::kTaken) taken.push_back(way.hop);
        }
        EXPECT_EQ(taken, table.decide_all(facts, 0));
        return rows;
    };
    BundleFacts facts = bundle(40);
    EXPECT_EQ(lines(facts),
              (Lines{"policy 4: its link is down", "policy 3: taken", "plan 2: taken",
                     "plan 3: an earlier route has the same next hop", "plan 4: taken", kUnused}))
        << "it goes ahead of what takes the room";
    facts.expiry = 2500;
    facts.sender = NodeNumber{2};
    EXPECT_EQ(lines(facts)[2], "plan 2: the next hop is the sender of the bundle");
    EXPECT_EQ(lines(facts)[4], "plan 4: the bundle would arrive after its lifetime has expired");
    config_.policies.clear();
    EXPECT_EQ(lines(bundle(60)), Lines{"default gateway 5: taken"});
}

TEST_F(ForwardingExplanation, FallsBackInOrder) {
    config_.statics = {{NodeNumber{50}, NodeNumber{4}}, {NodeNumber{51}, NodeNumber{8}}};
    EXPECT_EQ(explain(bundle(60)), Lines{"default gateway 5: taken"});
    EXPECT_EQ(explain(bundle(50)),
              (Lines{"default gateway 5: taken", "static route 4: an earlier route is taken"}))
        << "its link is down";
    EXPECT_EQ(explain(bundle(51)),
              (Lines{"default gateway 5: taken", "static route 8: no link to the next hop"}));
    config_.default_gateway = {};
    EXPECT_EQ(explain(bundle(60)), Lines{});
}

TEST_F(ForwardingExplanation, FallsBackIfThePolicyLeadsBackOrItsLinkIsTooSmall) {
    config_.policies.resize(1);
    config_.policies[0].paths = {{NodeNumber{3}}};
    config_.statics = {{NodeNumber{50}, NodeNumber{3}}};
    EXPECT_EQ(explain(bundle(60)), (Lines{"policy 3: taken", kUnused}));
    BundleFacts facts = bundle(60);
    facts.sender = NodeNumber{3};
    const std::string back = "policy 3: the next hop is the sender of the bundle";
    EXPECT_EQ(explain(facts), (Lines{back, "default gateway 5: taken"}));
    ForwardingTable table(config_);
    table.handle(update_);
    const Explanation all = routing::explain_all(table, facts, 0);
    ASSERT_EQ(all.ways.size(), 2U);
    EXPECT_EQ(all.ways[0].verdict, Verdict::kBackToSender);
    EXPECT_EQ(all.ways[1].rule, Rule::kDefaultGateway);
    EXPECT_EQ(all.ways[1].verdict, Verdict::kTaken);
    too_small_ = NodeNumber{3};
    const std::string small = " 3: the bundle is larger than the link accepts";
    EXPECT_EQ(explain(bundle(50)),
              (Lines{"policy" + small, "static route" + small, "default gateway 5: taken"}));
    facts.destination = NodeNumber{40};
    EXPECT_EQ(explain(facts)[1], "plan 2: taken");
}

TEST_F(ForwardingExplanation, OfAHeldDestinationNoWayIsTaken) {
    update_.held = {NodeNumber{40}};
    EXPECT_EQ(explain(bundle(40)),
              (Lines{"plan 2: held by the operator", "plan 3: held by the operator",
                     "plan 4: held by the operator", "default gateway 5: held by the operator"}));
    ForwardingTable table(config_);
    table.handle(update_);
    EXPECT_TRUE(routing::explain(table, bundle(40), 0, [](const NextHop &) { return true; }).held);
    const Explanation all = routing::explain_all(table, bundle(40), 0);
    EXPECT_TRUE(all.held);
    EXPECT_EQ(all.ways.front().verdict, Verdict::kHeld);
}

}  // namespace
}  // namespace farlink::routing::forwarding_explanation_test
