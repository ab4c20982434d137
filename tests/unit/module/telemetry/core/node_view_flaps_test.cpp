// SPDX-License-Identifier: Apache-2.0
// A neighbour that closes each connection at once does not fill the events.
#include <gtest/gtest.h>

#include "tests/unit/module/telemetry/api_fixture.hpp"

namespace farlink::telemetry::node_view_flaps_test {
namespace {

constexpr LinkId kLink{1};

class NodeViewFlaps : public testing::Test {
protected:
    void publish_state(bool connected, std::string_view reason) {
        bus::LinkInfo info{bus::AgentId::kEgress, bus::LinkKind::kOutduct, connected, false, kLink};
        info.neighbour = NodeNumber{20};
        info.reason = {reason.begin(), reason.end()};
        node.publish(info);
    }
    void connect() {
        publish_state(true, "");
        node.publish(bus::LinkUp{{}, kLink, NodeNumber{20}, {}, {}});
    }
    void lose(std::string_view reason = "the neighbour closed the connection") {
        publish_state(false, reason);
        node.publish(
            bus::LinkDown{{}, kLink, NodeNumber{20}, bus::LinkDownReason::kConnectionLost});
    }
    void pass() {
        node.moment.now += seconds(1);
        node.view.handle_second(node.moment);
    }
    /// Of the events of the link; alarms are apart.
    [[nodiscard]] std::vector<std::string> texts() const {
        std::vector<std::string> all;
        for (const Json &event : node.view.events().after(0, 100))
            if (event["kind"] != "alarm") all.push_back(event["text"]);
        return all;
    }

    ApiFixture node;
};

TEST_F(NodeViewFlaps, AreCountedOnceInTenSeconds) {
    for (int turn = 0; turn < 20; ++turn) {
        connect();
        lose();
        pass();
    }
    EXPECT_EQ(texts(), (std::vector<std::string>{
                           "link 1 to node 20 is up", "link 1: node 20 closed the connection",
                           "link 1 to node 20 is down: connection lost",
                           "link 1 to node 20 was up 9 more times in ten seconds; it is down",
                           "link 1 to node 20 was up 10 more times in ten seconds; it is down"}));
    EXPECT_EQ(node.view.events().after(0, 100).back()["kind"], "link-down");
}

TEST_F(NodeViewFlaps, TheStateInWhichTheyEndIsAnEvent) {
    for (int turn = 0; turn < 3; ++turn) {
        connect();
        if (turn < 2) lose();
    }
    for (int i = 0; i < 10; ++i) pass();
    EXPECT_EQ(texts().back(), "link 1 to node 20 was up 2 more times in ten seconds; it is up");
    EXPECT_EQ(node.view.events().after(0, 100).back()["kind"], "link-up");
    lose();
    EXPECT_EQ(texts().back(), "link 1 to node 20 is down: connection lost") << "none is hidden";
}

TEST_F(NodeViewFlaps, ANewReasonIsAnEvent) {
    for (const char *reason : {"the neighbour closed the connection", "no answer"}) {
        connect();
        lose(reason);
    }
    EXPECT_EQ(texts().back(), "link 1 to node 20: no answer");
}

TEST_F(NodeViewFlaps, AnOrderOfTheOperatorIsNone) {
    connect();
    node.publish(bus::LinkDown{{}, kLink, NodeNumber{20}, bus::LinkDownReason::kAdministrative});
    connect();
    EXPECT_EQ(texts(),
              (std::vector<std::string>{"link 1 to node 20 is up", "link 1 to node 20 is up"}))
        << "the command is an event of its own";
}

TEST_F(NodeViewFlaps, ALinkThatIsLostSeldomHasAllItsEvents) {
    for (int turn = 0; turn < 3; ++turn) {
        connect();
        lose();
        for (int i = 0; i < 11; ++i) pass();
    }
    EXPECT_EQ(texts().size(), 9U);
}

}  // namespace
}  // namespace farlink::telemetry::node_view_flaps_test
