// SPDX-License-Identifier: Apache-2.0
// A source, two nodes and a sink in a row.
// Owned by a test; one thread.
// A test derives its scenario from it: nodes with options of its own, then the links.
#pragma once

#include <gtest/gtest.h>

#include "tests/sim/sim_world.hpp"

namespace farlink::sim {

inline constexpr NodeNumber kSinkNode{200};

struct TwoNodes {
    /// The sink is behind the second node.
    TwoNodes(std::uint64_t seed, NodeOptions one, NodeOptions two) : world(seed) {
        one.number = NodeNumber{1};
        one.routing.default_gateway = NodeNumber{2};
        first = &world.add_node(one);
        two.number = NodeNumber{2};
        second = &world.add_node(two);
        sink = &world.add_sink();
        source = &world.add_source(*first);
    }
    void start(const LinkOptions &to_second, const LinkOptions &to_sink) {
        middle = &world.connect(*first, *second, to_second);
        last = &world.connect(*second, *sink, kSinkNode, to_sink);
        world.start();
    }
    void expect_all(std::uint64_t bundles) {
        EXPECT_TRUE(world.run_until_quiet(seconds(600)));
        EXPECT_EQ(sink->arrived(), bundles);
        EXPECT_EQ(sink->malformed(), 0U);
        for (SimNode *node : {first, second})
            EXPECT_TRUE(node->ledger().balanced()) << node->ledger().to_table();
    }

    SimWorld world;
    SimNode *first = nullptr;
    SimNode *second = nullptr;
    SimSink *sink = nullptr;
    SimSource *source = nullptr;
    SimLink *middle = nullptr;
    SimLink *last = nullptr;
};

}  // namespace farlink::sim
