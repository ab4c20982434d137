// SPDX-License-Identifier: Apache-2.0
// Links that take small bundles: they are cut on the way, again where a link takes even less, and
// joined where a node does that; the ledgers balance.
#include <gtest/gtest.h>

#include "tests/sim/two_nodes.hpp"

namespace farlink::sim::fragment_test {
namespace {

constexpr Flow kPlain{100, kSinkNode.value(), 1};
constexpr Flow kUrgent{100, kSinkNode.value(), 2, Priority::kExpedited};
constexpr std::uint64_t kBundleBytes = 30'000;

/// Source, two nodes, sink. The links behind the nodes take 9,000 and 4,000 bytes.
struct Narrow : TwoNodes {
    explicit Narrow(std::uint64_t seed, const LinkOptions &options = {}) : TwoNodes(seed, {}, {}) {
        LinkOptions to_second = options;
        to_second.max_bundle_bytes = 9'000;
        LinkOptions to_sink = options;
        to_sink.max_bundle_bytes = 4'000;
        to_sink.max_transfers = 0;  // the sink acknowledges nothing
        start(to_second, to_sink);
    }
    [[nodiscard]] static std::uint64_t cut(const SimNode &node) {
        return node.value(telemetry::EgressCounter::kCut);
    }
};

TEST(Fragments, BundlesAreCutOnTheWayAndCutAgain) {
    Narrow story(1);
    story.source->send(kPlain, 100, kBundleBytes);
    story.source->send(kUrgent, 100, kBundleBytes);
    story.source->send({100, kSinkNode.value(), 3}, 100, 1'000);
    story.expect_all(300);
    EXPECT_EQ(Narrow::cut(*story.first), 200U) << "what fits is not cut";
    EXPECT_EQ(Narrow::cut(*story.second), 3 * 200U) << "the last of four fragments fits";
    EXPECT_EQ(story.first->value(telemetry::EgressCounter::kForwarded), 300U);
    EXPECT_EQ(story.first->value(telemetry::EgressCounter::kFragments), 4 * 200U);
    EXPECT_EQ(story.sink->fragments(),
              story.second->value(telemetry::EgressCounter::kFragments) + 200U);
    EXPECT_EQ(story.sink->duplicates() + story.sink->out_of_order(), 0U);
}

TEST(Fragments, WhatWaitsInStorageIsCutWhenItLeaves) {
    Narrow story(2);
    story.middle->set_wire(false);
    story.source->send(kPlain, 100, kBundleBytes);
    story.world.clock.run_for(seconds(5));
    EXPECT_EQ(story.first->held(), 100U);
    story.middle->set_wire(true);
    story.world.clock.run_for(seconds(2));
    story.expect_all(100);
    EXPECT_EQ(story.first->stored_total(), 100U);
    EXPECT_EQ(story.sink->duplicates(), 0U);
}

/// The first link takes 9,000 bytes; the node behind it joins what it gets.
struct Joining : TwoNodes {
    explicit Joining(std::uint64_t seed) : TwoNodes(seed, {}, joining()) {
        LinkOptions to_second{.rate = BitRate{8'000'000}};
        to_second.max_bundle_bytes = 9'000;
        start(to_second, {.rate = BitRate{8'000'000}});
    }
    [[nodiscard]] static NodeOptions joining() {
        NodeOptions node;
        node.routing.reassemble = {"ipn:200.*"};
        return node;
    }
};

TEST(Fragments, AreJoinedOnTheWay) {
    Joining story(3);
    story.source->send(kPlain, 100, kBundleBytes);
    EXPECT_TRUE(story.world.run_until_quiet(seconds(600)));
    EXPECT_EQ(story.sink->arrived(), 100U);
    EXPECT_EQ(story.sink->fragments(), 0U);
    EXPECT_EQ(story.sink->malformed() + story.sink->duplicates(), 0U);
    EXPECT_EQ(story.second->value(telemetry::StorageCounter::kJoined), 100U);
    EXPECT_EQ(story.second->value(telemetry::StorageCounter::kJoinedFragments),
              story.first->value(telemetry::EgressCounter::kFragments));
    for (SimNode *node : {story.first, story.second})
        EXPECT_TRUE(node->ledger().balanced()) << node->ledger().to_table();
}

TEST(Fragments, ANodeThatIsKilledInTheMidstOfJoiningLosesNothing) {
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        SCOPED_TRACE(seed);
        Joining story(seed);
        story.source->send(kPlain, 60, kBundleBytes);
        Random random(seed);
        for (int life = 0; life < 4; ++life) {
            story.last->set_wire(random.below(3) > 0);
            story.world.clock.run_for(milliseconds(100 + random.below(900)));
            story.second->kill();
            story.world.clock.run_for(milliseconds(50));
            story.second->start();
        }
        story.last->set_wire(true);
        EXPECT_TRUE(story.world.run_until_quiet(seconds(600)));
        EXPECT_EQ(story.sink->arrived(), 60U);
        EXPECT_EQ(story.sink->malformed(), 0U);
        EXPECT_TRUE(story.second->ledger().balanced()) << story.second->ledger().to_table();
    }
}

TEST(Fragments, LinksThatBreakInTheMidstOfBundlesLoseNothing) {
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        SCOPED_TRACE(seed);
        Narrow story(seed, {.rate = BitRate{4'000'000}, .max_transfers = seed % 2 == 0 ? 8U : 0U});
        story.source->send(kPlain, 60, kBundleBytes);
        story.source->send(kUrgent, 20, kBundleBytes);
        Random random(seed);
        for (int cut = 0; cut < 12; ++cut) {
            story.world.clock.run_for(milliseconds(100 + random.below(400)));
            SimLink *const link = random.below(2) == 0 ? story.middle : story.last;
            link->set_wire(false);
            story.world.clock.run_for(milliseconds(50 + random.below(200)));
            link->set_wire(true);
        }
        story.world.clock.run_for(seconds(2));
        story.expect_all(80);
    }
}

}  // namespace
}  // namespace farlink::sim::fragment_test
