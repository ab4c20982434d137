// SPDX-License-Identifier: Apache-2.0
// Orders of the operator for links, as events of the node.
#include <gtest/gtest.h>

#include "tests/unit/module/telemetry/api_fixture.hpp"

namespace farlink::telemetry::node_view_orders_test {
namespace {

constexpr LinkId kLink{1};

class NodeViewOrders : public testing::Test {
protected:
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
    for (const bool enabled : {true, true, false, false, true, true}) publish_status(enabled);
    EXPECT_EQ(texts(),
              (std::vector<std::string>{"link 1 to node 20 is down: taken down by the operator",
                                        "link 1 to node 20 is enabled again by the operator"}));
    EXPECT_EQ(node.view.events().after(0, 10)[1]["kind"], "link-enabled");
}

TEST_F(NodeViewOrders, ForALinkThatIsUpAreOneEvent) {
    publish_status(true);
    node.publish(bus::LinkUp{{}, kLink, NodeNumber{20}, {}, {}});
    node.publish(bus::LinkDown{{}, kLink, NodeNumber{20}, bus::LinkDownReason::kAdministrative});
    for (const bool enabled : {true, false, false}) publish_status(enabled);
    node.publish(bus::LinkUp{{}, kLink, NodeNumber{20}, {}, {}});
    publish_status(true);
    EXPECT_EQ(texts(),
              (std::vector<std::string>{"link 1 to node 20 is up",
                                        "link 1 to node 20 is down: taken down by the operator",
                                        "link 1 to node 20 is up"}));
}

TEST_F(NodeViewOrders, BeforeTheFirstStatusAreNotKnown) {
    publish_status(false);
    EXPECT_EQ(texts(), std::vector<std::string>{});
}

}  // namespace
}  // namespace farlink::telemetry::node_view_orders_test
