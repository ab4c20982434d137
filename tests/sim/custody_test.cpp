// SPDX-License-Identifier: Apache-2.0
// Three custodians in a row, between a source and a sink that support custody, over links that lose
// and repeat bundles and signals alike, with power cuts.
#include <gtest/gtest.h>

#include "tests/sim/sim_custody.hpp"
#include "tests/sim/sim_world.hpp"

namespace farlink::sim::custody_test {
namespace {

using telemetry::StorageCounter;

constexpr std::uint64_t kSource = 100;
constexpr std::uint64_t kSink = 200;

struct Story {
    bool ids = true;        ///< aggregate signals; otherwise one for each bundle
    LinkOptions forward{};  ///< between custodians
    LinkOptions back{};     ///< for the signals
    std::uint64_t storage_bytes = 64 * 1024 * 1024;
    std::vector<bus::Contact> plan{};  ///< between nodes 1, 2 and 3; empty: always
    bool middle_declines = false;      ///< node 2 accepts no custody
};

bus::Contact contact(std::uint64_t from, std::uint64_t to, DtnTime start_s, DtnTime end_s) {
    static std::uint64_t id = 0;
    return {++id,
            NodeNumber{from},
            NodeNumber{to},
            SimClock::kStartDtn + start_s * 1000,
            SimClock::kStartDtn + end_s * 1000,
            BitRate{},
            milliseconds(10)};
}

struct Custodians {
    Custodians(std::uint64_t seed, const Story &story)
        : world(seed),
          source(world.clock, kSource, story.ids, seconds(15)),
          sink(world.clock, kSink, {.aggregate = story.ids}) {
        constexpr DtnTime kForEver = 1'000'000;
        NodeOptions options;
        options.custody.acs_aware = story.ids;
        options.custody.retransmit_after = seconds(8);
        options.custody.depleted_delay = seconds(20);
        options.storage_bytes = story.storage_bytes;
        options.plan = story.plan;
        if (story.plan.empty())
            options.plan = {{contact(1, 2, 0, kForEver), contact(2, 1, 0, kForEver),
                             contact(2, 3, 0, kForEver), contact(3, 2, 0, kForEver)}};
        options.plan->push_back(contact(1, kSource, 0, kForEver));
        options.plan->push_back(contact(3, kSink, 0, kForEver));
        for (const std::uint64_t number : {1, 2, 3}) {
            options.number = NodeNumber{number};
            options.takes_custody = number != 2 || !story.middle_declines;
            nodes.push_back(&world.add_node(options));
        }
        source.attach(world.attach(source, *nodes[0], story.forward));
        sink.attach(world.attach(sink, *nodes[2], story.back));
        world.connect(*nodes[0], *nodes[1], story.forward);
        world.connect(*nodes[1], *nodes[2], story.forward);
        world.connect(*nodes[2], sink, NodeNumber{kSink}, story.forward);
        world.connect(*nodes[0], source, NodeNumber{kSource}, story.back);
        world.connect(*nodes[1], *nodes[0], story.back);
        world.connect(*nodes[2], *nodes[1], story.back);
        world.start();
    }

    [[nodiscard]] bool done() const {
        return source.held() == 0 && std::ranges::all_of(nodes, [](const SimNode *node) {
                   return node->running() && node->held() == 0;
               });
    }
    /// Runs until no node has custody of a bundle.
    [[nodiscard]] bool run_to_the_end(Duration limit) {
        for (const TimePoint end = world.clock.now() + limit; world.clock.now() < end;) {
            world.clock.run_for(seconds(1));
            if (done()) return true;
        }
        return false;
    }
    void expect_all_delivered() {
        EXPECT_TRUE(world.run_until_quiet(seconds(60)));
        EXPECT_EQ(sink.arrived(), source.made());
        for (const SimNode *node : nodes) {
            EXPECT_TRUE(node->ledger().balanced()) << node->number().value() << "\n"
                                                   << node->ledger().to_table();
            EXPECT_EQ(node->value(StorageCounter::kCustodyHeld), 0U);
        }
    }

    SimWorld world;
    CustodySource source;
    CustodySink sink;
    std::vector<SimNode *> nodes;
};

LinkOptions lossy(std::uint32_t loss_ppm, std::uint32_t repeat_ppm, Duration delay) {
    LinkOptions options;
    options.loss_ppm = loss_ppm;
    options.repeat_ppm = repeat_ppm;
    options.delay = delay;
    return options;
}

class ThreeCustodians : public ::testing::TestWithParam<std::tuple<std::uint64_t, bool>> {
protected:
    [[nodiscard]] std::uint64_t seed() const { return std::get<0>(GetParam()); }
    [[nodiscard]] Story story() const { return {.ids = std::get<1>(GetParam())}; }
};

TEST_P(ThreeCustodians, WithoutLossesEachBundleIsSentOnce) {
    Custodians row(seed(), story());
    row.source.send_paced(kSink, 300, 1000, milliseconds(20));
    EXPECT_TRUE(row.run_to_the_end(seconds(60)));
    row.expect_all_delivered();
    EXPECT_EQ(row.sink.repeats(), 0U);
    for (const SimNode *node : row.nodes) {
        EXPECT_EQ(node->value(StorageCounter::kCustodyAccepted), 300U);
        EXPECT_EQ(node->value(StorageCounter::kCustodyReleased), 300U);
        EXPECT_EQ(node->value(StorageCounter::kCustodyRetransmissions), 0U);
        const std::uint64_t many = node->value(StorageCounter::kCustodyAggregatesSent);
        EXPECT_EQ(node->value(StorageCounter::kCustodySignalsSent), story().ids ? 0U : 300U);
        EXPECT_EQ(many > 0, story().ids);
        EXPECT_LE(many, 12U);
    }
}

TEST_P(ThreeCustodians, OverLinksThatLoseAndRepeatEveryBundleArrives) {
    Story troubled = story();
    troubled.forward = lossy(200'000, 50'000, milliseconds(30));
    troubled.back = lossy(300'000, 50'000, milliseconds(300));
    Custodians row(seed(), troubled);
    row.source.send_paced(kSink, 300, 1000, milliseconds(20));
    EXPECT_TRUE(row.run_to_the_end(seconds(4000)));
    row.expect_all_delivered();
    EXPECT_GT(row.nodes[0]->value(StorageCounter::kCustodyRetransmissions), 0U);
    EXPECT_GT(row.nodes[1]->value(StorageCounter::kCustodyRedundant), 0U);
}

TEST_P(ThreeCustodians, LateSignalsCauseNoLoss) {
    Story troubled = story();
    troubled.back = lossy(0, 0, seconds(20));
    Custodians row(seed(), troubled);
    row.source.send_paced(kSink, 100, 1000, milliseconds(50));
    EXPECT_TRUE(row.run_to_the_end(seconds(2000)));
    row.expect_all_delivered();
}

TEST_P(ThreeCustodians, PowerCutsLoseNoBundleInCustody) {
    Story troubled = story();
    troubled.forward = lossy(100'000, 20'000, milliseconds(30));
    troubled.back = lossy(100'000, 20'000, milliseconds(100));
    Custodians row(seed(), troubled);
    row.source.send_paced(kSink, 300, 1000, milliseconds(50));
    Random random(seed());
    for (int cut = 0; cut < 12; ++cut) {
        row.world.clock.run_for(milliseconds(random.below(3000)));
        SimNode &node = *row.nodes[random.below(3)];
        node.kill();
        row.world.clock.run_for(milliseconds(random.below(2000)));
        node.start();
    }
    EXPECT_TRUE(row.run_to_the_end(seconds(8000)));
    row.expect_all_delivered();
}

TEST_P(ThreeCustodians, BundlesArriveOverContactsThatNeverOverlap) {
    Story turns = story();
    for (DtnTime start = 0; start < 4000; start += 40) {
        turns.plan.push_back(contact(1, 2, start, start + 15));
        turns.plan.push_back(contact(2, 1, start, start + 15));
        turns.plan.push_back(contact(2, 3, start + 20, start + 35));
        turns.plan.push_back(contact(3, 2, start + 20, start + 35));
    }
    turns.forward = turns.back = lossy(50'000, 0, milliseconds(10));
    Custodians row(seed(), turns);
    row.source.send_paced(kSink, 300, 1000, milliseconds(100));
    EXPECT_TRUE(row.run_to_the_end(seconds(3900)));
    row.expect_all_delivered();
}

TEST_P(ThreeCustodians, ANodeWithoutSpaceRefusesCustodyAndAcceptsItLater) {
    Story narrow = story();
    narrow.storage_bytes = 64 * 1024;
    for (DtnTime start = 0; start < 1200; start += 100) {
        narrow.plan.push_back(contact(1, 2, start, start + 100));
        narrow.plan.push_back(contact(2, 1, start, start + 100));
        narrow.plan.push_back(contact(2, 3, start + 60, start + 90));
        narrow.plan.push_back(contact(3, 2, start + 60, start + 90));
    }
    Custodians row(seed(), narrow);
    row.source.send_paced(kSink, 200, 2000, milliseconds(50));
    EXPECT_TRUE(row.run_to_the_end(seconds(1000)));
    row.expect_all_delivered();
    EXPECT_GT(row.nodes[0]->value(StorageCounter::kCustodyRefused) +
                  row.nodes[1]->value(StorageCounter::kCustodyRefused),
              0U);
}

// Node 3 signals node 1 by way of node 2, which is neither custodian nor destination.
TEST_P(ThreeCustodians, ANodeBetweenThemMayDecline) {
    Story past = story();
    past.middle_declines = true;
    past.forward = past.back = lossy(50'000, 10'000, milliseconds(30));
    Custodians row(seed(), past);
    row.source.send_paced(kSink, 300, 1000, milliseconds(20));
    EXPECT_TRUE(row.run_to_the_end(seconds(4000)));
    row.expect_all_delivered();
    EXPECT_EQ(row.nodes[1]->value(StorageCounter::kCustodyAccepted), 0U);
    for (const std::size_t at : {0, 2}) {
        EXPECT_GE(row.nodes[at]->value(StorageCounter::kCustodyReleased), 300U);
        EXPECT_EQ(row.nodes[at]->value(StorageCounter::kCustodySignalsOfStrangers), 0U);
    }
}

TEST_P(ThreeCustodians, OverLayersThatAcknowledgeAsWell) {
    Story reliable = story();
    reliable.forward.max_transfers = 10;
    reliable.back.max_transfers = 10;
    Custodians row(seed(), reliable);
    row.source.send_paced(kSink, 300, 1000, milliseconds(20));
    EXPECT_TRUE(row.run_to_the_end(seconds(100)));
    row.expect_all_delivered();
    EXPECT_EQ(row.sink.repeats(), 0U);
}

// Some custodians give all signals of one second the same creation timestamp.
TEST_P(ThreeCustodians, SignalsThatShareAnIdentityAllCount) {
    Custodians row(seed(), story());
    row.sink.repeat_identities();
    row.source.send_paced(kSink, 300, 1000, milliseconds(1));
    EXPECT_TRUE(row.run_to_the_end(seconds(60)));
    row.expect_all_delivered();
    EXPECT_EQ(row.sink.repeats(), 0U);
    EXPECT_EQ(row.nodes[2]->value(StorageCounter::kCustodyRetransmissions), 0U);
}

INSTANTIATE_TEST_SUITE_P(Seeds, ThreeCustodians,
                         ::testing::Combine(::testing::Range<std::uint64_t>(1, 5),
                                            ::testing::Bool()));

}  // namespace
}  // namespace farlink::sim::custody_test
