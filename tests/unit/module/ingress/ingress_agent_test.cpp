// SPDX-License-Identifier: Apache-2.0
#include "module/ingress/ingress_agent.hpp"

#include <gtest/gtest.h>

#include <poll.h>

#include "common/config/node/link_placement.hpp"
#include "common/runtime/clock.hpp"
#include "tests/support/agent_bench.hpp"
#include "tests/support/hand_made.hpp"
#include "tests/support/stcp_stream.hpp"
#include "tests/support/tcp_peer.hpp"
#include "tests/support/tcpclv4_stream.hpp"
#include "tests/support/test_batch.hpp"

namespace farlink::ingress::ingress_agent_test {
namespace {

using bus::AgentId;
using Json = nlohmann::json;

constexpr LinkId kUnknown{77};
constexpr NodeNumber kNeighbour{2};
constexpr UpstreamId kHostedByEgress{0x80000001U};

/// Node 10 with an STCP induct, by which the test sends bundles for node 2.
class IngressAgentTest : public testing::Test {
protected:
    /// A session that ends waits for its peer.
    ~IngressAgentTest() override {
        peer_.close();
        bench_.stop();
    }

    void start(Duration stalled_after = Upstreams::kStalledAfter) {
        agent_.emplace(config_, bench_.context(), AgentId::kIngress, stalled_after);
        bench_.start(*agent_);
    }
    /// Storage has opened its store, and the inducts listen.
    void open() {
        start();
        bench_.send(bus::StorageReady{});
        const auto ready = bench_.next<bus::ModuleReady>(AgentId::kSupervisor);
        ASSERT_TRUE(ready);
        EXPECT_FALSE(ready->failed);
        port_ = ready->ports.front();
    }
    void open_with_link() {
        open();
        bench_.set_link(link(), kNeighbour, {kNeighbour});
        expect_alive();
        peer_ = test::TcpPeer::connect(port_);
    }
    [[nodiscard]] Bytes bundle(std::size_t payload_bytes = 20) {
        test::TestBundle made;
        made.created_ms = read_wall_clock().dtn_ms;
        made.sequence = ++sequence_;
        made.payload_bytes = payload_bytes;
        return made.octets();
    }
    void send_bundles(std::size_t count) {
        Bytes stream;
        for (; count > 0; --count) test::append_frame(stream, bundle());
        EXPECT_EQ(peer_.send(stream), stream.size());
    }
    [[nodiscard]] BatchPtr forwarded() {
        auto forward = bench_.next<bus::ForwardBatch>(AgentId::kEgress);
        return forward ? std::move(forward->batch) : nullptr;
    }
    [[nodiscard]] BatchPtr to_store() {
        auto store = bench_.next<bus::StoreBatch>(AgentId::kStorage);
        return store ? std::move(store->batch) : nullptr;
    }
    void answer(BatchPtr batch, Outcome outcome) {
        ASSERT_TRUE(batch);
        bench_.send(test::with_outcome(std::move(batch), outcome));
    }
    /// Storage has no room: a bundle is refused to its sender at the second time.
    void refuse_for_good() {
        answer(to_store(), Outcome::kNoSpace);
        answer(to_store(), Outcome::kNoSpace);
    }
    [[nodiscard]] std::string change(bus::LinkVerb verb, LinkId link, const Json &config = {}) {
        return bench_.change_link(verb, link, false, config);
    }
    /// It handles everything that was sent before.
    void expect_alive() {
        EXPECT_EQ(change(bus::LinkVerb::kRemove, kUnknown), "there is no induct 77");
    }
    /// Egress hosts a session that acknowledges, and one bundle has come by it.
    void arrive_from_egress() {
        bench_.send(bus::UpstreamChange{kHostedByEgress, link(), true, true, 0});
        BatchPtr batch = maker_.make(BatchOwner::kEgress, kNoLink, {bundle()});
        batch->upstream = kHostedByEgress;
        batch->bundles.front() = {.size = batch->bundles.front().size, .slice_count = 1};
        bench_.send(bus::ArrivedBatch{std::move(batch)});
    }
    [[nodiscard]] std::optional<bus::DispositionRun> disposition() {
        const auto runs = bench_.next<bus::TransferDispositions>(AgentId::kEgress);
        return runs ? std::optional(runs->runs.front()) : std::nullopt;
    }

    static config::NodeConfig configured(const Json &induct) {
        return test::node_config(
            {{"myNodeId", 10},
             {"maxPauseMilliseconds", 20},
             {"inductsConfig", Json::array({induct})},
             {"outductsConfig", Json::array({{{"url", "stcp://127.0.0.1:1"},
                                              {"nextHopNodeId", kNeighbour.value()}}})}});
    }

    [[nodiscard]] LinkId link() const { return config_.outducts.front().id; }

    config::NodeConfig config_ = configured({{"url", "stcp://127.0.0.1:0"}});
    test::BatchMaker maker_;
    test::AgentBench bench_{AgentId::kIngress};
    std::optional<IngressAgent> agent_;
    test::TcpPeer peer_;
    std::uint16_t port_ = 0;
    std::uint64_t sequence_ = 0;
};

// ---- start

TEST_F(IngressAgentTest, InductsAreOpenedOnceTheStoreIs) {
    start();
    EXPECT_EQ(change(bus::LinkVerb::kRemove, LinkId{0}), "the node is starting or stopping");
    bench_.send(bus::StorageReady{});
    const auto ready = bench_.next<bus::ModuleReady>(AgentId::kSupervisor);
    ASSERT_TRUE(ready);
    ASSERT_EQ(ready->ports.size(), 1U);
    EXPECT_NE(ready->ports[0], 0U);
    const auto info = bench_.next<bus::LinkInfo>(AgentId::kTelemetry);
    ASSERT_TRUE(info);
    EXPECT_EQ(info->kind, bus::LinkKind::kInduct);
    EXPECT_TRUE(info->connected) << "it listens";
    for (const AgentId publisher : {AgentId::kScheduler, AgentId::kRouter})
        EXPECT_EQ(bench_.next<bus::SnapshotRequest>(publisher)->from, AgentId::kIngress);
    // A storage that has started again reports that, too.
    bench_.send(bus::StorageReady{});
    expect_alive();
}

TEST_F(IngressAgentTest, AnInductThatCannotListenFailsTheStart) {
    const test::TcpListener taken;
    config_.inducts.front().url.port = taken.port();
    start();
    bench_.send(bus::StorageReady{});
    const auto ready = bench_.next<bus::ModuleReady>(AgentId::kSupervisor);
    ASSERT_TRUE(ready);
    EXPECT_TRUE(ready->failed);
    EXPECT_FALSE(bench_.next<bus::LinkInfo>(AgentId::kTelemetry)->connected);
}

// Also one that the operator adds meanwhile.
TEST_F(IngressAgentTest, InductsWithoutAcknowledgementsListenOnceTheReserveIsThere) {
    start();
    bench_.send(bus::StorageReserve{0});
    bench_.send(bus::StorageReady{});
    const auto ready = bench_.next<bus::ModuleReady>(AgentId::kSupervisor);
    ASSERT_TRUE(ready);
    EXPECT_FALSE(ready->failed);
    ASSERT_NE(ready->ports[0], 0U);
    EXPECT_EQ(ready->waiting, std::vector<std::uint16_t>{0});
    const auto info = bench_.next<bus::LinkInfo>(AgentId::kTelemetry);
    ASSERT_TRUE(info);
    EXPECT_FALSE(info->connected);
    EXPECT_TRUE(as_text(info->reason).starts_with("does not listen until the reserve"));
    EXPECT_THROW((void)test::TcpPeer::connect(ready->ports[0]), std::runtime_error);
    EXPECT_EQ(change(bus::LinkVerb::kAdd, LinkId{4}, {{"url", "stcp://127.0.0.1:0"}}), "");
    testing::internal::CaptureStderr();
    bench_.send(bus::StorageReserve{1 << 20});
    for (int inducts = 0; inducts < 2; ++inducts)
        EXPECT_TRUE(bench_.next<bus::LinkInfo>(AgentId::kTelemetry,
                                               [](const auto &each) { return each.connected; }));
    peer_ = test::TcpPeer::connect(ready->ports[0]);
    send_bundles(1);
    EXPECT_TRUE(to_store());
    const std::string log = testing::internal::GetCapturedStderr();
    EXPECT_TRUE(log.contains(
        "link 0: listens on stcp://127.0.0.1:" + std::to_string(ready->ports[0]) + " now"))
        << log;
}

TEST_F(IngressAgentTest, AStopBeforeTheStoreIsOpenEndsIt) {
    start();
    bench_.send(bus::Stop{});
    EXPECT_TRUE(bench_.last_report());
}

// ---- bundles

TEST_F(IngressAgentTest, BundlesWithALinkGoToEgress) {
    open_with_link();
    send_bundles(2);
    std::size_t bundles = 0;
    while (bundles < 2) {
        BatchPtr batch = forwarded();
        ASSERT_TRUE(batch);
        EXPECT_EQ(batch->link, link());
        EXPECT_EQ(batch->next_hop, kNeighbour);
        bundles += batch->bundles.size();
        answer(std::move(batch), Outcome::kSent);
    }
    bench_.send(bus::Stop{});
    const auto report = bench_.last_report();
    ASSERT_TRUE(report);
    EXPECT_EQ(report->values.at(static_cast<std::size_t>(IngressCounter::kReceived)), 2U);
    EXPECT_EQ(report->values.at(static_cast<std::size_t>(IngressCounter::kInFlight)), 0U);
}

TEST_F(IngressAgentTest, BundlesWithoutALinkGoToStorage) {
    open();
    // The route names a link that the scheduler has not named.
    bench_.set_routes(kUnknown, kNeighbour, {kNeighbour}, false);
    expect_alive();
    peer_ = test::TcpPeer::connect(port_);
    send_bundles(1);
    answer(to_store(), Outcome::kStored);
    bench_.send(bus::Stop{});
    EXPECT_TRUE(bench_.last_report());
}

TEST_F(IngressAgentTest, WhatEgressReturnsGoesToStorage) {
    open_with_link();
    send_bundles(1);
    answer(forwarded(), Outcome::kNotSent);
    answer(to_store(), Outcome::kStored);
}

// The peer is held back for the time that the configuration allows, then what waits is stored.
TEST_F(IngressAgentTest, BehindAFullWindowBundlesGoToStorage) {
    config_.outducts.front().max_in_flight_bundles = 1;
    open_with_link();
    send_bundles(1);
    BatchPtr first = forwarded();
    ASSERT_TRUE(first);
    send_bundles(3);
    std::size_t stored = 0;
    while (stored < 3) {
        BatchPtr batch = to_store();
        ASSERT_TRUE(batch);
        stored += batch->bundles.size();
        answer(std::move(batch), Outcome::kStored);
    }
    answer(std::move(first), Outcome::kSent);
    bench_.send(bus::Stop{});
    EXPECT_TRUE(bench_.last_report());
}

TEST_F(IngressAgentTest, ARefusalOfStorageIsOfferedAgain) {
    open();
    peer_ = test::TcpPeer::connect(port_);
    send_bundles(1);
    BatchPtr batch = to_store();
    ASSERT_TRUE(batch);
    const Bytes octets(batch->slices.front().begin(), batch->slices.front().end());
    answer(std::move(batch), Outcome::kNoSpace);
    batch = to_store();
    ASSERT_TRUE(batch);
    EXPECT_TRUE(batch->resumes);
    EXPECT_TRUE(batch->retried);
    EXPECT_TRUE(std::ranges::equal(batch->slices.front(), octets));
    answer(std::move(batch), Outcome::kStored);
}

// ---- modules that are lost and come back

TEST_F(IngressAgentTest, WithoutEgressBundlesGoToStorage) {
    open_with_link();
    send_bundles(1);
    BatchPtr lent = forwarded();
    bench_.send(bus::ModuleLost{AgentId::kEgress});
    answer(std::move(lent), Outcome::kNotSent);
    answer(to_store(), Outcome::kStored);
    send_bundles(1);
    answer(to_store(), Outcome::kStored);
}

TEST_F(IngressAgentTest, WithoutStorageBundlesAreKeptUntilItIsBack) {
    open();
    peer_ = test::TcpPeer::connect(port_);
    send_bundles(1);
    BatchPtr batch = to_store();
    bench_.send(bus::ModuleLost{AgentId::kStorage});
    answer(std::move(batch), Outcome::kNotSent);
    bench_.send(bus::ModuleBack{AgentId::kStorage});
    bench_.send(bus::StorageReady{});
    answer(to_store(), Outcome::kStored);
}

TEST_F(IngressAgentTest, ARestartedModuleGetsTheStateAnew) {
    open();
    ASSERT_TRUE(bench_.next<bus::LinkInfo>(AgentId::kTelemetry));
    EXPECT_EQ(change(bus::LinkVerb::kAdd, LinkId{4}, {{"url", "stcp://127.0.0.1:0"}}), "");
    EXPECT_EQ(bench_.next<bus::LinkInfo>(AgentId::kTelemetry)->link, LinkId{4});
    bench_.send(bus::ModuleBack{AgentId::kTelemetry});
    EXPECT_EQ(bench_.next<bus::LinkInfo>(AgentId::kTelemetry)->link, config_.inducts[0].id);
    EXPECT_EQ(bench_.next<bus::LinkInfo>(AgentId::kTelemetry)->link, LinkId{4});
    bench_.send(bus::ModuleBack{AgentId::kSupervisor});
    EXPECT_EQ(bench_.next<bus::ModuleReady>(AgentId::kSupervisor)->ports.front(), port_);
    EXPECT_TRUE(bench_.next<bus::LinkInfo>(AgentId::kTelemetry, [](const auto &info) {
        return info.link == LinkId{4} && info.removed;
    })) << "changes are undone, until the supervisor sends them again";
}

// ---- the stop

TEST_F(IngressAgentTest, AStopWaitsForWhatIsLentAndStoresTheRest) {
    open_with_link();
    send_bundles(1);
    BatchPtr lent = forwarded();
    ASSERT_TRUE(lent);
    bench_.send(bus::Stop{});
    EXPECT_EQ(change(bus::LinkVerb::kRemove, LinkId{0}), "the node is starting or stopping");
    bench_.send(bus::ModuleBack{AgentId::kSupervisor});
    EXPECT_TRUE(bench_.next<bus::ModuleReady>(AgentId::kSupervisor));
    EXPECT_FALSE(bench_.ended());
    answer(std::move(lent), Outcome::kNotSent);
    BatchPtr rest = to_store();
    EXPECT_FALSE(bench_.ended());
    answer(std::move(rest), Outcome::kStored);
    EXPECT_TRUE(bench_.last_report());
}

// ---- sessions that egress hosts, and links that ingress carries

TEST_F(IngressAgentTest, BundlesOfSessionsOfEgressAreAcknowledgedThere) {
    open();
    arrive_from_egress();
    answer(to_store(), Outcome::kStored);
    EXPECT_TRUE(bench_.next<bus::BatchOutcome>(AgentId::kEgress)) << "the octets go back";
    const auto safe = disposition();
    ASSERT_TRUE(safe);
    EXPECT_EQ(safe->upstream, kHostedByEgress);
    EXPECT_EQ(safe->count, 1U);
    EXPECT_EQ(safe->disposition, TransferDisposition::kSafe);
}

TEST_F(IngressAgentTest, BundlesOfSessionsOfEgressAreRefusedThere) {
    open();
    arrive_from_egress();
    refuse_for_good();
    EXPECT_TRUE(bench_.next<bus::BatchOutcome>(AgentId::kEgress)) << "the octets go back";
    const auto refused = disposition();
    ASSERT_TRUE(refused);
    EXPECT_EQ(refused->disposition, TransferDisposition::kNoResources);
}

TEST_F(IngressAgentTest, OrdersForALinkThatNoSessionCarriesComeBack) {
    open();
    const LinkId gone{config::kFirstOpenedLink};
    bench_.send(bus::LinkPace{gone, BitRate{1000}});
    bench_.send(bus::SessionChange{gone, kNeighbour, false, {}});
    bench_.send(bus::UpstreamChange{kHostedByEgress, kUnknown, false, false, 0});
    BatchPtr batch = maker_.make(BatchOwner::kEgress, gone, {bundle()});
    bench_.send(bus::TransmitBatch{std::move(batch)});
    const auto back = bench_.next<bus::BatchOutcome>(AgentId::kEgress);
    ASSERT_TRUE(back);
    EXPECT_EQ(back->batch->outcome_of(back->batch->bundles.front()), Outcome::kNotSent);
}

// Before run() the agent is on this thread.
TEST_F(IngressAgentTest, ReportsOfAnUnknownLinkChangeNothingButCounters) {
    agent_.emplace(config_, bench_.context());
    const cla::PeerIdentity peer{"ipn:9.0", "127.0.0.1"};
    const std::vector<std::uint64_t> more{1, 2, 3};
    EXPECT_FALSE(agent_->knows(kUnknown, peer));
    agent_->on_ending(kUnknown, peer, std::string(1000, 'x'));
    agent_->on_upstream_closed(kUnknown, UpstreamId{5}, cla::LinkFault::kIdleTimeout);
    agent_->on_deviation(kUnknown, peer, cla::ProtocolDeviation::kUnnumberedBlocks);
    agent_->on_counted(kUnknown, peer, more);
    agent_->on_datagrams_lost(kUnknown, 3);
    agent_->on_too_large(kUnknown, 2);
    agent_->on_bundles_refused(kUnknown, UpstreamId{5}, 4, true);
    agent_->on_state(LinkId{config::kFirstOpenedLink}, cla::LinkState::kConnecting,
                     cla::LinkFault::kIdleTimeout);
    bench_.start(*agent_);
    bench_.send(bus::Stop{});
    const auto report = bench_.last_report();
    ASSERT_TRUE(report);
    const auto value = [&](IngressCounter counter, std::size_t at = 0) {
        return report->values.at(static_cast<std::size_t>(counter) + at);
    };
    EXPECT_EQ(value(IngressCounter::kDatagramsLost), 3U);
    EXPECT_EQ(value(IngressCounter::kRefusedUnread), 4U);
    EXPECT_EQ(
        value(IngressCounter::kLinkFault, static_cast<std::size_t>(cla::LinkFault::kFrameTooLarge)),
        2U);
    EXPECT_EQ(
        value(IngressCounter::kLinkFault, static_cast<std::size_t>(cla::LinkFault::kIdleTimeout)),
        2U);
    EXPECT_EQ(value(IngressCounter::kDeparture,
                    static_cast<std::size_t>(cla::ProtocolDeviation::kUnnumberedBlocks)),
              1U);
}

// ---- changes of the operator

TEST_F(IngressAgentTest, InductsAreAddedChangedAndRemoved) {
    open();
    const Json any_port{{"url", "stcp://127.0.0.1:0"}};
    const LinkId added{4};
    EXPECT_EQ(change(bus::LinkVerb::kAdd, config_.inducts[0].id, any_port),
              "induct " + std::to_string(config_.inducts[0].id.value()) + " already exists");
    EXPECT_EQ(change(bus::LinkVerb::kChange, added, any_port), "there is no induct 4");
    EXPECT_NE(change(bus::LinkVerb::kAdd, added, {{"url", "nothing"}}), "");
    const test::TcpListener taken;
    const Json same_port{{"url", "stcp://127.0.0.1:" + std::to_string(taken.port())}};
    EXPECT_NE(change(bus::LinkVerb::kAdd, added, same_port), "");
    EXPECT_EQ(change(bus::LinkVerb::kAdd, added, any_port), "");
    EXPECT_NE(change(bus::LinkVerb::kChange, added, same_port), "") << "the old one stays";
    EXPECT_EQ(change(bus::LinkVerb::kRemove, added), "");
}

// ---- peers that do not support refusals

/// Waits for a refusal of TCPCLv4; false: the session ends without one.
bool is_refused(test::TcpPeer &peer) {
    constexpr int kPatienceMs = 10'000;
    test::Tcpclv4Stream stream;
    while (!peer.ended()) {
        pollfd polled{peer.fd(), POLLIN, 0};
        if (::poll(&polled, 1, kPatienceMs) <= 0) return false;
        const Bytes octets = peer.receive();
        for (ByteView rest(octets); !rest.empty();) {
            const auto taken = stream.take(rest);
            rest = rest.subspan(taken.octets);
            if (taken.complete && stream.type() == cla::tcpclv4::MessageType::kXferRefuse)
                return true;
        }
    }
    return false;
}

// Its advice must be in the log of a node whose log has no more than warnings.
TEST_F(IngressAgentTest, AnUnprovedSessionIsAWarningOfTheLog) {
    config_ = configured({{"url", "tcpclv4://127.0.0.1:0"}});
    open();
    testing::internal::CaptureStderr();
    peer_ = test::TcpPeer::connect(port_);
    EXPECT_GT(peer_.send(test::v4::opening()), 0U);
    EXPECT_TRUE(bench_.next<bus::LinkInfo>(AgentId::kTelemetry, [](const auto &each) {
        return each.kind == bus::LinkKind::kSession;
    }));
    const std::string log = testing::internal::GetCapturedStderr();
    EXPECT_TRUE(log.contains(" warning ingress: link 1090519040: a peer at 127.0.0.1 ")) << log;
}

TEST_F(IngressAgentTest, APeerThatStandsStillAfterRefusalsIsNamedWithWhatToDo) {
    config_ = configured({{"url", "tcpclv4://127.0.0.1:0"}, {"onNoResources", "refuse"}});
    start(Duration::zero());
    bench_.send(bus::StorageReady{});
    port_ = bench_.next<bus::ModuleReady>(AgentId::kSupervisor)->ports.front();
    testing::internal::CaptureStderr();
    peer_ = test::TcpPeer::connect(port_);
    const Bytes octets = bundle();
    Bytes session = test::v4::opening();
    append(session, test::v4::segment_head(3, 0, octets.size()));
    append(session, octets);
    EXPECT_EQ(peer_.send(session), session.size());
    refuse_for_good();
    EXPECT_TRUE(is_refused(peer_));
    // At the next full second ingress looks for such peers, and then reports its counters.
    const auto second = [] {
        return std::chrono::floor<seconds>(monotonic_now().time_since_epoch());
    };
    const auto refused = second();
    while (second() == refused && bench_.next<bus::CounterReport>(AgentId::kTelemetry)) {
    }
    EXPECT_TRUE(bench_.next<bus::CounterReport>(AgentId::kTelemetry));
    const std::string log = testing::internal::GetCapturedStderr();
    EXPECT_NE(
        log.find("a peer stopped sending after this node refused 1 bundle for lack of storage"),
        std::string::npos)
        << log;
    EXPECT_NE(log.find("set `onNoResources` of this induct to `pause` or `disconnect`"),
              std::string::npos)
        << log;
}

}  // namespace
}  // namespace farlink::ingress::ingress_agent_test
