// SPDX-License-Identifier: Apache-2.0
#include "module/telemetry/core/alarm_inputs.hpp"

#include <gtest/gtest.h>

#include "common/config/node/link_placement.hpp"
#include "common/telemetry/egress_counters.hpp"
#include "common/telemetry/ingress_counters.hpp"
#include "common/telemetry/storage_counters.hpp"
#include "tests/unit/module/telemetry/api_fixture.hpp"

namespace farlink::telemetry::alarm_inputs_test {
namespace {

constexpr LinkId kOut{1};
constexpr NodeNumber kFar{30};

template <class Counter>
void count(ApiFixture &node, bus::AgentId module, Counter counter, std::uint64_t value) {
    bus::CounterReport report{module, 1, std::vector<std::uint64_t>(200), false};
    report.values[static_cast<std::size_t>(counter)] = value;
    node.publish(report);
}

/// Bundles for a node that no route leads to.
bus::StorageReport backlog() {
    bus::StorageReport report;
    report.pending.push_back({kFar, 3, 3000});
    return report;
}

AlarmFacts facts_of(ApiFixture &node) {
    (void)node.view.document(node.moment);
    return node.view.alarm_inputs().facts(node.core, node.view.state(), false, node.moment.wall);
}

TEST(AlarmInputs, LinksAreThoseByWhichBundlesLeave) {
    ApiFixture node;
    node.publish(bus::ContactStart{{}, kOut, NodeNumber{20}, BitRate{1000}, seconds(2), kDtnNever});
    const AlarmFacts facts = facts_of(node);
    ASSERT_EQ(facts.links.size(), 1U);
    EXPECT_EQ(facts.links[0].link, kOut);
    EXPECT_EQ(facts.links[0].neighbour, NodeNumber{20});
    EXPECT_TRUE(facts.links[0].open);
    EXPECT_FALSE(facts.links[0].connected);
    EXPECT_EQ(facts.links[0].address, "10.0.0.2:4556");
    EXPECT_EQ(facts.node, NodeNumber{10});
}

TEST(AlarmInputs, ASessionOfANeighbourIsKnownByItsNumber) {
    ApiFixture node;
    const LinkId session{config::kFirstOpenedLink};
    node.publish(
        bus::LinkInfo{.kind = bus::LinkKind::kSession, .connected = true, .link = session});
    node.publish(
        bus::ContactStart{{}, session, NodeNumber{30}, BitRate{1000}, seconds(2), kDtnNever});
    const AlarmFacts facts = facts_of(node);
    ASSERT_EQ(facts.links.size(), 2U);
    for (const LinkFacts &link : facts.links)
        EXPECT_EQ(link.opened_by_neighbour, link.link == session) << link.link.value();
}

TEST(AlarmInputs, AnLtpLinkByThePortOfAnInductIsThisNodesOwn) {
    ApiFixture node;
    const LinkId by_port{config::kFirstOpenedLink};
    node.publish(
        bus::ContactStart{{}, by_port, NodeNumber{30}, BitRate{1000}, seconds(2), kDtnNever});
    bus::LinkInfo info;
    info.link = by_port;
    info.neighbour = NodeNumber{30};
    const std::string_view url = "ltp://192.0.2.7:1113";
    info.url.assign(url.begin(), url.end());
    node.publish(std::move(info));
    for (const LinkFacts &link : facts_of(node).links)
        EXPECT_FALSE(link.opened_by_neighbour) << link.link.value();
}

TEST(AlarmInputs, ThePlanComesWithTheStatus) {
    ApiFixture node;
    EXPECT_FALSE(facts_of(node).plan.in_force);
    node.view.handle_status(Json::parse(R"({"plan": {"version": 1, "configured": true},
        "remainingContacts": [
            {"neighbour": 20, "ends": "2026-01-01T00:00:00.000Z", "remainingBytes": 5},
            {"neighbour": 30, "ends": null}]})"),
                            node.moment);
    const AlarmFacts facts = facts_of(node);
    EXPECT_TRUE(facts.plan.in_force);
    ASSERT_EQ(facts.plan.neighbours.size(), 2U);
    EXPECT_EQ(facts.plan.neighbours[0].remaining_bytes, 5U);
    EXPECT_LT(facts.plan.neighbours[0].ends, kDtnNever);
    EXPECT_EQ(facts.plan.neighbours[1].remaining_bytes, kUnlimitedBytes);
    EXPECT_EQ(facts.plan.neighbours[1].ends, kDtnNever);
}

TEST(AlarmInputs, ReloadedRulesLeadTheBacklogSomewhere) {
    ApiFixture node;
    node.publish(backlog());
    bus::RouteUpdate routes;
    routes.neighbours = {{NodeNumber{20}, kOut, true}};
    node.publish(routes);
    EXPECT_EQ(facts_of(node).waiting[0].next_hop, NodeNumber{});
    config::RoutingConfig rules;
    rules.default_gateway = NodeNumber{20};
    node.view.alarm_inputs().set_routing(rules);
    EXPECT_EQ(facts_of(node).waiting[0].next_hop, NodeNumber{20});
}

TEST(AlarmInputs, RoutesSayWhatWaitsInVain) {
    ApiFixture node;
    node.publish(backlog());
    EXPECT_TRUE(facts_of(node).waiting.empty()) << "the routes are not known yet";
    node.publish(bus::RouteUpdate{});
    AlarmFacts facts = facts_of(node);
    ASSERT_EQ(facts.waiting.size(), 1U);
    EXPECT_EQ(facts.waiting[0].next_hop, NodeNumber{});
    EXPECT_EQ(facts.waiting[0].bytes, 3000U);
    bus::RouteUpdate routes;
    routes.routes.push_back({kFar, {{.next_hop = NodeNumber{20}, .link = kOut}}});
    routes.neighbours.push_back({NodeNumber{20}, kOut, true});
    node.publish(routes);
    EXPECT_EQ(facts_of(node).waiting[0].next_hop, NodeNumber{20});
    routes.held = {kFar};
    node.publish(routes);
    EXPECT_TRUE(facts_of(node).waiting.empty()) << "the operator holds them";
}

TEST(AlarmInputs, ModulesDisksAndCounters) {
    ApiFixture node;
    bus::StorageReport report;
    const ByteView path = as_bytes("/disk/a");
    report.disks.push_back({{path.begin(), path.end()}, bus::DiskState::kOk, 10, 100});
    node.publish(report);
    node.publish(bus::ModuleLost{bus::AgentId::kEgress});
    count(node, bus::AgentId::kStorage, StorageCounter::kExpirySuspended, 1);
    count(node, bus::AgentId::kIngress, IngressCounter::kExpirySuspended, 1);
    count(node, bus::AgentId::kEgress, EgressCounter::kExpirySuspended, 1);
    const AlarmFacts facts = facts_of(node);
    EXPECT_EQ(facts.modules_suspended, 3U);
    ASSERT_EQ(facts.disks.size(), 1U);
    EXPECT_EQ(facts.disks[0].path, "/disk/a");
    EXPECT_EQ(facts.disks[0].capacity_bytes, 100U);
    bool lost = false;
    for (const ModuleFacts &module : facts.modules)
        lost |= module.name == "egress" && module.state == "lost";
    EXPECT_TRUE(lost);
}

TEST(AlarmInputs, TheAgentAddsClockCertificatesAndHistory) {
    ApiFixture node;
    node.view.alarm_inputs().set_clock_synchronised(false);
    node.view.alarm_inputs().set_certificates({{"the API", "/cert", "CN=a", 1, kNoLink}});
    node.view.alarm_inputs().set_history_fault("disk full");
    const AlarmFacts facts = facts_of(node);
    EXPECT_FALSE(facts.clock_synchronised);
    EXPECT_EQ(facts.certificates.size(), 1U);
    EXPECT_EQ(facts.history_fault, "disk full");
}

}  // namespace
}  // namespace farlink::telemetry::alarm_inputs_test
