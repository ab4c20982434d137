// SPDX-License-Identifier: Apache-2.0
// A diamond of four nodes, with links both ways: critical bundles take both paths, arrive by the
// second when the first breaks, and do not loop endlessly.
#include <gtest/gtest.h>

#include "tests/sim/sim_custody.hpp"
#include "tests/sim/sim_world.hpp"

namespace farlink::sim::critical_test {
namespace {

using telemetry::StorageCounter;

constexpr std::uint64_t kSink = 200;
constexpr Flow kOrdinary{100, kSink, 1, Priority::kExpedited};
constexpr Flow kCritical{100, kSink, 2, Priority::kExpedited, true};
constexpr Flow kBpv7{100, kSink, 3};
constexpr DtnTime kForEver = 1'000'000;
constexpr std::uint64_t kBundleBytes = 1000;

bus::Contact contact(std::uint64_t from, std::uint64_t to, int light_ms = 10, DtnTime start_s = 0) {
    static std::uint64_t id = 0;
    return {++id,
            NodeNumber{from},
            NodeNumber{to},
            SimClock::kStartDtn + start_s * 1000,
            SimClock::kStartDtn + kForEver * 1000,
            BitRate{},
            milliseconds(light_ms)};
}

/// Node 1 after the source, 2 (near) and 3 (far) side by side, 4 before the sink.
struct Diamond {
    explicit Diamond(NodeOptions options = {}, DtnTime far_from_s = 0, std::uint64_t seed = 1)
        : world(seed) {
        options.plan = {contact(1, 2), contact(1, 3, 500, far_from_s), contact(4, kSink)};
        for (const auto &[from, to] : {std::pair{2, 1}, {3, 1}, {2, 4}, {3, 4}, {4, 2}, {4, 3}})
            options.plan->push_back(
                contact(static_cast<std::uint64_t>(from), static_cast<std::uint64_t>(to)));
        for (const std::uint64_t number : {1, 2, 3, 4}) {
            options.number = NodeNumber{number};
            nodes.push_back(&world.add_node(options));
        }
        sink = &world.add_sink();
        LinkOptions upstream;
        upstream.max_transfers = 16;
        source = &world.add_source(*nodes[0], upstream);
        const auto connect = [this](std::size_t from, std::size_t to) -> SimLink & {
            LinkOptions link;
            link.max_transfers = 16;
            return *wires.emplace_back(&world.connect(*nodes[from - 1], *nodes[to - 1], link));
        };
        for (const auto &[from, to] :
             {std::pair{1, 2}, {1, 3}, {2, 4}, {3, 4}, {2, 1}, {3, 1}, {4, 2}, {4, 3}})
            connect(static_cast<std::size_t>(from), static_cast<std::size_t>(to));
        world.connect(*nodes[3], *sink, NodeNumber{kSink});
        world.start();
        world.clock.run_for(seconds(1));
    }
    [[nodiscard]] SimLink &near_end() { return *wires[2]; }  ///< from 2 to 4

    /// Copies by routes of the plan do not wait.
    void expect_no_loops() const {
        for (const SimNode *node : nodes)
            EXPECT_EQ(node->value(telemetry::IngressCounter::kReturnedInLoop), 0U)
                << "node " << node->number().value();
    }
    void expect_all_let_go() {
        ASSERT_TRUE(world.run_until_quiet(seconds(60)));
        for (const SimNode *node : nodes) {
            EXPECT_EQ(node->held(), 0U) << "node " << node->number().value();
            EXPECT_TRUE(node->ledger().balanced()) << node->ledger().to_table();
        }
        EXPECT_EQ(sink->malformed(), 0U);
    }

    SimWorld world;
    std::vector<SimNode *> nodes;
    std::vector<SimLink *> wires;
    SimSink *sink = nullptr;
    SimSource *source = nullptr;
};

TEST(CriticalBundles, TakeBothSidesOfADiamondAndArriveOnce) {
    Diamond story;
    story.source->send(kCritical, 100, kBundleBytes);
    story.world.clock.run_for(seconds(5));
    EXPECT_EQ(story.sink->record(kCritical).arrived, 100U);
    EXPECT_EQ(story.sink->duplicates(), 0U) << "node 4 recognises the second copies";
    story.expect_no_loops();
    EXPECT_EQ(story.wires[0]->carried_bundles(), 100U);
    EXPECT_EQ(story.wires[1]->carried_bundles(), 100U);
    story.expect_all_let_go();
}

TEST(CriticalBundles, ArriveByTheSecondPathThoughTheFirstBreaks) {
    Diamond story;
    story.near_end().set_wire(false);
    story.world.clock.run_for(milliseconds(1));
    // Node 1 has no information about the break, and sends other bundles by node 2.
    story.source->send(kCritical, 10, kBundleBytes);
    story.source->send(kOrdinary, 10, kBundleBytes);
    story.nodes[1]->kill();
    story.world.clock.run_for(seconds(5));
    EXPECT_EQ(story.sink->record(kCritical).arrived, 10U);
    story.nodes[1]->start();
    story.near_end().set_wire(true);
    story.world.clock.run_for(seconds(20));
    EXPECT_EQ(story.sink->record(kCritical).arrived, 10U);
    EXPECT_EQ(story.sink->record(kOrdinary).arrived, 10U);
    EXPECT_EQ(story.sink->record(kCritical).duplicates, 0U);
    story.expect_all_let_go();
}

TEST(CriticalBundles, ArriveAlthoughANodeFailsAfterItsAcknowledgement) {
    Diamond story;
    story.near_end().set_wire(false);
    story.source->send(kCritical, 10, kBundleBytes);
    story.world.clock.run_for(milliseconds(400));
    story.nodes[1]->kill();  // with all its bundles
    story.world.clock.run_for(seconds(5));
    EXPECT_EQ(story.sink->record(kCritical).arrived, 10U);
}

TEST(CriticalBundles, OneRecordWaitsForTheContactOfTheSecondPath) {
    constexpr DtnTime kLater = 100;
    Diamond story({}, kLater);
    story.near_end().set_wire(false);
    story.source->send(kCritical, 10, kBundleBytes);
    story.world.clock.run_for(seconds(50));
    EXPECT_EQ(story.sink->arrived(), 0U);
    EXPECT_EQ(story.nodes[0]->held(), 10U);
    EXPECT_EQ(story.nodes[0]->stored_total(), 10U) << "one record each";
    story.world.clock.run_for(seconds(55));
    EXPECT_EQ(story.sink->record(kCritical).arrived, 10U);
    EXPECT_EQ(story.nodes[0]->held(), 0U);
    story.near_end().set_wire(true);
    story.world.clock.run_for(seconds(30));
    EXPECT_EQ(story.sink->record(kCritical).duplicates, 0U);
    story.expect_all_let_go();
}

TEST(CriticalBundles, APolicyMakesBpv7BundlesCritical) {
    NodeOptions options;
    config::RoutingPolicy policy;
    policy.destination = "ipn:200.3";
    policy.critical = true;
    options.routing.policies = {policy};
    Diamond story(options);
    story.near_end().set_wire(false);
    story.source->send(kBpv7, 10, kBundleBytes);
    story.world.clock.run_for(seconds(5));
    EXPECT_EQ(story.sink->record(kBpv7).arrived, 10U);
    EXPECT_EQ(story.nodes[0]->value(StorageCounter::kCriticalSent), 20U);
    story.near_end().set_wire(true);
    story.world.clock.run_for(seconds(30));
    EXPECT_EQ(story.sink->duplicates(), 0U);
    story.expect_all_let_go();
}

/// The nodes do not identify their senders, so each node returns bundles to their sender.
TEST(CriticalBundles, ALoopEnds) {
    NodeOptions options;
    options.anonymous = true;
    Diamond story(options);
    story.source->send(kCritical, 50, kBundleBytes);
    story.world.clock.run_for(seconds(5));
    EXPECT_EQ(story.sink->record(kCritical).arrived, 50U);
    EXPECT_EQ(story.sink->duplicates(), 0U);
    for (const SimLink *wire : story.wires) EXPECT_LE(wire->carried_bundles(), 4 * 50U);
    EXPECT_GE(story.nodes[0]->value(telemetry::IngressCounter::kReceived), 100U)
        << "the bundles returned";
    story.expect_no_loops();
    story.expect_all_let_go();
}

class CriticalInAStorm : public ::testing::TestWithParam<std::uint64_t> {};

TEST_P(CriticalInAStorm, EveryBundleArrivesInSpiteOfCutsAndRestarts) {
    SCOPED_TRACE("seed " + std::to_string(GetParam()));
    Random random(GetParam());
    NodeOptions options;
    options.event_loss_ppm = 50'000;
    options.anonymous = random.chance(1, 2);
    Diamond story(options, 0, GetParam());
    story.source->send_paced(kCritical, 100, kBundleBytes, milliseconds(200));
    story.source->send_paced(kOrdinary, 100, kBundleBytes, milliseconds(200));
    for (int turn = 0; turn < 20; ++turn) {
        SimLink &wire = *story.wires[random.below(story.wires.size())];
        SimNode &node = *story.nodes[random.below(story.nodes.size())];
        wire.set_wire(false);
        story.world.clock.run_for(milliseconds(random.below(1000)));
        node.kill();
        story.world.clock.run_for(milliseconds(random.below(300)));
        node.start();
        wire.set_wire(true);
        story.world.clock.run_for(milliseconds(random.below(1000)));
    }
    story.world.clock.run_for(seconds(60));
    EXPECT_EQ(story.sink->record(kCritical).arrived, 100U);
    EXPECT_EQ(story.sink->record(kOrdinary).arrived, 100U);
    story.expect_all_let_go();
}

INSTANTIATE_TEST_SUITE_P(Seeds, CriticalInAStorm, ::testing::Range<std::uint64_t>(1, 31));

/// The same diamond with a custodian at either end, over links that lose a fifth of all bundles.
class CriticalInCustody : public ::testing::TestWithParam<std::uint64_t> {};

TEST_P(CriticalInCustody, EveryBundleArrivesAndAllCustodyIsReleased) {
    SCOPED_TRACE("seed " + std::to_string(GetParam()));
    constexpr std::uint64_t kSource = 100;
    constexpr std::uint64_t kBundles = 50;
    SimWorld world(GetParam());
    CustodySource source(world.clock, kSource, true, seconds(15));
    CustodySink sink(world.clock, kSink, {});
    source.make_critical();
    NodeOptions options;
    options.custody.retransmit_after = seconds(5);
    options.plan = {contact(1, kSource), contact(4, kSink)};
    constexpr std::pair<std::uint64_t, std::uint64_t> kSides[] = {{1, 2}, {1, 3}, {2, 4}, {3, 4}};
    for (const auto &[from, to] : kSides) {
        options.plan->push_back(contact(from, to));
        options.plan->push_back(contact(to, from));
    }
    std::vector<SimNode *> nodes;
    for (const std::uint64_t number : {1, 2, 3, 4}) {
        options.number = NodeNumber{number};
        nodes.push_back(&world.add_node(options));
    }
    LinkOptions lossy;
    lossy.loss_ppm = 200'000;
    source.attach(world.attach(source, *nodes[0], lossy));
    sink.attach(world.attach(sink, *nodes[3], lossy));
    world.connect(*nodes[0], source, NodeNumber{kSource}, lossy);
    world.connect(*nodes[3], sink, NodeNumber{kSink}, lossy);
    for (const auto &[from, to] : kSides) {
        world.connect(*nodes[from - 1], *nodes[to - 1], lossy);
        world.connect(*nodes[to - 1], *nodes[from - 1], lossy);
    }
    world.start();
    source.send_paced(kSink, kBundles, 1000, milliseconds(50));
    const auto all_over = [&] {
        return source.held() == 0 &&
               std::ranges::all_of(nodes, [](const SimNode *node) { return node->held() == 0; });
    };
    for (int second = 0; second < 1000 && !all_over(); ++second) world.clock.run_for(seconds(1));
    EXPECT_TRUE(all_over());
    EXPECT_EQ(sink.arrived(), kBundles);
    ASSERT_TRUE(world.run_until_quiet(seconds(60)));
    for (const SimNode *node : nodes)
        EXPECT_TRUE(node->ledger().balanced()) << node->ledger().to_table();
}

INSTANTIATE_TEST_SUITE_P(Seeds, CriticalInCustody, ::testing::Range<std::uint64_t>(1, 11));

/// Four nodes, each linked with each other, and the sink at the last one or at all of them.
struct MeshCase {
    bool ids = true;
    bool sink_at_all = false;
    int light_ms = 10;
    Duration pause{};
};

struct Mesh {
    Mesh(std::uint64_t seed, const MeshCase &story, Duration retransmit_after, LinkOptions link)
        : world(seed),
          source(world.clock, kSource, story.ids, seconds(60)),
          end(world.clock, kSink, {.aggregate = story.ids}) {
        source.make_critical();
        NodeOptions options;
        options.custody.acs_aware = story.ids;
        options.custody.retransmit_after = retransmit_after;
        options.plan = {contact(1, kSource), contact(4, kSink)};
        for (const std::uint64_t from : {1, 2, 3, 4}) {
            if (story.sink_at_all && from != 4) options.plan->push_back(contact(from, kSink));
            for (const std::uint64_t to : {1, 2, 3, 4})
                if (from != to) options.plan->push_back(contact(from, to, story.light_ms));
        }
        for (const std::uint64_t number : {1, 2, 3, 4}) {
            options.number = NodeNumber{number};
            nodes.push_back(&world.add_node(options));
        }
        source.attach(world.attach(source, *nodes[0], link));
        end.attach(world.attach(end, *nodes[3], link));
        world.connect(*nodes[0], source, NodeNumber{kSource}, link);
        for (SimNode *from : nodes) {
            if (story.sink_at_all || from == nodes[3])
                world.connect(*from, end, NodeNumber{kSink}, link);
            for (SimNode *to : nodes)
                if (from != to) wires.push_back(&world.connect(*from, *to, link));
        }
        world.start();
    }
    /// Until no node has custody of a bundle, and nothing is under way.
    void run_to_the_end(int limit_s) {
        const auto all_over = [this] {
            return source.held() == 0 && std::ranges::all_of(nodes, [](const SimNode *node) {
                       return node->held() == 0;
                   });
        };
        for (int second = 0; second < limit_s && !all_over(); ++second)
            world.clock.run_for(seconds(1));
        EXPECT_TRUE(all_over());
        ASSERT_TRUE(world.run_until_quiet(seconds(60)));
        for (const SimNode *node : nodes)
            EXPECT_TRUE(node->ledger().balanced()) << node->ledger().to_table();
    }
    [[nodiscard]] std::uint64_t carried() const {
        std::uint64_t sum = 0;
        for (const SimLink *wire : wires) sum += wire->carried_bundles();
        return sum;
    }

    static constexpr std::uint64_t kSource = 100;
    SimWorld world;
    CustodySource source;
    CustodySink end;
    std::vector<SimNode *> nodes;
    std::vector<SimLink *> wires;  ///< between the nodes
};

class CriticalInAMesh : public ::testing::TestWithParam<MeshCase> {};

TEST_P(CriticalInAMesh, NoBundleInCustodyIsRepeated) {
    const MeshCase &story = GetParam();
    constexpr std::uint64_t kBundles = 500;
    Mesh mesh(1, story, config::CustodyConfig{}.retransmit_after, {});
    mesh.source.send_paced(kSink, kBundles, 1000, story.pause);
    mesh.run_to_the_end(300);
    EXPECT_EQ(mesh.end.arrived(), kBundles);
    EXPECT_LE(mesh.end.repeats(), story.sink_at_all ? 3 * kBundles : 0U) << "each path once";
    for (const SimNode *node : mesh.nodes) {
        EXPECT_EQ(node->value(StorageCounter::kCustodyAccepted), kBundles)
            << "node " << node->number().value();
        EXPECT_EQ(node->value(StorageCounter::kCustodyRetransmissions), 0U)
            << "node " << node->number().value();
    }
}

INSTANTIATE_TEST_SUITE_P(Stories, CriticalInAMesh,
                         ::testing::Values(MeshCase{}, MeshCase{.pause = milliseconds(20)},
                                           MeshCase{.ids = false},
                                           MeshCase{.ids = false, .pause = milliseconds(20)},
                                           MeshCase{.sink_at_all = true},
                                           MeshCase{.light_ms = 500, .pause = milliseconds(20)}));

class CriticalInALossyMesh : public ::testing::TestWithParam<std::uint64_t> {};

TEST_P(CriticalInALossyMesh, EveryBundleArrivesAndItsCopiesEnd) {
    SCOPED_TRACE("seed " + std::to_string(GetParam()));
    constexpr std::uint64_t kBundles = 50;
    LinkOptions lossy;
    lossy.loss_ppm = 200'000;
    lossy.delay = milliseconds(100);
    Mesh mesh(GetParam(), {}, seconds(5), lossy);
    mesh.source.send_paced(kSink, kBundles, 1000, milliseconds(50));
    mesh.run_to_the_end(1000);
    EXPECT_EQ(mesh.end.arrived(), kBundles);
    // Signals wait up to a second, and copies in flight may be taken once more.
    mesh.world.clock.run_for(seconds(1000));
    const std::uint64_t carried = mesh.carried();
    EXPECT_LE(carried, 100 * kBundles) << "signals included";
    mesh.world.clock.run_for(seconds(600));
    EXPECT_EQ(mesh.carried(), carried) << "nothing circulates";
}

INSTANTIATE_TEST_SUITE_P(Seeds, CriticalInALossyMesh, ::testing::Range<std::uint64_t>(1, 11));

}  // namespace
}  // namespace farlink::sim::critical_test
