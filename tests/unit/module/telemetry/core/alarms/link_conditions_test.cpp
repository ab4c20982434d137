// SPDX-License-Identifier: Apache-2.0
// Which sessions that neighbours open are missed, and what an operator reads about them.
#include "module/telemetry/core/alarms/link_conditions.hpp"

#include <gtest/gtest.h>

#include "module/telemetry/core/alarms/figures.hpp"

namespace farlink::telemetry::link_conditions_test {
namespace {

constexpr DtnTime kStart = 800'000'000'000;
constexpr NodeNumber kNeighbour{20};

PlanFacts plan_with(NodeNumber neighbour) {
    return {true, {{neighbour, kStart + kDayMs, 1'000'000}}};
}

/// A node with one link: a session that its neighbour had opened and has closed.
struct Node {
    Node() {
        facts.links = {{.link = LinkId{0x40000000},
                        .neighbour = kNeighbour,
                        .open = true,
                        .opened_by_neighbour = true}};
    }
    std::vector<Condition> find() {
        std::vector<Condition> found;
        links.find(facts, {}, kStart, found);
        return found;
    }

    AlarmFacts facts;
    LinkConditions links;
};

TEST(LinkConditions, AClosedSessionIsNotMissedWithoutAContactOfThePlan) {
    Node node;
    EXPECT_TRUE(node.find().empty());
    node.facts.plan = plan_with(NodeNumber{40});
    EXPECT_TRUE(node.find().empty());
    node.facts.plan = plan_with(kNeighbour);
    node.facts.plan.neighbours[0].ends = kStart;
    EXPECT_TRUE(node.find().empty()) << "its last contact is over";
}

TEST(LinkConditions, AClosedSessionIsMissedInAContactOfThePlan) {
    Node node;
    node.facts.plan = plan_with(kNeighbour);
    const std::vector<Condition> found = node.find();
    ASSERT_EQ(found.size(), 1U);
    EXPECT_EQ(found[0].name, AlarmName::kLinkMissesContact);
    EXPECT_EQ(found[0].text,
              "node 20 has had no session to this node since 2025-05-08T06:13:20.000Z, although "
              "its contact is open");
    EXPECT_NE(found[0].action.find("the neighbour opens this session"), std::string::npos);
    EXPECT_EQ(found[0].action.find("link down"), std::string::npos) << found[0].action;
}

TEST(LinkConditions, AnOutductIsNamedWithItsAddress) {
    Node node;
    node.facts.links = {{.link = LinkId{1},
                         .neighbour = kNeighbour,
                         .open = true,
                         .reason = "refused",
                         .address = "192.0.2.7:4556"}};
    const std::vector<Condition> found = node.find();
    ASSERT_EQ(found.size(), 1U);
    EXPECT_EQ(found[0].text,
              "link 1 to node 20 at 192.0.2.7:4556 has been disconnected since "
              "2025-05-08T06:13:20.000Z, although its contact is open: refused");
    EXPECT_NE(found[0].action.find("its own farlinkctl status"), std::string::npos);
}

TEST(LinkConditions, TheOutductToTheNeighbourIsMissedAndNotItsSession) {
    Node node;
    node.facts.plan = plan_with(kNeighbour);
    node.facts.links.push_back({.link = LinkId{1}, .neighbour = kNeighbour, .open = true});
    const std::vector<Condition> found = node.find();
    ASSERT_EQ(found.size(), 1U);
    EXPECT_EQ(found[0].subject.link, LinkId{1});
    EXPECT_NE(found[0].action.find("check the address"), std::string::npos);
}

TEST(LinkConditions, ASessionThatEndedForLackOfRoomAtThisNodeIsNotMissed) {
    Node node;
    node.facts.plan = plan_with(kNeighbour);
    node.facts.storage_full = true;
    EXPECT_TRUE(node.find().empty());
}

TEST(LinkConditions, ASessionThatWasMissedBeforeTheStorageWasFullIsStillMissed) {
    Node node;
    node.facts.plan = plan_with(kNeighbour);
    EXPECT_EQ(node.find().size(), 1U);
    node.facts.storage_full = true;
    EXPECT_EQ(node.find().size(), 1U);
}

}  // namespace
}  // namespace farlink::telemetry::link_conditions_test
