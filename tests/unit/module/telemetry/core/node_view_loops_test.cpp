// SPDX-License-Identifier: Apache-2.0
// The events of routing loops.
#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <vector>

#include "common/telemetry/ingress_counters.hpp"
#include "module/telemetry/core/node_view.hpp"
#include "tests/unit/module/telemetry/api_fixture.hpp"

namespace farlink::telemetry::node_view_loops_test {
namespace {

TEST(NodeViewLoops, ARoutingLoopIsAnEventWhenItBeginsAndWhenItEnds) {
    ApiFixture node;
    std::uint64_t sequence = 0;
    const auto pass = [&](std::uint64_t returned, Duration time) {
        IngressCounters counters;
        counters.set(IngressCounter::kReturnedInLoop, returned);
        node.publish(bus::CounterReport{bus::AgentId::kIngress, ++sequence, counters.snapshot()});
        node.moment.now += time;
        node.view.handle_second(node.moment);
        std::vector<std::string> events;
        for (const Json &event : node.view.events().after(0, 100))
            if (event["kind"] == "routing-loop")
                events.push_back(event["level"].get<std::string>() + ": " +
                                 event["text"].get<std::string>());
        return events;
    };
    EXPECT_TRUE(pass(0, seconds(1)).empty());
    const auto begun = pass(1, seconds(1));
    ASSERT_EQ(begun.size(), 1U);
    EXPECT_TRUE(begun[0].starts_with("warning: bundles return to this node in a routing loop"));
    EXPECT_EQ(pass(1, seconds(1000)), begun) << "a bundle waits longer each time";
    EXPECT_EQ(pass(2, seconds(1)), begun);
    const auto over = pass(2, std::chrono::minutes(20));
    ASSERT_EQ(over.size(), 2U);
    EXPECT_EQ(over[1],
              "info: no bundle has returned in a routing loop for 20 minutes; returned before: 2");
}

}  // namespace
}  // namespace farlink::telemetry::node_view_loops_test
