// SPDX-License-Identifier: Apache-2.0
#include "module/egress/egress_agent.hpp"

#include <gtest/gtest.h>

#include "common/config/node/link_placement.hpp"
#include "common/runtime/clock.hpp"
#include "tests/support/agent_bench.hpp"
#include "tests/support/stcp_stream.hpp"
#include "tests/support/tcp_peer.hpp"
#include "tests/support/test_batch.hpp"

namespace farlink::egress::egress_agent_test {
namespace {

using bus::AgentId;
using Json = nlohmann::json;

constexpr LinkId kLink{0};
constexpr LinkId kUnknown{77};
constexpr LinkId kRelayed{config::kFirstOpenedLink};
constexpr NodeNumber kNeighbour{2};
constexpr NodeNumber kCaller{5};

std::string text_of(const Bytes &octets) {
    return {octets.begin(), octets.end()};
}

/// Node 10 with an STCP outduct to node 2, whose port the test listens on.
class EgressAgentTest : public testing::Test {
protected:
    /// A link that closes waits for its peer.
    ~EgressAgentTest() override {
        peer_.close();
        listener_.close();
        bench_.stop();
    }

    void start() {
        bench_.start(agent_);
        ASSERT_TRUE(bench_.next<bus::ModuleReady>(AgentId::kSupervisor));
    }
    void start_contact(LinkId link, NodeNumber neighbour) {
        bus::ContactStart start;
        start.header = {1, ++events_};
        start.link = link;
        start.neighbour = neighbour;
        bench_.send(std::move(start));
    }
    [[nodiscard]] bool becomes(LinkId link, bool connected) {
        return bench_
            .next<bus::LinkStatus>(AgentId::kScheduler,
                                   [&](const auto &status) {
                                       return status.link == link && status.connected == connected;
                                   })
            .has_value();
    }
    /// The peer of the outduct, once it is connected.
    void connect() {
        start_contact(kLink, kNeighbour);
        ASSERT_TRUE(becomes(kLink, true));
        auto peer = listener_.accept();
        ASSERT_TRUE(peer);
        peer_ = std::move(*peer);
    }
    /// Ingress has opened a session to node 5, and a contact lets it go.
    void relay() {
        bench_.send(bus::SessionChange{kRelayed, kCaller, true, {'i'}});
        start_contact(kRelayed, kCaller);
        ASSERT_TRUE(becomes(kRelayed, true));
    }
    [[nodiscard]] BatchPtr batch_for(LinkId link, NodeNumber next_hop, std::size_t count = 1,
                                     std::size_t payload_bytes = 20) {
        std::vector<Bytes> bundles;
        for (; count > 0; --count) {
            test::TestBundle bundle;
            bundle.created_ms = read_wall_clock().dtn_ms;
            bundle.sequence = ++sequence_;
            bundle.payload_bytes = payload_bytes;
            bundles.push_back(bundle.octets());
        }
        BatchPtr batch = maker_.make(BatchOwner::kIngress, link, bundles);
        batch->next_hop = next_hop;
        for (BatchedBundle &bundle : batch->bundles) bundle.received = monotonic_now();
        return batch;
    }
    /// What became of the first bundle of the next batch that comes back; kPending: none came.
    [[nodiscard]] Outcome outcome() {
        const auto answer = bench_.next<bus::BatchOutcome>(AgentId::kIngress);
        return answer ? answer->batch->outcome_of(answer->batch->bundles.front())
                      : Outcome::kPending;
    }
    [[nodiscard]] std::string change(bus::LinkVerb verb, LinkId link, const Json &config = {}) {
        return bench_.change_link(verb, link, true, config);
    }
    [[nodiscard]] Json outduct(NodeNumber next_hop) const {
        return {{"url", "stcp://127.0.0.1:" + std::to_string(listener_.port())},
                {"nextHopNodeId", next_hop.value()}};
    }
    /// It handles everything that was sent before.
    void expect_alive() { EXPECT_EQ(change(bus::LinkVerb::kRemove, kUnknown), kNoSuchOutduct); }

    static constexpr const char *kNoSuchOutduct = "there is no outduct 77";

    test::TcpListener listener_;
    config::NodeConfig config_ = test::node_config(
        {{"myNodeId", 10}, {"outductsConfig", Json::array({outduct(kNeighbour)})}});
    test::BatchMaker maker_;
    test::AgentBench bench_{AgentId::kEgress};
    EgressAgent agent_{config_, bench_.context()};
    test::TcpPeer peer_;
    std::uint64_t sequence_ = 0;
    std::uint64_t events_ = 0;
};

TEST_F(EgressAgentTest, ItReportsItsLinksAndRequestsASnapshot) {
    start();
    const auto info = bench_.next<bus::LinkInfo>(AgentId::kTelemetry);
    ASSERT_TRUE(info);
    EXPECT_EQ(info->kind, bus::LinkKind::kOutduct);
    EXPECT_EQ(info->neighbour, kNeighbour);
    EXPECT_FALSE(info->connected);
    EXPECT_EQ(bench_.next<bus::SnapshotRequest>(AgentId::kScheduler)->from, AgentId::kEgress);
    bench_.send(bus::ModuleBack{AgentId::kTelemetry});
    EXPECT_EQ(bench_.next<bus::LinkInfo>(AgentId::kTelemetry)->link, info->link);
}

TEST_F(EgressAgentTest, BundlesLeaveByAConnectedLink) {
    start();
    connect();
    bench_.send(bus::ForwardBatch{batch_for(kLink, kNeighbour, 3)});
    EXPECT_EQ(outcome(), Outcome::kSent);
    Bytes stream;
    std::vector<Bytes> bundles;
    while (bundles.size() < 3 && !peer_.ended()) {
        append(stream, peer_.receive());
        for (Bytes &bundle : test::take_frames(stream)) bundles.push_back(std::move(bundle));
    }
    EXPECT_EQ(bundles.size(), 3U);
}

TEST_F(EgressAgentTest, BatchesForAnUnknownLinkComeBack) {
    start();
    start_contact(kUnknown, NodeNumber{9});
    bench_.send(bus::ForwardBatch{batch_for(kUnknown, NodeNumber{9})});
    EXPECT_EQ(outcome(), Outcome::kNotSent);
    BatchPtr release = batch_for(kUnknown, NodeNumber{9});
    release->owner = BatchOwner::kStorage;
    bench_.send(bus::ReleaseBatch{std::move(release)});
    const auto answer = bench_.next<bus::BatchOutcome>(AgentId::kStorage);
    ASSERT_TRUE(answer);
    EXPECT_EQ(answer->batch->outcome_of(answer->batch->bundles.front()), Outcome::kNotSent);
}

TEST_F(EgressAgentTest, BatchesForANeighbourThatTheLinkNoLongerLeadsToComeBack) {
    start();
    connect();
    bench_.send(bus::ForwardBatch{batch_for(kLink, NodeNumber{3})});
    EXPECT_EQ(outcome(), Outcome::kNotSent);
}

// A removed link may call back for a while. Before run() the agent is on this thread.
TEST_F(EgressAgentTest, ReportsOfAnUnknownLinkChangeNothingButCounters) {
    const cla::PeerIdentity peer{"ipn:9.0", "127.0.0.1"};
    const std::vector<std::uint64_t> more{1, 2, 3};
    agent_.on_ending(kUnknown, peer, "over");
    agent_.on_state(kUnknown, cla::LinkState::kConnected, cla::LinkFault::kNone);
    agent_.on_unreachable(kUnknown, "refused");
    agent_.on_deviation(kUnknown, peer, cla::ProtocolDeviation::kUnnumberedBlocks);
    agent_.on_counted(kUnknown, peer, more);
    agent_.on_datagrams_lost(kUnknown, 3);
    agent_.on_writable(kUnknown);
    start();
    bench_.send(bus::Stop{});
    const auto report = bench_.last_report();
    ASSERT_TRUE(report);
    const auto value = [&](EgressCounter counter, std::size_t at = 0) {
        return report->values.at(static_cast<std::size_t>(counter) + at);
    };
    EXPECT_EQ(value(EgressCounter::kDeparture,
                    static_cast<std::size_t>(cla::ProtocolDeviation::kUnnumberedBlocks)),
              1U);
    EXPECT_EQ(value(EgressCounter::kConnects), 0U);
    EXPECT_EQ(
        value(EgressCounter::kLinkFault, static_cast<std::size_t>(cla::LinkFault::kConnectFailed)),
        0U);
}

TEST_F(EgressAgentTest, BundlesThatASessionRefusesAreLogged) {
    testing::internal::CaptureStderr();
    agent_.on_bundles_refused(kUnknown, UpstreamId{5}, 4, true);
    const std::string lines = testing::internal::GetCapturedStderr();
    EXPECT_NE(lines.find("link 77: refused 4 bundles for lack of memory"), std::string::npos)
        << lines;
}

TEST_F(EgressAgentTest, ANeighbourThatCannotBeReachedIsReportedWithTheReason) {
    listener_.close();
    start();
    start_contact(kLink, kNeighbour);
    const auto info = bench_.next<bus::LinkInfo>(
        AgentId::kTelemetry, [](const auto &each) { return !each.reason.empty(); });
    ASSERT_TRUE(info);
    EXPECT_TRUE(text_of(info->reason).starts_with("cannot connect: ")) << text_of(info->reason);
    // The reason is repeated for a telemetry that has started again.
    bench_.send(bus::ModuleBack{AgentId::kTelemetry});
    EXPECT_EQ(bench_.next<bus::LinkInfo>(AgentId::kTelemetry)->reason, info->reason);
}

TEST_F(EgressAgentTest, AConnectionThatEndsTakesTheLinkDown) {
    start();
    connect();
    peer_.reset();
    listener_.close();
    EXPECT_TRUE(becomes(kLink, false));
    bench_.send(bus::ForwardBatch{batch_for(kLink, kNeighbour)});
    EXPECT_EQ(outcome(), Outcome::kNotSent);
}

TEST_F(EgressAgentTest, WhatWasNotBegunComesBackWhenTheNodeDrains) {
    start();
    connect();
    constexpr std::size_t kLarge = 8 * 1024 * 1024;
    constexpr std::size_t kBatches = 8;
    for (std::size_t i = 0; i < kBatches; ++i)
        bench_.send(bus::ForwardBatch{batch_for(kLink, kNeighbour, 1, kLarge)});
    expect_alive();
    bench_.send(bus::Stop{.drain = true});
    EXPECT_EQ(outcome(), Outcome::kNotSent) << "the peer reads nothing: only the first has begun";
    expect_alive();
    EXPECT_FALSE(bench_.ended());
    bench_.send(bus::Stop{});
    std::size_t back = 1;
    Bytes stream;
    while (!bench_.ended()) {
        (void)peer_.receive();
        if (peer_.ended()) peer_.close();
    }
    while (back < kBatches && outcome() != Outcome::kPending) ++back;
    EXPECT_EQ(back, kBatches);
    EXPECT_TRUE(bench_.last_report());
}

// ---- sessions that ingress hosts

TEST_F(EgressAgentTest, ASessionOfIngressIsLoggedWhoeverHasOpenedIt) {
    testing::internal::CaptureStderr();
    start();
    relay();
    bench_.send(bus::ForwardBatch{batch_for(kRelayed, kCaller, 1)});
    auto transmit = bench_.next<bus::TransmitBatch>(AgentId::kIngress);
    ASSERT_TRUE(transmit);
    bench_.send(test::with_outcome(std::move(transmit->batch), Outcome::kSent));
    EXPECT_EQ(outcome(), Outcome::kSent);
    const std::string logged = testing::internal::GetCapturedStderr();
    EXPECT_NE(logged.find("connected via a session at an induct of this node"), std::string::npos)
        << logged;
}

TEST_F(EgressAgentTest, ASessionOfIngressCarriesBundles) {
    start();
    relay();
    bench_.send(bus::ForwardBatch{batch_for(kRelayed, kCaller, 2)});
    auto transmit = bench_.next<bus::TransmitBatch>(AgentId::kIngress);
    ASSERT_TRUE(transmit);
    EXPECT_EQ(transmit->batch->link, kRelayed);
    EXPECT_EQ(transmit->batch->bundles.size(), 2U);
    bench_.send(test::with_outcome(std::move(transmit->batch), Outcome::kSent));
    EXPECT_EQ(outcome(), Outcome::kSent);
    EXPECT_EQ(change(bus::LinkVerb::kRemove, kRelayed),
              "outduct " + std::to_string(kRelayed.value()) +
                  " is a session that the neighbour has opened");
}

TEST_F(EgressAgentTest, ALostIngressTakesItsSessionsAlong) {
    start();
    relay();
    bench_.send(bus::ForwardBatch{batch_for(kRelayed, kCaller)});
    auto transmit = bench_.next<bus::TransmitBatch>(AgentId::kIngress);
    ASSERT_TRUE(transmit);
    bench_.send(bus::ModuleLost{AgentId::kIngress});
    bench_.send(test::with_outcome(std::move(transmit->batch), Outcome::kNotSent));
    EXPECT_TRUE(becomes(kRelayed, false));
    EXPECT_EQ(outcome(), Outcome::kNotSent);
    bench_.send(bus::ModuleBack{AgentId::kIngress});
    bench_.send(bus::SessionChange{kRelayed, kCaller, true, {'i'}});
    EXPECT_TRUE(becomes(kRelayed, true));
}

TEST_F(EgressAgentTest, CutsForASessionThatTheNeighbourHasOpened) {
    start();
    bench_.send(bus::SessionChange{kRelayed, kCaller, true, {'i'}, 1'000});
    start_contact(kRelayed, kCaller);
    const auto status = bench_.next<bus::LinkStatus>(
        AgentId::kScheduler, [](const auto &each) { return each.link == kRelayed; });
    ASSERT_TRUE(status);
    EXPECT_EQ(status->max_bundle_bytes, 1'000U);
    EXPECT_TRUE(status->fragments);
    bench_.send(bus::ForwardBatch{batch_for(kRelayed, kCaller, 1, 2'500)});
    auto transmit = bench_.next<bus::TransmitBatch>(AgentId::kIngress);
    ASSERT_TRUE(transmit);
    EXPECT_EQ(transmit->batch->bundles.size(), 3U);
    for (const BatchedBundle &each : transmit->batch->bundles) EXPECT_LE(each.size, 1'000U);
    bench_.send(test::with_outcome(std::move(transmit->batch), Outcome::kSent));
    EXPECT_EQ(outcome(), Outcome::kSent);
}

TEST_F(EgressAgentTest, DoesNotCutForASessionOfANeighbourWhoseOutductForbidsIt) {
    start();
    Json config = outduct(kCaller);
    config["fragment"] = false;
    ASSERT_EQ(change(bus::LinkVerb::kAdd, kUnknown, config), "");
    bench_.send(bus::SessionChange{kRelayed, kCaller, true, {'i'}, 1'000});
    start_contact(kRelayed, kCaller);
    const auto status = bench_.next<bus::LinkStatus>(
        AgentId::kScheduler, [](const auto &each) { return each.link == kRelayed; });
    ASSERT_TRUE(status);
    EXPECT_FALSE(status->fragments);
}

TEST_F(EgressAgentTest, ALostIngressOfAnotherInstanceChangesNothing) {
    start();
    relay();
    bench_.send(bus::ModuleLost{AgentId::kIngress2});
    bench_.send(bus::ForwardBatch{batch_for(kRelayed, kCaller)});
    auto transmit = bench_.next<bus::TransmitBatch>(AgentId::kIngress);
    ASSERT_TRUE(transmit);
    bench_.send(test::with_outcome(std::move(transmit->batch), Outcome::kSent));
    EXPECT_EQ(outcome(), Outcome::kSent);
}

TEST_F(EgressAgentTest, OrdersForAnUnknownSessionAreIgnored) {
    start();
    bench_.send(bus::UpstreamPause{UpstreamId{12}, true});
    bench_.send(bus::TransferDispositions{{{UpstreamId{12}, 0, 3, TransferDisposition::kSafe}}});
    BatchPtr returned = batch_for(kUnknown, kNeighbour);
    returned->owner = BatchOwner::kEgress;
    bench_.send(test::with_outcome(std::move(returned), Outcome::kSent));
    expect_alive();
}

// ---- changes of the operator

TEST_F(EgressAgentTest, LinksAreAddedAndRemoved) {
    start();
    const LinkId added{4};
    EXPECT_EQ(change(bus::LinkVerb::kAdd, kLink, outduct(kNeighbour)), "outduct 0 already exists");
    EXPECT_EQ(change(bus::LinkVerb::kChange, added, outduct(kNeighbour)), "there is no outduct 4");
    EXPECT_NE(change(bus::LinkVerb::kAdd, added, {{"url", "stcp://127.0.0.1:1"}}), "");
    EXPECT_EQ(change(bus::LinkVerb::kAdd, added, outduct(NodeNumber{3})), "");
    start_contact(added, NodeNumber{3});
    EXPECT_TRUE(becomes(added, true));
    EXPECT_EQ(change(bus::LinkVerb::kRemove, added), "");
    EXPECT_TRUE(bench_.next<bus::LinkStatus>(AgentId::kScheduler, [&](const auto &status) {
        return status.link == added && status.removed;
    }));
}

TEST_F(EgressAgentTest, ARestartedSupervisorFindsTheConfiguredLinks) {
    start();
    const LinkId added{4};
    EXPECT_EQ(change(bus::LinkVerb::kAdd, added, outduct(NodeNumber{3})), "");
    EXPECT_EQ(change(bus::LinkVerb::kRemove, kLink), "");
    bench_.send(bus::ModuleBack{AgentId::kSupervisor});
    EXPECT_TRUE(bench_.next<bus::ModuleReady>(AgentId::kSupervisor));
    EXPECT_TRUE(bench_.next<bus::LinkInfo>(
        AgentId::kTelemetry, [&](const auto &info) { return info.link == added && info.removed; }));
    EXPECT_EQ(change(bus::LinkVerb::kRemove, added), "there is no outduct 4");
    EXPECT_EQ(change(bus::LinkVerb::kAdd, kLink, outduct(kNeighbour)), "outduct 0 already exists");
}

TEST_F(EgressAgentTest, WhileTheNodeStopsNoLinkIsRestored) {
    start();
    EXPECT_EQ(change(bus::LinkVerb::kRemove, kLink), "");
    relay();
    bench_.send(bus::ForwardBatch{batch_for(kRelayed, kCaller)});
    auto transmit = bench_.next<bus::TransmitBatch>(AgentId::kIngress);
    ASSERT_TRUE(transmit);
    bench_.send(bus::Stop{});
    bench_.send(bus::ModuleBack{AgentId::kSupervisor});
    EXPECT_TRUE(bench_.next<bus::ModuleReady>(AgentId::kSupervisor));
    EXPECT_EQ(change(bus::LinkVerb::kRemove, kLink), "there is no outduct 0");
    EXPECT_FALSE(bench_.ended()) << "a bundle is on its way";
    bench_.send(test::with_outcome(std::move(transmit->batch), Outcome::kSent));
    EXPECT_EQ(outcome(), Outcome::kSent);
    EXPECT_TRUE(bench_.last_report());
}

}  // namespace
}  // namespace farlink::egress::egress_agent_test
