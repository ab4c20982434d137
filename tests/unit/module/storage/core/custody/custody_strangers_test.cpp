// SPDX-License-Identifier: Apache-2.0
// Custody signals of nodes that may not give them: no other node ends the custody of this node.
#include <gtest/gtest.h>

#include "module/storage/core/custody/custodian.hpp"
#include "tests/unit/module/storage/core/custody/custody_rig.hpp"

namespace farlink::test::custody_strangers_test {
namespace {

using bp::v6::AggregateCustodySignal;
using storage::StorageCounter;

constexpr std::uint8_t kDepleted = 4;
constexpr std::uint64_t kEverything = 1ULL << 63;

class CustodyStrangers : public CustodyRig {
protected:
    CustodyStrangers() { bundle.to = bp::ipn_eid(40, 1); }

    void store(std::uint64_t count) {
        for (std::uint64_t i = 0; i < count; ++i) {
            ++bundle.sequence;
            EXPECT_EQ(rig().store_octets(bundle.octets()), Outcome::kStored);
        }
    }
    /// To node 40 by `neighbour` and, beyond it, node 31.
    void send_by(NodeNumber neighbour, LinkId link) {
        bus::RouteUpdate update;
        bus::RouteCandidate candidate{neighbour, link, 0};
        candidate.nodes = {NodeNumber{31}};
        update.routes.push_back({NodeNumber{40}, {candidate}});
        rig().core().handle(update, rig().now);
        rig().link_up(link, neighbour);
        rig().run_for(kRigMoment);
    }
    static Bytes all(bool succeeded, std::uint8_t reason = 0) {
        return encode(AggregateCustodySignal{succeeded, reason, {{0, kEverything}}});
    }
    std::uint64_t held() { return rig().core().figures().held(); }
};

TEST_F(CustodyStrangers, AStrangerDeletesNothing) {
    store(100);
    send_by(kNode20, kLink20);
    ASSERT_EQ(rig().released.size(), 100U);
    rig().signal_custody("ipn:31337.0", all(true));
    rig().signal_custody("dtn://nobody/", all(true));
    rig().signal_custody("dtn:none", all(true));
    rig().signal_custody("ipn:31337.0", encode(bundle.signal(true)));
    EXPECT_EQ(held(), 100U);
    EXPECT_EQ(count(StorageCounter::kCustodySignalsOfStrangers), 4U);
    const auto ignored = rig().core().poll_ignored_signal();
    ASSERT_TRUE(ignored);
    EXPECT_EQ(ignored->source, "ipn:31337.0");
    EXPECT_TRUE(ignored->ipn);
    EXPECT_FALSE(ignored->unproven);
    EXPECT_FALSE(ignored->partly);
    EXPECT_FALSE(rig().core().poll_ignored_signal()) << "told once";
}

TEST_F(CustodyStrangers, NodeZeroDoesNotAnswerForANameWithoutANode) {
    bundle.to = {bp::EidScheme::kDtn, 0, 0, "//far/away"};
    config::RoutingConfig routing;
    routing.default_gateway = kNode20;
    rig().core().set_policies(routing);
    store(2);
    bus::RouteUpdate update;
    update.neighbours = {{kNode20, kLink20, true}};
    rig().core().handle(update, rig().now);
    rig().link_up(kLink20, kNode20);
    rig().run_for(kRigMoment);
    ASSERT_EQ(rig().released.size(), 2U);
    rig().signal_custody("ipn:0.7", all(true));
    EXPECT_EQ(held(), 2U);
    rig().signal_custody("dtn://far/", all(true));
    EXPECT_EQ(held(), 0U);
}

TEST_F(CustodyStrangers, TheNextHopTheDestinationAndWhoStandsBetweenThemMayAnswer) {
    for (const char *who : {"ipn:20.0", "ipn:31.0", "ipn:31.7", "ipn:40.0"}) {
        store(1);
        send_by(kNode20, kLink20);
        ASSERT_EQ(held(), 1U) << who;
        rig().signal_custody(who, all(true));
        EXPECT_EQ(held(), 0U) << who;
    }
    EXPECT_EQ(count(StorageCounter::kCustodySignalsOfStrangers), 0U);
}

TEST_F(CustodyStrangers, AnotherNeighbourMayAnswerOnceItWasGivenTheBundle) {
    store(1);
    send_by(kNode20, kLink20);
    rig().signal_custody("ipn:30.0", all(true));
    EXPECT_EQ(held(), 1U);
    rig().link_down(kLink20, kNode20);
    send_by(kNode30, kLink30);
    rig().run_for(seconds(11));  // it is sent again
    rig().signal_custody("ipn:30.0", all(true));
    EXPECT_EQ(held(), 0U);
}

TEST_F(CustodyStrangers, TheFirstWayMayStillAnswerAfterTheSecond) {
    store(1);
    send_by(kNode20, kLink20);
    rig().link_down(kLink20, kNode20);
    send_by(kNode30, kLink30);
    rig().run_for(seconds(11));
    rig().signal_custody("ipn:20.0", all(true));
    EXPECT_EQ(held(), 0U);
}

TEST_F(CustodyStrangers, ASignalReleasesOnlyWhatItsSourceWasGiven) {
    store(3);
    send_by(kNode20, kLink20);
    rig().link_down(kLink20, kNode20);
    bundle.to = bp::ipn_eid(30, 1);
    store(2);
    rig().routes_to_both();
    rig().link_up(kLink30, kNode30);
    rig().run_for(kRigMoment);
    rig().signal_custody("ipn:30.0", all(true));
    EXPECT_EQ(held(), 3U);
    EXPECT_EQ(count(StorageCounter::kCustodySignalsOfStrangers), 1U);
    EXPECT_TRUE(rig().core().poll_ignored_signal()->partly);
    rig().signal_custody("dtn://nobody/", all(true));
    const auto ignored = rig().core().poll_ignored_signal();
    ASSERT_TRUE(ignored);
    EXPECT_FALSE(ignored->ipn || ignored->partly) << "nothing of it counted";
}

TEST_F(CustodyStrangers, NodesNamedInTheConfigurationMayAnswer) {
    options.custody.config.signals_from = {"ipn:77.*", "dtn://far/*"};
    store(1);
    send_by(kNode20, kLink20);
    rig().signal_custody("ipn:78.0", all(true));
    ASSERT_EQ(held(), 1U);
    rig().signal_custody("ipn:77.3", all(true));
    EXPECT_EQ(held(), 0U);
    store(1);
    rig().run_for(kRigMoment);
    rig().signal_custody("dtn://far/custody", all(true));
    EXPECT_EQ(held(), 0U);
}

TEST_F(CustodyStrangers, TheLinkProvesASignalWhereConfigured) {
    options.custody.config.signal_proof = config::SignalProof::kLink;
    store(1);
    send_by(kNode20, kLink20);
    rig().signal_custody("ipn:20.0", all(true));
    rig().signal_custody("ipn:20.0", all(true), kNode30);
    rig().signal_custody("ipn:40.0", all(true), kNode20);
    EXPECT_EQ(held(), 1U);
    EXPECT_EQ(count(StorageCounter::kCustodySignalsUnproven), 3U);
    EXPECT_TRUE(rig().core().poll_ignored_signal()->unproven);
    rig().signal_custody("ipn:20.0", all(true), kNode20);
    EXPECT_EQ(held(), 0U);
}

TEST_F(CustodyStrangers, AFailureActsOnceForEachTransmission) {
    store(1);
    send_by(kNode20, kLink20);
    // Repeated signals must not put the next transmission off for ever.
    for (int second = 0; second < 29; ++second) {
        rig().signal_custody("ipn:20.0", all(false, kDepleted));
        rig().run_for(seconds(1));
    }
    EXPECT_EQ(rig().released.size(), 1U);
    EXPECT_EQ(count(StorageCounter::kCustodyFailures), 1U);
    EXPECT_EQ(count(StorageCounter::kCustodyFailuresRepeated), 28U);
    rig().run_for(seconds(2));
    EXPECT_EQ(rig().released.size(), 2U);
    rig().signal_custody("ipn:20.0", all(false, kDepleted));
    EXPECT_EQ(count(StorageCounter::kCustodyFailures), 2U);
}

TEST_F(CustodyStrangers, AFailureOfAStrangerHasNoEffect) {
    store(1);
    send_by(kNode20, kLink20);
    rig().signal_custody("ipn:31337.0", all(false, kDepleted));
    EXPECT_EQ(count(StorageCounter::kCustodyFailures), 0U);
    rig().run_for(seconds(11));
    EXPECT_EQ(rig().released.size(), 2U);
}

TEST_F(CustodyStrangers, WhatWasNotSentIsNotAnswered) {
    store(2);
    rig().signal_custody("ipn:40.0", all(true));
    rig().signal_custody("ipn:40.0", encode(bundle.signal(true)));
    EXPECT_EQ(held(), 2U);
}

}  // namespace
}  // namespace farlink::test::custody_strangers_test
