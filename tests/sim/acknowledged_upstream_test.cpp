// SPDX-License-Identifier: Apache-2.0
// An upstream that waits for the acknowledgement of its bundles, and a next hop with a long delay.
#include <gtest/gtest.h>

#include "tests/sim/sim_world.hpp"

namespace farlink::sim::acknowledged_upstream_test {
namespace {

constexpr std::uint64_t kSource = 100;
constexpr NodeNumber kSinkNode{200};
constexpr Flow kFlow{kSource, kSinkNode.value()};
constexpr std::uint64_t kBundleBytes = 10'000;
constexpr std::uint64_t kBundles = 2000;
/// 100 bundles a second.
constexpr BitRate kRate{8'100'000};

struct FarNextHop {
    /// `published`: whether the contact plan contains the one-way light time.
    FarNextHop(std::uint64_t seed, bool published, Duration one_way) : world(seed) {
        NodeOptions options;
        options.number = NodeNumber{1};
        options.buffer_bytes = 256 * 1024 * 1024;
        options.storage_bytes = 1024 * 1024 * 1024;
        options.window_bytes = 128 * 1024 * 1024;
        options.window_bundles = 65536;
        options.plan = {{{0, options.number, kSinkNode, 0, kDtnNever, kRate,
                          published ? one_way : Duration{}}}};
        node = &world.add_node(options);
        sink = &world.add_sink();
        LinkOptions near;
        near.delay = milliseconds(2);
        near.max_transfers = 5;
        source = &world.add_source(*node, near);
        LinkOptions far;
        far.delay = one_way;
        far.rate = kRate;
        far.window_bytes = 256 * 1024 * 1024;
        far_link = &world.connect(*node, *sink, kSinkNode, far);
        world.start();
    }

    void wait_for_all(Duration limit) {
        for (const TimePoint end = world.clock.now() + limit;
             world.clock.now() < end && sink->arrived() < kBundles;)
            world.clock.run_for(milliseconds(100));
    }
    void expect_all_once() const {
        EXPECT_EQ(sink->arrived(), kBundles);
        EXPECT_EQ(sink->malformed(), 0U);
        EXPECT_TRUE(node->ledger().balanced()) << node->ledger().to_table();
    }

    SimWorld world;
    SimNode *node = nullptr;
    SimSink *sink = nullptr;
    SimSource *source = nullptr;
    SimLink *far_link = nullptr;
};

Duration time_to_fill(FarNextHop &story) {
    const TimePoint begin = story.world.clock.now();
    story.source->send(kFlow, kBundles, kBundleBytes);
    story.wait_for_all(seconds(300));
    return story.world.clock.now() - begin;
}

/// Twenty seconds of transmission, in at most 25 and the one-way light time.
constexpr Duration kFourFifths = seconds(25);

TEST(AcknowledgedUpstream, FiveTransfersFillANextHopThatAnswersAfterFourSeconds) {
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
        SCOPED_TRACE(seed);
        FarNextHop story(seed, true, seconds(2));
        EXPECT_LE(time_to_fill(story), kFourFifths + seconds(2));
        EXPECT_TRUE(story.world.run_until_quiet(seconds(60)));
        story.expect_all_once();
        EXPECT_EQ(story.sink->duplicates(), 0U);
        EXPECT_EQ(story.sink->out_of_order(), 0U);
        EXPECT_EQ(story.node->stored_total(), kBundles) << "safe on disk meanwhile";
        EXPECT_EQ(story.node->held(), 0U) << "released when the next hop acknowledged";
    }
}

TEST(AcknowledgedUpstream, TheWindowIsMeasuredWithoutAConfiguredLightTime) {
    FarNextHop story(4, false, seconds(2));
    EXPECT_LE(time_to_fill(story), kFourFifths + seconds(2));
    EXPECT_TRUE(story.world.run_until_quiet(seconds(60)));
    story.expect_all_once();
    EXPECT_EQ(story.sink->duplicates(), 0U);
}

TEST(AcknowledgedUpstream, ANextHopThatAcknowledgesAtOnceNeedsNoDisk) {
    FarNextHop story(5, true, milliseconds(1));
    story.source->send_paced(kFlow, kBundles, kBundleBytes, milliseconds(12));
    story.wait_for_all(seconds(30));
    story.expect_all_once();
    EXPECT_EQ(story.node->stored_total(), 0U);
}

// Acknowledged bundles survive; the upstream repeats the others.
TEST(AcknowledgedUpstream, APowerCutLosesNoAcknowledgedBundle) {
    for (std::uint64_t seed = 10; seed < 16; ++seed) {
        SCOPED_TRACE(seed);
        FarNextHop story(seed, seed % 2 == 0, seconds(2));
        story.source->send(kFlow, kBundles, kBundleBytes);
        for (int cut = 0; cut < 4; ++cut) {
            story.world.clock.run_for(milliseconds(1700 + 1300 * cut));
            story.node->kill();
            story.world.clock.run_for(milliseconds(300));
            story.node->start();
        }
        story.wait_for_all(seconds(300));
        EXPECT_TRUE(story.world.run_until_quiet(seconds(60)));
        story.expect_all_once();
    }
}

// The session from the source breaks while its bundles are in flight: the source repeats them, and
// the node recognises them.
TEST(AcknowledgedUpstream, BundlesRepeatedAfterALostSessionAreSentOnce) {
    for (const bool published : {false, true}) {
        SCOPED_TRACE(published);
        FarNextHop story(30, published, seconds(2));
        story.source->send(kFlow, kBundles, kBundleBytes);
        for (int cut = 0; cut < 5; ++cut) {
            story.world.clock.run_for(milliseconds(2011 + 317 * cut));
            story.source->link().break_connection();
        }
        story.wait_for_all(seconds(300));
        EXPECT_TRUE(story.world.run_until_quiet(seconds(60)));
        story.expect_all_once();
        EXPECT_EQ(story.sink->duplicates(), 0U);
        EXPECT_EQ(story.source->waiting(), 0U);
    }
}

TEST(AcknowledgedUpstream, ARepeatOfABundleInFlightWaitsForTheFirstCopy) {
    FarNextHop story(31, false, milliseconds(8));  // acknowledged in time: no copies
    std::uint64_t repeats = 0;
    for (int cut = 0; cut < 50; ++cut) {
        story.source->send(kFlow, kBundles / 50, kBundleBytes);
        story.world.clock.run_for(milliseconds(20 + cut));
        story.source->link().break_connection();
        story.world.clock.run_for(milliseconds(500));
        repeats = story.node->value(telemetry::IngressCounter::kDuplicatesInFlight);
    }
    story.wait_for_all(seconds(300));
    EXPECT_TRUE(story.world.run_until_quiet(seconds(60)));
    story.expect_all_once();
    EXPECT_GT(repeats, 0U);
}

// The connection to the far end breaks while thousands of bundles are in flight.
TEST(AcknowledgedUpstream, BundlesInFlightOnABrokenLinkAreSentFromDisk) {
    FarNextHop story(20, true, seconds(2));
    SimLink &far = *story.far_link;
    story.source->send(kFlow, kBundles, kBundleBytes);
    for (int cut = 0; cut < 3; ++cut) {
        story.world.clock.run_for(milliseconds(5000 + 700 * cut));
        far.break_connection();
    }
    story.wait_for_all(seconds(300));
    EXPECT_TRUE(story.world.run_until_quiet(seconds(60)));
    story.expect_all_once();
    EXPECT_EQ(story.node->held(), 0U);
}

}  // namespace
}  // namespace farlink::sim::acknowledged_upstream_test
