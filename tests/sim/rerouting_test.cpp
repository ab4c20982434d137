// SPDX-License-Identifier: Apache-2.0
// A node with two routes to a sink loses the better one: by a cut, by a plan, by the operator, by a
// neighbour without room. Waiting bundles take the other route at once, each bundle once.
#include <gtest/gtest.h>

#include "tests/sim/sim_world.hpp"

namespace farlink::sim::rerouting_test {
namespace {

constexpr std::uint64_t kSink = 200;
constexpr Flow kFlow{100, kSink, 1};
constexpr std::uint64_t kBundleBytes = 10'000;
/// 100 bundles a second, so that the queues before the link are full.
constexpr BitRate kRate{8'100'000};
constexpr DtnTime kForEver = 1'000'000;

bus::Contact contact(std::uint64_t id, std::uint64_t from, std::uint64_t to, int light_ms = 10,
                     DtnTime start_s = 0, DtnTime end_s = kForEver) {
    return {id,
            NodeNumber{from},
            NodeNumber{to},
            SimClock::kStartDtn + start_s * 1000,
            SimClock::kStartDtn + end_s * 1000,
            BitRate{},
            milliseconds(light_ms)};
}

/// Node 1, and nodes 2 (near) and 3 (far) before the sink.
std::vector<bus::Contact> both_ways() {
    return {contact(1, 1, 2), contact(2, 1, 3, 500), contact(3, 2, kSink), contact(4, 3, kSink)};
}

struct TwoWays {
    explicit TwoWays(const std::vector<bus::Contact> &plan = both_ways(), BitRate far_rate = {})
        : world(1) {
        NodeOptions options;
        options.plan = plan;
        options.event_loss_ppm = 20'000;
        options.max_pause = milliseconds(10);  // bundles beyond the window of the link go to disk
        for (const std::uint64_t number : {1, 2, 3}) {
            options.number = NodeNumber{number};
            nodes.push_back(&world.add_node(options));
        }
        sink = &world.add_sink();
        source = &world.add_source(*nodes[0]);
        LinkOptions link;
        link.rate = kRate;
        link.window_bytes = 128 * 1024;
        near = &world.connect(*nodes[0], *nodes[1], link);
        link.rate = far_rate;
        far = &world.connect(*nodes[0], *nodes[2], link);
        for (const std::size_t node : {1, 2}) world.connect(*nodes[node], *sink, NodeNumber{kSink});
        world.start();
        world.clock.run_for(seconds(1));
    }
    [[nodiscard]] SimNode &node() { return *nodes[0]; }
    /// Many bundles wait for the near link, in its queue, in ingress and in storage.
    void crowd() {
        source->send(kFlow, 2000, kBundleBytes);
        world.clock.run_for(seconds(3));
        ASSERT_GT(node().held(), 500U);
        ASSERT_EQ(far->carried_bundles(), 0U);
    }
    void expect_arrived(std::uint64_t count) {
        EXPECT_EQ(sink->record(kFlow).arrived, count);
        EXPECT_EQ(sink->malformed(), 0U);
    }
    void expect_ledgers() {
        for (const SimNode *each : nodes)
            EXPECT_TRUE(each->ledger().balanced()) << each->ledger().to_table();
    }
    /// New bundles leave by `link`, cut through.
    void expect_new_ones_by(const SimLink &link, std::uint64_t arrived) {
        const std::uint64_t before = link.carried_bundles();
        source->send_paced(kFlow, 20, kBundleBytes, milliseconds(50));
        world.clock.run_for(seconds(5));
        EXPECT_EQ(link.carried_bundles() - before, 20U);
        expect_arrived(arrived + 20);
    }

    SimWorld world;
    std::vector<SimNode *> nodes;
    SimSink *sink = nullptr;
    SimSource *source = nullptr;
    SimLink *near = nullptr;
    SimLink *far = nullptr;
};

TEST(Rerouting, BundlesOfALinkThatIsCutTakeTheOtherRoute) {
    TwoWays story;
    story.crowd();
    story.near->set_wire(false);
    story.world.clock.run_for(seconds(5));
    story.expect_arrived(2000);
    EXPECT_LT(story.sink->duplicates(), 20U) << "only bundles in flight are sent twice";
    EXPECT_EQ(story.node().held(), 0U);
    story.near->set_wire(true);
    story.world.clock.run_for(seconds(5));
    story.expect_new_ones_by(*story.near, 2000);
    story.expect_ledgers();
}

TEST(Rerouting, APlanWithoutTheContactReroutesWaitingBundles) {
    TwoWays story;
    story.crowd();
    story.node().replace_plan({contact(2, 1, 3, 500), contact(3, 2, kSink), contact(4, 3, kSink)});
    story.world.clock.run_for(seconds(5));
    story.expect_arrived(2000);
    EXPECT_EQ(story.sink->duplicates(), 0U);
    story.node().replace_plan(both_ways());
    story.world.clock.run_for(seconds(5));
    story.expect_new_ones_by(*story.near, 2000);
    story.expect_ledgers();
}

TEST(Rerouting, ALinkThatTheOperatorTakesDownIsUsedAgainWhenItIsBack) {
    TwoWays story;
    story.crowd();
    story.node().set_link(*story.near, false);
    story.world.clock.run_for(seconds(5));
    story.expect_arrived(2000);
    EXPECT_EQ(story.sink->duplicates(), 0U);
    story.expect_new_ones_by(*story.far, 2000);
    story.node().set_link(*story.near, true);
    story.world.clock.run_for(seconds(5));
    story.expect_new_ones_by(*story.near, 2020);
    story.expect_ledgers();
}

TEST(Rerouting, ANeighbourWithoutRoomIsAvoidedForAWhile) {
    TwoWays story;
    story.crowd();
    story.node().command(bus::AgentId::kScheduler,
                         bus::NeighbourDepleted{NodeNumber{2}, seconds(30)});
    story.world.clock.run_for(seconds(10));
    story.expect_arrived(2000);
    EXPECT_EQ(story.sink->duplicates(), 0U);
    story.expect_new_ones_by(*story.far, 2000);
    story.world.clock.run_for(seconds(20));
    story.expect_new_ones_by(*story.near, 2020);
    story.expect_ledgers();
}

TEST(Rerouting, WithoutAnotherRouteAllBundlesWaitForTheLink) {
    TwoWays story({contact(1, 1, 2), contact(3, 2, kSink)});
    story.crowd();
    story.node().set_link(*story.near, false);
    story.world.clock.run_for(seconds(60));
    const std::uint64_t arrived = story.sink->record(kFlow).arrived;
    EXPECT_LT(arrived, 1500U);
    story.world.clock.run_for(seconds(60));
    story.expect_arrived(arrived);
    story.node().set_link(*story.near, true);
    story.world.clock.run_for(seconds(60));
    story.expect_arrived(2000);
    EXPECT_EQ(story.sink->duplicates(), 0U);
    story.expect_ledgers();
}

// A later plan may contain a route.
TEST(Rerouting, BundlesWithoutARouteWaitUntilTheyExpire) {
    TwoWays story({contact(1, 1, 2), contact(3, 2, 77)});
    const Flow late{100, kSink, 2};
    story.source->send(kFlow, 50, kBundleBytes);
    story.world.clock.run_for(seconds(3600));
    EXPECT_EQ(story.node().held(), 50U);
    story.expect_arrived(0);
    for (SimNode *each : story.nodes) each->replace_plan(both_ways());
    story.world.clock.run_for(seconds(5));
    story.expect_arrived(50);
    story.node().replace_plan({contact(1, 1, 2)});
    story.world.clock.run_for(seconds(1));
    story.source->send(late, 30, kBundleBytes);
    story.world.clock.run_for(seconds(23 * 3600));
    EXPECT_EQ(story.node().held(), 30U);
    story.world.clock.run_for(seconds(2 * 3600));
    EXPECT_EQ(story.node().held(), 0U);
    EXPECT_EQ(story.node().value(telemetry::StorageCounter::kExpired), 30U);
    story.expect_ledgers();
}

// The far route is half as fast: it carries a third of the waiting bundles.
TEST(Rerouting, WaitingBundlesAreSpreadOverTheOpenLinks) {
    std::vector<bus::Contact> plan = both_ways();
    plan[0].start = plan[1].start = SimClock::kStartDtn + 10'000;
    plan[0].rate = kRate;
    plan[1].rate = BitRate{kRate.value() / 2};
    TwoWays story(plan, plan[1].rate);
    story.source->send(kFlow, 1800, kBundleBytes);
    story.world.clock.run_for(seconds(9));
    EXPECT_EQ(story.node().held(), 1800U) << "its last second is the first of the contacts";
    story.world.clock.run_for(seconds(13));
    story.expect_arrived(1800);
    EXPECT_NEAR(static_cast<double>(story.far->carried_bundles()), 600, 60);
    EXPECT_EQ(story.sink->duplicates(), 0U);
    story.expect_ledgers();
}

/// Contacts of 10 s every 20 s, at the rate of the link.
std::vector<bus::Contact> short_contacts(std::uint64_t count) {
    std::vector<bus::Contact> plan;
    for (std::uint64_t i = 0; i < count; ++i) {
        plan.push_back(contact(i, 1, 2, 10, 20 * i, 20 * i + 10));
        plan.back().rate = kRate;
    }
    plan.push_back(contact(count, 2, kSink));
    return plan;
}

// A bundle takes two seconds; one that started too late would be cut at the end of the contact.
TEST(ContactEnds, NoBundleStartsThatCannotFinish) {
    constexpr std::uint64_t kLargeBytes = 2'000'000;
    TwoWays story(short_contacts(10));
    story.source->send(kFlow, 12, kLargeBytes);
    story.world.clock.run_for(seconds(11));
    const std::uint64_t first = story.near->carried_bundles();
    EXPECT_EQ(first, story.sink->record(kFlow).arrived)
        << "all bundles that were started have arrived";
    EXPECT_GE(first, 2U);
    EXPECT_LT(story.node().value(telemetry::EgressCounter::kTooLateReturns), 20U)
        << "it is not sent again in this contact";
    EXPECT_GT(story.node().value(telemetry::EgressCounter::kTooLateReturns), 0U);
    story.world.clock.run_for(seconds(160));
    story.expect_arrived(12);
    EXPECT_EQ(story.near->carried_bundles(), 12U) << "no bundle was started twice";
    EXPECT_EQ(story.sink->out_of_order(), 0U);
    story.expect_ledgers();
}

/// Nodes 1 and 2 send to each other; node 2 loses its link to the sink. By the plan the route back
/// is then the better one, since node 1 has a contact with node 3 later.
struct WayBack {
    explicit WayBack(bool anonymous) : world(1) {
        NodeOptions options;
        options.plan = {contact(1, 1, 2), contact(2, 2, 1), contact(3, 2, kSink),
                        contact(4, 1, 3, 10, 300), contact(5, 3, kSink)};
        options.anonymous = anonymous;
        LinkOptions acknowledging;
        acknowledging.max_transfers = 50;
        for (const std::uint64_t number : {1, 2, 3}) {
            options.number = NodeNumber{number};
            nodes.push_back(&world.add_node(options));
        }
        sink = &world.add_sink();
        source = &world.add_source(*nodes[0], acknowledging);
        world.connect(*nodes[0], *nodes[1], acknowledging);
        world.connect(*nodes[1], *nodes[0], acknowledging);
        world.connect(*nodes[0], *nodes[2], acknowledging);
        last = &world.connect(*nodes[1], *sink, NodeNumber{kSink});
        world.connect(*nodes[2], *sink, NodeNumber{kSink});
        world.start();
        world.clock.run_for(seconds(1));
    }
    /// Node 2 gets bundles while its link is cut; the link returns later.
    void run(const Flow &flow = kFlow) {
        last->set_wire(false);
        world.clock.run_for(seconds(1));
        source->send(flow, 100, 1000);
        world.clock.run_for(seconds(20));
        EXPECT_EQ(source->waiting(), 0U) << "all are acknowledged";
        EXPECT_EQ(sink->arrived(), 0U);
        std::uint64_t held = 0;
        for (const SimNode *node : nodes) held += node->held();
        EXPECT_GE(held, 100U);
        last->set_wire(true);
        world.clock.run_for(seconds(600));
    }

    SimWorld world;
    std::vector<SimNode *> nodes;
    SimSink *sink = nullptr;
    SimSource *source = nullptr;
    SimLink *last = nullptr;
};

TEST(Rerouting, NoBundleReturnsToItsSender) {
    WayBack story(false);
    story.run();
    EXPECT_EQ(story.sink->record(kFlow).arrived, 100U);
    EXPECT_EQ(story.sink->duplicates(), 0U);
    EXPECT_EQ(story.nodes[0]->value(telemetry::IngressCounter::kReceived), 100U);
}

TEST(Rerouting, NoBundleReturnsToItsPreviousNode) {
    WayBack story(true);
    story.run();
    EXPECT_EQ(story.sink->record(kFlow).arrived, 100U);
    EXPECT_EQ(story.sink->duplicates(), 0U);
    EXPECT_EQ(story.nodes[0]->value(telemetry::IngressCounter::kReceived), 100U);
}

// A node without the number of the sender may send a bundle back: it reads no previous hop of
// BPv6. Each of two nodes then treats the other as the next hop.
TEST(Rerouting, BundlesThatComeBackAreNotLost) {
    constexpr Flow kBpv6{100, kSink, 2, Priority::kExpedited};
    WayBack story(true);
    story.run(kBpv6);
    EXPECT_EQ(story.sink->record(kBpv6).arrived, 100U);
    EXPECT_GT(story.nodes[0]->value(telemetry::IngressCounter::kReceived), 100U);
    for (const SimNode *node : story.nodes) EXPECT_EQ(node->held(), 0U);
}

}  // namespace
}  // namespace farlink::sim::rerouting_test
