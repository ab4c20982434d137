// SPDX-License-Identifier: Apache-2.0
// Wrong wall clocks: no bundle is lost by them, and each bundle expires.
#include <gtest/gtest.h>

#include "tests/sim/sim_world.hpp"

namespace farlink::sim::clock_test {
namespace {

using telemetry::EgressCounter;
using telemetry::IngressCounter;
using telemetry::StorageCounter;

constexpr NodeNumber kSinkNode{200};
constexpr Flow kFlow{100, kSinkNode.value(), 1};
constexpr Duration kLifetime = std::chrono::hours(24);  // of a SimSource's bundles
constexpr std::uint64_t kBundles = 100;

struct Clocks {
    Clocks() : world(1) {
        NodeOptions options;
        options.number = NodeNumber{1};
        node = &world.add_node(options);
        sink = &world.add_sink();
        source = &world.add_source(*node);
        link = &world.connect(*node, *sink, kSinkNode);
        link->set_wire(false);
    }
    void store() {
        source->send(kFlow, kBundles, 1000);
        world.clock.run_for(seconds(10));
    }
    void expect_suspended(bool suspended) const {
        const std::uint64_t expected = suspended ? 1 : 0;
        EXPECT_EQ(node->value(StorageCounter::kExpirySuspended), expected);
        EXPECT_EQ(node->value(IngressCounter::kExpirySuspended), expected);
        EXPECT_EQ(node->value(EgressCounter::kExpirySuspended), expected);
    }
    void expect_all_arrive() {
        link->set_wire(true);
        world.clock.run_for(seconds(1));
        EXPECT_TRUE(world.run_until_quiet(seconds(60)));
        EXPECT_EQ(sink->arrived(), kBundles);
        EXPECT_TRUE(node->ledger().balanced()) << node->ledger().to_table();
    }

    SimWorld world;
    SimNode *node = nullptr;
    SimSink *sink = nullptr;
    SimSource *source = nullptr;
    SimLink *link = nullptr;
};

TEST(ClockSteps, AForwardStepExpiresNoBundleUntilItIsConfirmed) {
    Clocks story;
    story.world.start();
    story.store();
    story.node->set_clock_error(kLifetime + seconds(100));
    story.expect_suspended(true);
    EXPECT_EQ(story.node->value(StorageCounter::kClockSteps), 1U);
    story.world.clock.run_for(std::chrono::hours(1));
    EXPECT_EQ(story.node->held(), kBundles);
    // Bundles that arrive meanwhile and have expired by this clock are accepted, too.
    story.source->send(kFlow, 10, 1000);
    story.world.clock.run_for(seconds(10));
    EXPECT_EQ(story.node->held(), kBundles + 10);

    story.node->confirm_clock();
    story.expect_suspended(false);
    story.world.clock.run_for(seconds(1));
    EXPECT_EQ(story.node->held(), 0U);
    EXPECT_EQ(story.node->value(StorageCounter::kExpired), kBundles + 10);
    EXPECT_TRUE(story.node->ledger().balanced()) << story.node->ledger().to_table();
}

TEST(ClockSteps, SuspendedBundlesAreSentWhenTheirLinkComesUp) {
    Clocks story;
    story.world.start();
    story.store();
    story.node->set_clock_error(kLifetime + seconds(100));
    story.expect_all_arrive();
}

TEST(ClockSteps, ACorrectedClockNeedsNoConfirmation) {
    Clocks story;
    story.world.start();
    story.store();
    story.node->set_clock_error(kLifetime + seconds(100));
    story.world.clock.run_for(std::chrono::hours(2));
    story.node->set_clock_error(milliseconds(20));
    story.expect_suspended(false);
    EXPECT_EQ(story.node->held(), kBundles);
    story.expect_all_arrive();
}

TEST(ClockSteps, BundlesExpireAfterABackwardStep) {
    Clocks story;
    story.world.start();
    story.store();
    story.node->set_clock_error(-std::chrono::hours(100'000));
    story.expect_suspended(false);
    EXPECT_EQ(story.node->value(StorageCounter::kClockSteps), 1U);
    story.world.clock.run_for(kLifetime - seconds(60));
    EXPECT_EQ(story.node->held(), kBundles);
    story.world.clock.run_for(seconds(120));
    EXPECT_EQ(story.node->held(), 0U);
    EXPECT_EQ(story.node->value(StorageCounter::kExpired), kBundles);
}

TEST(ClockSteps, AnUnsetClockAtTheStartExpiresNothing) {
    Clocks story;
    story.world.start();
    story.store();
    story.node->kill();
    // A day later the node restarts with an unset clock: it shows the first days of 1970.
    story.world.clock.run_for(std::chrono::hours(1));
    story.node->set_clock_error(-std::chrono::hours(25L * 365 * 24));
    story.node->start();
    story.expect_suspended(true);
    // Then the clock is set; the operator does not confirm it.
    story.world.clock.run_for(seconds(30));
    story.node->set_clock_error({});
    story.world.clock.run_for(kLifetime);
    story.expect_suspended(true);
    EXPECT_EQ(story.node->held(), kBundles);
    story.node->confirm_clock();
    story.expect_suspended(false);
    story.world.clock.run_for(seconds(1));
    EXPECT_EQ(story.node->value(StorageCounter::kExpired), kBundles);
}

TEST(ClockSteps, AClockBehindTheStoreAtTheStartExpiresNothing) {
    Clocks story;
    story.world.start();
    story.store();
    story.node->kill();
    story.node->set_clock_error(-std::chrono::hours(30));
    story.node->start();
    story.expect_suspended(true);
    story.world.clock.run_for(kLifetime * 2);
    EXPECT_EQ(story.node->held(), kBundles);
    story.expect_all_arrive();
}

TEST(ClockSteps, LifetimesRunWhileTheNodeIsOff) {
    Clocks story;
    story.world.start();
    story.store();
    story.node->kill();
    story.world.clock.run_for(kLifetime);
    story.node->start();
    story.expect_suspended(false);
    story.world.clock.run_for(seconds(1));
    EXPECT_EQ(story.node->held(), 0U);
}

}  // namespace
}  // namespace farlink::sim::clock_test
