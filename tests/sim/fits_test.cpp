// SPDX-License-Identifier: Apache-2.0
// Bundles that exceed every contact on their routes are reported on arrival, and kept, since plans
// change.
#include <gtest/gtest.h>

#include "tests/sim/sim_world.hpp"

namespace farlink::sim::fits_test {
namespace {

constexpr NodeNumber kSinkNode{200};
constexpr NodeNumber kFarNode{201};

bus::Contact contact(std::uint64_t from, std::uint64_t to, DtnTime start_s, DtnTime end_s,
                     BitRate rate) {
    return {start_s,
            NodeNumber{from},
            NodeNumber{to},
            SimClock::kStartDtn + start_s * 1000,
            SimClock::kStartDtn + end_s * 1000,
            rate,
            {}};
}

TEST(Fits, BundlesThatExceedEveryContactAreCountedOnArrivalAndKept) {
    SimWorld world(1);
    NodeOptions options;
    options.number = NodeNumber{1};
    // 10 kB and 20 kB to the sink; behind it a node with contacts of 5 kB.
    options.plan = {{contact(1, 200, 100, 110, BitRate{8000}),
                     contact(1, 200, 200, 220, BitRate{8000}),
                     contact(200, 201, 300, 305, BitRate{8000})}};
    SimNode &node = world.add_node(options);
    SimSink &sink = world.add_sink();
    SimSource &source = world.add_source(node);
    world.connect(node, sink, kSinkNode, {.rate = BitRate{80'000}});
    world.start();
    world.clock.run_for(seconds(1));
    const auto published = [&node] {
        return node.value(telemetry::IngressCounter::kFitsNoContact);
    };
    source.send({100, kSinkNode.value(), 1}, 1, 19'000);
    world.clock.run_for(seconds(1));
    EXPECT_EQ(published(), 0U) << "it fits into the second contact";
    source.send({100, kSinkNode.value(), 2}, 1, 21'000);
    source.send({100, kFarNode.value(), 1}, 1, 6000);
    world.clock.run_for(seconds(1));
    EXPECT_EQ(published(), 2U);
    EXPECT_EQ(node.held(), 3U);
    // A node that is not in the plan is not reported: a later plan may contain it.
    source.send({100, 999, 1}, 1, 100'000);
    world.clock.run_for(seconds(1));
    EXPECT_EQ(published(), 2U);
    EXPECT_EQ(node.held(), 4U);
    EXPECT_TRUE(node.ledger().balanced()) << node.ledger().to_table();
}

}  // namespace
}  // namespace farlink::sim::fits_test
