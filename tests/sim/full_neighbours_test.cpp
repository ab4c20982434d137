// SPDX-License-Identifier: Apache-2.0
// Two nodes are full of bundles for each other: disks, memory, and the windows of their sources.
// They must recover by themselves once their links or their sinks are up.
#include <gtest/gtest.h>

#include <tuple>

#include "tests/sim/sim_world.hpp"

namespace farlink::sim::full_neighbours_test {
namespace {

constexpr Flow kThere{101, 202};
constexpr Flow kBack{102, 201};
constexpr std::uint64_t kBundles = 4000;

/// Node 1 has source 101 and sink 201, node 2 has source 102 and sink 202; the bundles of each
/// source go to the other node's sink.
struct Pair {
    /// `between`: the links of the two nodes; `near`: those of the sources.
    Pair(std::uint64_t seed, const NodeOptions &base, const LinkOptions &between,
         const LinkOptions &near)
        : world(seed) {
        NodeOptions options = base;
        options.number = NodeNumber{1};
        one = &world.add_node(options);
        options.number = NodeNumber{2};
        other = &world.add_node(options);
        sink_of_one = &world.add_sink();
        sink_of_other = &world.add_sink();
        source_of_one = &world.add_source(*one, near);
        source_of_other = &world.add_source(*other, near);
        there = &world.connect(*one, *other, between);
        back = &world.connect(*other, *one, between);
        out_of_one = &world.connect(*one, *sink_of_one, NodeNumber{201});
        out_of_other = &world.connect(*other, *sink_of_other, NodeNumber{202});
    }

    void fill() {
        source_of_one->send(kThere, kBundles, 1000);
        source_of_other->send(kBack, kBundles, 1000);
        world.clock.run_for(seconds(60));
    }
    /// Both are full: they accept no more bundles.
    void expect_full() {
        const std::size_t one_waits = source_of_one->waiting();
        const std::size_t other_waits = source_of_other->waiting();
        EXPECT_GT(one_waits, 0U);
        EXPECT_GT(other_waits, 0U);
        world.clock.run_for(seconds(60));
        EXPECT_EQ(source_of_one->waiting(), one_waits);
        EXPECT_EQ(source_of_other->waiting(), other_waits);
    }
    void expect_all() {
        ASSERT_TRUE(world.run_until_quiet(seconds(600)))
            << one->ledger().to_table() << other->ledger().to_table();
        EXPECT_EQ(sink_of_other->record(kThere).arrived, kBundles);
        EXPECT_EQ(sink_of_one->record(kBack).arrived, kBundles);
        EXPECT_TRUE(one->ledger().balanced()) << one->ledger().to_table();
        EXPECT_TRUE(other->ledger().balanced()) << other->ledger().to_table();
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
    SimLink *out_of_one = nullptr;
    SimLink *out_of_other = nullptr;
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

NodeOptions small_node() {
    NodeOptions options;
    options.plan = plan();
    options.storage_bytes = 1024 * 1024;
    options.buffer_bytes = 1024 * 1024;
    return options;
}

class FullNeighbours : public ::testing::TestWithParam<std::uint64_t> {};
INSTANTIATE_TEST_SUITE_P(Seeds, FullNeighbours, ::testing::Range<std::uint64_t>(1, 6));

// Without acknowledgements, a full node stops reading.
TEST_P(FullNeighbours, RecoverByThemselves) {
    SCOPED_TRACE("seed " + std::to_string(GetParam()));
    Pair pair(GetParam(), small_node(), {}, {.window_bytes = 256 * 1024});
    pair.there->set_wire(false);
    pair.back->set_wire(false);
    pair.world.start();
    pair.fill();
    pair.expect_full();
    pair.there->set_wire(true);
    pair.back->set_wire(true);
    pair.expect_all();
    EXPECT_EQ(pair.sink_of_one->out_of_order() + pair.sink_of_other->out_of_order(), 0U);
}

NodeOptions small_node(config::NoResources on_no_resources) {
    NodeOptions options = small_node();
    options.on_no_resources = on_no_resources;
    return options;
}

/// With acknowledgements, a full node still reads; it refuses bundles without room, or does not
/// acknowledge them, or ends the session.
struct Acknowledging : Pair {
    explicit Acknowledging(const std::tuple<std::uint64_t, config::NoResources> &of)
        : Pair(std::get<0>(of), small_node(std::get<1>(of)), {.max_transfers = 200},
               {.max_transfers = 50}) {}
};

class FullAcknowledging
    : public ::testing::TestWithParam<std::tuple<std::uint64_t, config::NoResources>> {};
INSTANTIATE_TEST_SUITE_P(Seeds, FullAcknowledging,
                         ::testing::Combine(::testing::Range<std::uint64_t>(1, 6),
                                            ::testing::Values(config::NoResources::kRefuse,
                                                              config::NoResources::kPause,
                                                              config::NoResources::kDisconnect)));

TEST_P(FullAcknowledging, RecoverWhenTheyConnect) {
    SCOPED_TRACE("seed " + std::to_string(std::get<0>(GetParam())));
    Acknowledging pair(GetParam());
    pair.there->set_wire(false);
    pair.back->set_wire(false);
    pair.world.start();
    pair.fill();
    pair.expect_full();
    if (std::get<1>(GetParam()) == config::NoResources::kRefuse)
        EXPECT_GT(pair.source_of_one->refused(), 0U);
    else
        EXPECT_EQ(pair.source_of_one->refused(), 0U);
    pair.there->set_wire(true);
    pair.back->set_wire(true);
    pair.expect_all();
}

// Each has bundles for the other, and bundles of the other that it cannot deliver.
TEST_P(FullAcknowledging, RecoverWhenTheirSinksOpen) {
    SCOPED_TRACE("seed " + std::to_string(std::get<0>(GetParam())));
    Acknowledging pair(GetParam());
    pair.out_of_one->set_wire(false);
    pair.out_of_other->set_wire(false);
    pair.world.start();
    pair.fill();
    pair.expect_full();
    EXPECT_GT(pair.there->carried_bundles(), 0U);
    EXPECT_GT(pair.back->carried_bundles(), 0U);
    pair.out_of_one->set_wire(true);
    pair.out_of_other->set_wire(true);
    pair.expect_all();
}

// One sink alone gets its bundles from both nodes, although both are full of the other's bundles.
TEST_P(FullAcknowledging, RecoverOneSinkAfterTheOther) {
    SCOPED_TRACE("seed " + std::to_string(std::get<0>(GetParam())));
    Acknowledging pair(GetParam());
    pair.out_of_one->set_wire(false);
    pair.out_of_other->set_wire(false);
    pair.world.start();
    pair.fill();
    pair.out_of_one->set_wire(true);
    pair.world.clock.run_for(seconds(300));
    EXPECT_EQ(pair.sink_of_one->record(kBack).arrived, kBundles);
    EXPECT_GT(pair.source_of_one->waiting(), 0U) << "the other sink is still closed";
    pair.out_of_other->set_wire(true);
    pair.expect_all();
}

}  // namespace
}  // namespace farlink::sim::full_neighbours_test
