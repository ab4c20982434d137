// SPDX-License-Identifier: Apache-2.0
// Scenarios on a row of nodes: source, nodes 1, 2 and 3, sink.
#include <gtest/gtest.h>

#include "tests/sim/sim_world.hpp"

namespace farlink::sim::row_test {
namespace {

constexpr std::uint64_t kSource = 100;
constexpr std::uint64_t kSink = 200;
constexpr NodeNumber kSinkNode{kSink};

using Plan = std::vector<bus::Contact>;

bus::Contact contact(std::uint64_t id, std::uint64_t from, std::uint64_t to, DtnTime start_s,
                     DtnTime end_s) {
    return {id,
            NodeNumber{from},
            NodeNumber{to},
            SimClock::kStartDtn + start_s * 1000,
            SimClock::kStartDtn + end_s * 1000,
            BitRate{},
            milliseconds(10)};
}

/// Links 1-2 and 2-3 are up in turn, `period` seconds each; link 3-sink is always up.
Plan taking_turns(std::uint64_t periods, std::uint64_t period_s) {
    Plan plan;
    for (std::uint64_t index = 0; index < periods; ++index) {
        const std::uint64_t from = 1 + index % 2;
        plan.push_back(
            contact(index, from, from + 1, index * period_s + 1, (index + 1) * period_s));
    }
    plan.push_back(contact(periods, 3, kSink, 0, 1'000'000));
    return plan;
}

struct Row {
    Row(std::uint64_t seed, const Plan &plan, NodeOptions options = {},
        const LinkOptions &between = {})
        : world(seed) {
        options.plan = plan;
        for (const std::uint64_t number : {1, 2, 3}) {
            options.number = NodeNumber{number};
            nodes.push_back(&world.add_node(options));
        }
        sink = &world.add_sink();
        source = &world.add_source(*nodes[0]);
        first = &world.connect(*nodes[0], *nodes[1], between);
        second = &world.connect(*nodes[1], *nodes[2], between);
        last = &world.connect(*nodes[2], *sink, kSinkNode);
        world.start();
    }

    void expect_balanced() const {
        for (const SimNode *node : nodes) {
            const telemetry::Ledger ledger = node->ledger();
            EXPECT_TRUE(ledger.balanced()) << node->number().value() << "\n" << ledger.to_table();
        }
    }

    SimWorld world;
    std::vector<SimNode *> nodes;
    SimSink *sink = nullptr;
    SimSource *source = nullptr;
    SimLink *first = nullptr;
    SimLink *second = nullptr;
    SimLink *last = nullptr;
};

constexpr Flow kFlow{kSource, kSink};

class RowOfNodes : public ::testing::TestWithParam<std::uint64_t> {};

TEST_P(RowOfNodes, BundlesCrossContactsThatTakeTurnsExactlyOnceAndInOrder) {
    SCOPED_TRACE("seed " + std::to_string(GetParam()));
    Row row(GetParam(), taking_turns(20, 10));
    row.source->send_paced(kFlow, 1000, 500, milliseconds(100));
    row.world.clock.run_for(seconds(210));
    ASSERT_TRUE(row.world.run_until_quiet(seconds(10)));
    EXPECT_EQ(row.sink->arrived(), 1000U);
    EXPECT_EQ(row.sink->duplicates(), 0U);
    EXPECT_EQ(row.sink->out_of_order(), 0U);
    row.expect_balanced();
    for (const SimNode *node : row.nodes) EXPECT_EQ(node->held(), 0U);
}

TEST_P(RowOfNodes, AllWaitingBundlesLeaveWhenTheLinkComesUp) {
    SCOPED_TRACE("seed " + std::to_string(GetParam()));
    Row row(GetParam(), {contact(0, 1, 2, 0, 1000), contact(1, 2, 3, 100, 1000),
                         contact(2, 3, kSink, 0, 1000)});
    row.source->send(kFlow, 3000, 2000);
    row.world.clock.run_for(seconds(90));
    EXPECT_EQ(row.sink->arrived(), 0U);
    EXPECT_EQ(row.nodes[1]->held(), 3000U);
    row.expect_balanced();
    row.world.clock.run_for(seconds(20));
    ASSERT_TRUE(row.world.run_until_quiet(seconds(10)));
    EXPECT_EQ(row.sink->arrived(), 3000U);
    EXPECT_EQ(row.sink->duplicates(), 0U);
    EXPECT_EQ(row.sink->out_of_order(), 0U);
    row.expect_balanced();
}

TEST_P(RowOfNodes, OrderIsKeptWithinEveryFlowWhileConnectionsBreak) {
    SCOPED_TRACE("seed " + std::to_string(GetParam()));
    Row row(GetParam(), taking_turns(40, 5));
    const std::vector<Flow> flows{{kSource, kSink, 1, Priority::kNormal},
                                  {kSource, kSink, 1, Priority::kBulk},
                                  {kSource, kSink, 1, Priority::kExpedited},
                                  {kSource, kSink, 2, Priority::kNormal},
                                  {kSource + 1, kSink, 1, Priority::kNormal}};
    for (const Flow &flow : flows) row.source->send_paced(flow, 400, 300, milliseconds(150));
    Random random(GetParam());
    for (int cut = 0; cut < 20; ++cut) {
        SimLink *link = random.chance(1, 2) ? row.first : row.second;
        row.world.clock.run_for(milliseconds(random.below(8000)));
        link->set_wire(false);
        row.world.clock.run_for(milliseconds(random.below(2000)));
        link->set_wire(true);
    }
    row.world.clock.run_until(TimePoint{} + seconds(210));
    ASSERT_TRUE(row.world.run_until_quiet(seconds(10)));
    for (const Flow &flow : flows) {
        EXPECT_EQ(row.sink->record(flow).arrived, 400U);
        EXPECT_EQ(row.sink->record(flow).out_of_order, 0U);
    }
    row.expect_balanced();
}

TEST_P(RowOfNodes, SnapshotsReplaceLostEvents) {
    SCOPED_TRACE("seed " + std::to_string(GetParam()));
    NodeOptions options;
    options.event_loss_ppm = 200'000;
    Row row(GetParam(), taking_turns(40, 5), options);
    row.source->send_paced(kFlow, 1000, 300, milliseconds(150));
    row.world.clock.run_for(seconds(210));
    EXPECT_EQ(row.sink->arrived(), 1000U);
    row.expect_balanced();
    EXPECT_GT(row.nodes[0]->events_lost() + row.nodes[1]->events_lost(), 0U);
}

TEST_P(RowOfNodes, StoredBundlesSurviveAPowerCut) {
    SCOPED_TRACE("seed " + std::to_string(GetParam()));
    Row row(GetParam(), {contact(0, 1, 2, 0, 1000), contact(1, 2, 3, 100, 1000),
                         contact(2, 3, kSink, 0, 1000)});
    row.source->send(kFlow, 500, 1000);
    row.world.clock.run_for(seconds(50));
    ASSERT_EQ(row.nodes[1]->held(), 500U);
    row.nodes[1]->kill();
    row.world.clock.run_for(seconds(5));
    row.nodes[1]->start();
    row.world.clock.run_for(seconds(60));
    ASSERT_TRUE(row.world.run_until_quiet(seconds(10)));
    EXPECT_EQ(row.sink->arrived(), 500U);
    EXPECT_EQ(row.sink->out_of_order(), 0U);
    row.expect_balanced();
}

INSTANTIATE_TEST_SUITE_P(Seeds, RowOfNodes, ::testing::Range<std::uint64_t>(1, 11));

TEST(SlowLink, AFasterSenderIsPausedAndNothingIsStored) {
    SimWorld world(1);
    NodeOptions options;
    options.number = NodeNumber{1};
    SimNode &node = world.add_node(options);
    SimSink &sink = world.add_sink();
    SimSource &source = world.add_source(node);
    world.connect(node, sink, kSinkNode, {.rate = BitRate{10'000'000}});
    world.start();
    world.clock.run_for(seconds(1));  // the link is up
    source.send(kFlow, 20'000, 1000);
    // 20,000 bundles of about 1,050 octets at 10 Mbit/s.
    world.clock.run_for(seconds(14));
    EXPECT_GT(source.waiting(), 1000U);
    ASSERT_TRUE(world.run_until_quiet(seconds(10)));
    EXPECT_EQ(sink.arrived(), 20'000U);
    EXPECT_EQ(sink.out_of_order(), 0U);
    EXPECT_EQ(node.stored_total(), 0U);
    EXPECT_TRUE(node.ledger().balanced()) << node.ledger().to_table();
}

}  // namespace
}  // namespace farlink::sim::row_test
