// SPDX-License-Identifier: Apache-2.0
// What commands of the operator have changed, as events of the node.
#include <gtest/gtest.h>

#include "tests/unit/module/telemetry/api_fixture.hpp"

namespace farlink::telemetry::node_view_orders_test {
namespace {

using bus::CommandKind;

constexpr LinkId kLink{1};

class NodeViewOrders : public testing::Test {
protected:
    void order(bool enabled) {
        node.publish(
            bus::CommandReport{enabled ? CommandKind::kLinkUp : CommandKind::kLinkDown, kLink, 20});
    }
    void publish_status(bool enabled) {
        const Json row{{"link", 1U}, {"neighbour", 20U}, {"enabled", enabled}};
        node.view.handle_status({{"ok", true}, {"links", {row}}}, node.moment);
    }
    [[nodiscard]] std::vector<std::string> texts() const {
        std::vector<std::string> all;
        for (const Json &event : node.view.events().after(0, 10)) all.push_back(event["text"]);
        return all;
    }

    ApiFixture node;
};

TEST_F(NodeViewOrders, ForALinkThatIsNotUpAreEvents) {
    publish_status(true);
    order(false);
    order(true);
    publish_status(true);
    EXPECT_EQ(texts(),
              (std::vector<std::string>{"link 1 to node 20 is down: taken down by the operator",
                                        "link 1 to node 20 is enabled again by the operator"}))
        << "no status was requested between them";
    EXPECT_EQ(node.view.events().after(0, 10)[1]["kind"], "link-enabled");
}

TEST_F(NodeViewOrders, ForALinkThatIsUpAreOneEvent) {
    node.publish(bus::LinkUp{{}, kLink, NodeNumber{20}, {}, {}});
    order(false);
    node.publish(bus::LinkDown{{}, kLink, NodeNumber{20}, bus::LinkDownReason::kAdministrative});
    for (const bool enabled : {true, false, false}) publish_status(enabled);
    node.publish(bus::LinkUp{{}, kLink, NodeNumber{20}, {}, {}});
    order(true);
    EXPECT_EQ(texts(),
              (std::vector<std::string>{"link 1 to node 20 is up",
                                        "link 1 to node 20 is down: taken down by the operator",
                                        "link 1 to node 20 is up"}));
}

TEST_F(NodeViewOrders, AShortDrainIsTwoEvents) {
    node.view.handle_status({{"drained", false}}, node.moment);
    node.publish(bus::CommandReport{.kind = CommandKind::kDrain});
    node.view.handle_status({{"drained", true}}, node.moment);
    node.publish(bus::CommandReport{.kind = CommandKind::kResume});
    node.view.handle_status({{"drained", false}}, node.moment);
    EXPECT_EQ(texts(), (std::vector<std::string>{"drain mode on: new bundles are rejected",
                                                 "drain mode off: new bundles are accepted"}));
}

TEST_F(NodeViewOrders, EachVersionOfThePlanIsAnEvent) {
    const auto status = [this](std::uint64_t version) {
        node.view.handle_status({{"plan", {{"version", version}}}}, node.moment);
    };
    status(1);
    for (const std::uint64_t version : {2U, 3U})
        node.publish(bus::CommandReport{.kind = CommandKind::kPlan, .number = version});
    status(3);
    status(4);
    EXPECT_EQ(texts(), (std::vector<std::string>{"version 2 of the contact plan is in force",
                                                 "version 3 of the contact plan is in force",
                                                 "version 4 of the contact plan is in force"}))
        << "the last one by a reload";
}

}  // namespace
}  // namespace farlink::telemetry::node_view_orders_test
