// SPDX-License-Identifier: Apache-2.0
// The events of modules that are lost and of peers that an induct refuses.
#include <gtest/gtest.h>

#include "module/telemetry/core/node_view.hpp"
#include "tests/unit/module/telemetry/api_fixture.hpp"

namespace farlink::telemetry::node_view_faults_test {
namespace {

TEST(NodeViewFaults, AModuleThatAStopEndsIsNotMissed) {
    ApiFixture node;
    const auto second = [&node] {
        node.moment.now += seconds(1);
        node.view.handle_second(node.moment);
    };
    node.publish(bus::ModuleLost{bus::AgentId::kRouter});
    second();
    EXPECT_EQ(node.view.events().last(), 1U);
    node.view.handle_status({{"modules", {{"router", "ready"}}}}, node.moment);
    // The process that ends may be noticed before the stop is.
    node.publish(bus::ModuleLost{bus::AgentId::kIngress});
    node.publish(bus::Stop{.drain = true});
    node.publish(bus::ModuleLost{bus::AgentId::kStorage});
    node.publish(bus::ModuleBack{bus::AgentId::kIngress});
    second();
    EXPECT_EQ(node.view.events().last(), 1U) << node.view.events().after(0, 10);
    node.publish(bus::ModuleBack{bus::AgentId::kSupervisor});
    node.publish(bus::ModuleLost{bus::AgentId::kEgress});
    node.publish(bus::ModuleBack{bus::AgentId::kEgress});
    second();
    const Json events = node.view.events().after(0, 10);
    ASSERT_EQ(events.size(), 4U) << events;
    EXPECT_EQ(events[0]["text"], "module router: its process has ended or is not reachable");
    EXPECT_EQ(events[1]["kind"], "module-back");
    EXPECT_EQ(events[2]["text"], "module egress: its process has ended or is not reachable");
    EXPECT_EQ(events[3]["text"], "module egress: its process is reachable again");
}

TEST(NodeViewFaults, EachPeerThatAnInductRefusesHasOneEvent) {
    ApiFixture node;
    bus::LinkInfo info{.kind = bus::LinkKind::kInduct, .connected = true, .link = LinkId{0}};
    info.refused = {{{'x'}, {'1'}}};
    info.reason = {'1'};
    node.publish(info);
    info.refused.push_back({{'y'}, {'2'}});
    node.publish(info);
    info.reason = {'2'};
    node.publish(info);
    info.reason = {'3'};
    node.publish(info);
    const Json events = node.view.events().after(0, 10);
    ASSERT_EQ(events.size(), 3U) << events;
    EXPECT_EQ(events[0]["kind"], "link-fault");
    EXPECT_EQ(events[0]["text"], "link 0: 1");
    EXPECT_EQ(events[1]["text"], "link 0: 2");
    EXPECT_EQ(events[2]["text"], "link 0: 3") << "no refusal of a node id";
}

}  // namespace
}  // namespace farlink::telemetry::node_view_faults_test
