// SPDX-License-Identifier: Apache-2.0
// Neighbours that always refuse, for each reason: no acknowledged bundle is deleted; a bundle with
// another route takes it, and a bundle without one waits.
#include <gtest/gtest.h>

#include "tests/sim/sim_world.hpp"

namespace farlink::sim::refusals_test {
namespace {

using egress::NextHopRefusal;
using telemetry::EgressCounter;
using telemetry::StorageCounter;

constexpr NodeNumber kFar{200};
constexpr NodeNumber kOtherWay{201};
constexpr std::uint64_t kBundles = 50;

/// Refuses every bundle until the test ends that; then it counts the bundles that arrive.
class SimRefuser final : public LinkReceiver {
public:
    explicit SimRefuser(const SimClock &clock) : sink_(clock) {}

    [[nodiscard]] bool accepts_connections() const override { return true; }
    [[nodiscard]] UpstreamId new_session(SimLink &link) override { return sink_.new_session(link); }
    void on_readable(SimLink &link, UpstreamId session) override {
        const std::uint64_t first = link.next_transfer(session);
        std::uint32_t count = 0;
        if (polite) {
            const std::uint64_t before = sink_.arrived() + sink_.duplicates();
            sink_.on_readable(link, session);
            count = static_cast<std::uint32_t>(sink_.arrived() + sink_.duplicates() - before);
        }
        for (; !polite && link.peek(session) != nullptr; ++count) (void)link.take(session);
        offered += count;
        link.acknowledge(session, first, count,
                         polite ? TransferDisposition::kSafe : TransferDisposition::kNoResources);
    }
    void on_session_closed(SimLink &, UpstreamId) override {}
    [[nodiscard]] std::uint64_t arrived() const { return sink_.arrived(); }

    bool polite = false;
    std::uint64_t offered = 0;

private:
    SimSink sink_;
};

bus::Contact contact(std::uint64_t number, NodeNumber from, NodeNumber to, Duration owlt) {
    return {number, from, to, 0, kDtnNever, {}, owlt};
}

struct Refusing {
    explicit Refusing(NextHopRefusal refusal, bool two_ways = false) : world(1) {
        NodeOptions options;
        options.number = NodeNumber{1};
        options.plan.emplace();
        options.plan->push_back(contact(0, options.number, kFar, {}));
        options.plan->push_back(contact(1, options.number, kOtherWay, seconds(1)));
        options.plan->push_back(contact(2, kOtherWay, kFar, seconds(1)));
        node = &world.add_node(options);
        node->set_refusal(refusal);
        // The sender gets acknowledgements for its bundles.
        source = &world.add_source(*node, {.max_transfers = 100});
        refuser = std::make_unique<SimRefuser>(world.clock);
        link = &world.connect(*node, *refuser, kFar, {.max_transfers = 100});
        if (two_ways) {
            sink = &world.add_sink();
            world.connect(*node, *sink, kOtherWay);
        }
        world.start();
    }
    void send(bool critical = false) {
        source->send(
            {100, kFar.value(), 1, critical ? Priority::kBulk : Priority::kNormal, critical},
            kBundles, 1000);
    }

    SimWorld world;
    SimNode *node = nullptr;
    SimSource *source = nullptr;
    std::unique_ptr<SimRefuser> refuser;
    SimLink *link = nullptr;
    SimSink *sink = nullptr;
};

class EveryRefusal : public ::testing::TestWithParam<NextHopRefusal> {};
INSTANTIATE_TEST_SUITE_P(Kinds, EveryRefusal,
                         ::testing::Values(NextHopRefusal::kNoRoom, NextHopRefusal::kAgain,
                                           NextHopRefusal::kLinkEnds,
                                           NextHopRefusal::kNotAcceptable,
                                           NextHopRefusal::kTooLarge));

TEST_P(EveryRefusal, DeletesNoBundleHoweverOftenRepeated) {
    for (const bool critical : {false, true}) {
        Refusing story(GetParam());
        story.send(critical);
        story.world.clock.run_for(std::chrono::hours(2));
        EXPECT_EQ(story.source->waiting(), 0U) << "all were acknowledged";
        EXPECT_GT(story.refuser->offered, kBundles) << "refused bundles are sent again";
        EXPECT_EQ(story.node->held(), kBundles);
        EXPECT_EQ(story.node->ledger().deleted(), 0U) << story.node->ledger().to_table();
        EXPECT_EQ(story.node->value(EgressCounter::kForwarded), 0U);

        story.refuser->polite = true;
        story.world.clock.run_for(std::chrono::hours(1));
        EXPECT_EQ(story.refuser->arrived(), kBundles);
        EXPECT_EQ(story.node->held(), 0U);
        EXPECT_TRUE(story.node->ledger().balanced()) << story.node->ledger().to_table();
    }
}

// A bundle that is refused as not acceptable is sent after growing pauses: about twenty times a
// day.
TEST(Refusals, ComeAfterPausesThatGrow) {
    for (const NextHopRefusal kind : {NextHopRefusal::kNotAcceptable, NextHopRefusal::kAgain}) {
        Refusing story(kind);
        story.send();
        story.world.clock.run_for(std::chrono::hours(2));
        const std::uint64_t early = story.refuser->offered;
        EXPECT_LT(early, kBundles * 150);
        story.world.clock.run_for(std::chrono::hours(2));
        EXPECT_LE(story.refuser->offered - early, kBundles * 70) << "every ten minutes or so";
        EXPECT_EQ(story.node->value(StorageCounter::kRefusedNow), kBundles);
    }
}

// Its session lasts all the same: the bundles are not sent again at once.
TEST(Refusals, OfASessionThatDoesNotEndComeAfterPauses) {
    Refusing story(NextHopRefusal::kLinkEnds);
    story.send();
    story.world.clock.run_for(std::chrono::minutes(10));
    EXPECT_LT(story.refuser->offered, kBundles * 200) << "every five seconds";
}

TEST(Refusals, WhatIsTooLargeForItsLinkIsCountedApart) {
    Refusing story(NextHopRefusal::kTooLarge);
    story.send();
    story.world.clock.run_for(std::chrono::hours(2));
    EXPECT_EQ(story.node->value(StorageCounter::kTooLargeNow), kBundles);
    EXPECT_EQ(story.node->value(StorageCounter::kRefusedNow), 0U);
    EXPECT_EQ(story.node->value(EgressCounter::kRefused), 0U);
    EXPECT_GE(story.node->value(EgressCounter::kTooLargeReturns), kBundles);
    story.refuser->polite = true;
    story.world.clock.run_for(std::chrono::hours(1));
    EXPECT_EQ(story.refuser->arrived(), kBundles);
    EXPECT_EQ(story.node->value(StorageCounter::kTooLargeNow), 0U);
    EXPECT_TRUE(story.node->ledger().balanced()) << story.node->ledger().to_table();
}

TEST(Refusals, EndWithTheLifetime) {
    Refusing story(NextHopRefusal::kNotAcceptable);
    story.send();
    story.world.clock.run_for(std::chrono::hours(25));
    EXPECT_EQ(story.node->held(), 0U);
    EXPECT_EQ(story.node->ledger().expired, kBundles);
    EXPECT_EQ(story.node->value(StorageCounter::kRefusedNow), 0U);
    EXPECT_TRUE(story.node->ledger().balanced()) << story.node->ledger().to_table();
}

TEST(Refusals, SendBundlesAnotherWay) {
    for (const NextHopRefusal kind : {NextHopRefusal::kNotAcceptable, NextHopRefusal::kAgain}) {
        Refusing story(kind, true);
        story.send();
        story.world.clock.run_for(seconds(30));
        EXPECT_EQ(story.sink->arrived(), kBundles);
        EXPECT_EQ(story.node->held(), 0U);
        EXPECT_TRUE(story.node->ledger().balanced()) << story.node->ledger().to_table();
    }
}

// A restart loses the record of refusals, and keeps the bundles.
TEST(Refusals, OutliveARestart) {
    Refusing story(NextHopRefusal::kNotAcceptable);
    story.send();
    story.world.clock.run_for(std::chrono::minutes(5));
    story.node->kill();
    story.world.clock.run_for(seconds(1));
    story.node->start();
    story.refuser->polite = true;
    story.world.clock.run_for(seconds(30));
    EXPECT_EQ(story.refuser->arrived(), kBundles);
}

}  // namespace
}  // namespace farlink::sim::refusals_test
