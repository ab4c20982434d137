// SPDX-License-Identifier: Apache-2.0
// Two nodes that are full of bundles for each other: disks, memory, and the windows of their
// sources. They must recover by themselves once their links are up.
#include <gtest/gtest.h>

#include "tests/sim/sim_world.hpp"

namespace farlink::sim {
namespace {

/// Node 1 has source 101 and sink 201, node 2 has source 102 and sink 202; the bundles of each
/// source go to the other node's sink.
struct Pair {
    Pair(std::uint64_t seed, const NodeOptions &base) : world(seed) {
        NodeOptions options = base;
        options.number = NodeNumber{1};
        one = &world.add_node(options);
        options.number = NodeNumber{2};
        other = &world.add_node(options);
        sink_of_one = &world.add_sink();
        sink_of_other = &world.add_sink();
        source_of_one = &world.add_source(*one, {.window_bytes = 256 * 1024});
        source_of_other = &world.add_source(*other, {.window_bytes = 256 * 1024});
        there = &world.connect(*one, *other);
        back = &world.connect(*other, *one);
        world.connect(*one, *sink_of_one, NodeNumber{201});
        world.connect(*other, *sink_of_other, NodeNumber{202});
    }

    SimWorld world;
    SimNode *one = nullptr;
    SimNode *other = nullptr;
    SimSink *sink_of_one = nullptr;
    SimSink *sink_of_other = nullptr;
    SimSource *source_of_one = nullptr;
    SimSource *source_of_other = nullptr;
    SimLink *there = nullptr;
    SimLink *back = nullptr;
};

std::vector<bus::Contact> plan() {
    std::vector<bus::Contact> contacts;
    const auto add = [&](std::uint64_t from, std::uint64_t to) {
        contacts.push_back(
            {contacts.size(), NodeNumber{from}, NodeNumber{to}, 0, kDtnNever, {}, {}});
    };
    add(1, 2);
    add(2, 1);
    add(1, 201);
    add(2, 202);
    return contacts;
}

class FullNeighbours : public ::testing::TestWithParam<std::uint64_t> {};

TEST_P(FullNeighbours, RecoverByThemselves) {
    SCOPED_TRACE("seed " + std::to_string(GetParam()));
    NodeOptions options;
    options.plan = plan();
    options.storage_bytes = 1024 * 1024;
    options.buffer_bytes = 1024 * 1024;
    Pair pair(GetParam(), options);
    pair.there->set_wire(false);
    pair.back->set_wire(false);
    pair.world.start();
    constexpr Flow kThere{101, 202};
    constexpr Flow kBack{102, 201};
    constexpr std::uint64_t kBundles = 10'000;
    pair.source_of_one->send(kThere, kBundles, 1000);
    pair.source_of_other->send(kBack, kBundles, 1000);
    pair.world.clock.run_for(seconds(60));
    // Both are full: they take nothing more.
    const std::size_t waiting = pair.source_of_one->waiting();
    EXPECT_GT(waiting, 0U);
    pair.world.clock.run_for(seconds(60));
    EXPECT_EQ(pair.source_of_one->waiting(), waiting);

    pair.there->set_wire(true);
    pair.back->set_wire(true);
    ASSERT_TRUE(pair.world.run_until_quiet(seconds(600)))
        << pair.one->ledger().to_table() << pair.other->ledger().to_table();
    EXPECT_EQ(pair.sink_of_other->record(kThere).arrived, kBundles);
    EXPECT_EQ(pair.sink_of_one->record(kBack).arrived, kBundles);
    EXPECT_EQ(pair.sink_of_one->out_of_order() + pair.sink_of_other->out_of_order(), 0U);
    EXPECT_TRUE(pair.one->ledger().balanced()) << pair.one->ledger().to_table();
    EXPECT_TRUE(pair.other->ledger().balanced()) << pair.other->ledger().to_table();
}

INSTANTIATE_TEST_SUITE_P(Seeds, FullNeighbours, ::testing::Range<std::uint64_t>(1, 6));

}  // namespace
}  // namespace farlink::sim
