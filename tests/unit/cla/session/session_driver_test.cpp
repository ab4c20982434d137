// SPDX-License-Identifier: Apache-2.0
#include "cla/session/session_driver.hpp"

#include "tests/unit/cla/session/session_fixture.hpp"

namespace farlink::cla::session_driver_test {
namespace {

using test::FrameCore;
using test::octets_of;
using test::TcpPeer;

class SessionDriverTest : public SessionTest {
protected:
    /// A peer driven by hand that has greeted the induct.
    [[nodiscard]] TcpPeer greet() {
        TcpPeer peer = TcpPeer::connect(induct->port());
        peer.send(FrameCore::message('H', as_bytes("ipn:7.0")));
        EXPECT_TRUE(until([&] { return server.open_upstreams() == 1; }));
        return peer;
    }
    /// Reads until `size` octets are here.
    [[nodiscard]] Bytes read(TcpPeer &peer, std::size_t size) {
        Bytes octets;
        EXPECT_TRUE(until([&] {
            append(octets, peer.receive());
            return octets.size() >= size || peer.ended();
        }));
        return octets;
    }
    const Bytes greeting = FrameCore::message('H', as_bytes("ipn:1.0"));
};

TEST_F(SessionDriverTest, CarriesBundlesBothWaysOnOneConnection) {
    listen();
    connect();
    ASSERT_TRUE(connected());
    Outduct *back = induct->attach(at_server(), kBack);
    ASSERT_NE(back, nullptr);
    EXPECT_EQ(server.upstreams.at(at_server()).peer.node_id, "ipn:2.0");
    EXPECT_EQ(server.upstreams.at(at_server()).peer.address, "127.0.0.1");

    constexpr std::size_t kCount = 500;
    constexpr std::size_t kBytes = 10'000;
    ASSERT_TRUE(until([&] {
        send_some(client, *outduct, kCount, kBytes);
        send_some(server, *back, kCount, kBytes);
        return client.transmitted == kCount && server.transmitted == kCount;
    }));
    expect_bundles(server.upstreams.begin()->second.bundles, kCount, kBytes);
    expect_bundles(client.upstreams.begin()->second.bundles, kCount, kBytes);
    EXPECT_EQ(client.upstreams.begin()->second.link, kOut);
    EXPECT_EQ(client.upstreams.begin()->second.peer.node_id, "ipn:1.0");
    EXPECT_EQ(bench.pool.pinned_bytes(), 0U) << "idle sessions hold no memory";
}

TEST_F(SessionDriverTest, AnswersOfOneReadLeaveInOneWrite) {
    listen();
    TcpPeer peer = greet();
    ASSERT_EQ(read(peer, greeting.size()), greeting);
    Bytes stream;
    for (std::size_t i = 0; i < 50; ++i) append(stream, FrameCore::message('B', octets_of(100, i)));
    peer.send(stream);
    ASSERT_TRUE(until([&] { return server.received() == 50; }));
    EXPECT_EQ(peer.receive().size(), 50 * FrameCore::kHead);
}

TEST_F(SessionDriverTest, AnswersWaitForTheHostAndKeepTheOrder) {
    server.acknowledge_at_once = false;
    listen();
    TcpPeer peer = greet();
    ASSERT_EQ(read(peer, greeting.size()), greeting);
    for (std::size_t i = 0; i < 3; ++i) peer.send(FrameCore::message('B', octets_of(100, i)));
    ASSERT_TRUE(until([&] { return server.received() == 3; }));
    bench.run_idle();
    EXPECT_TRUE(peer.receive().empty());

    induct->acknowledge(at_server(), 1, 1, TransferDisposition::kNoResources);
    induct->acknowledge(at_server(), 2, 1, TransferDisposition::kSafe);
    induct->flush_acknowledgements();
    bench.run_idle();
    EXPECT_TRUE(peer.receive().empty()) << "the first one has no disposition";
    induct->acknowledge(at_server(), 0, 1, TransferDisposition::kSafe);
    induct->acknowledge(UpstreamId{77}, 0, 1, TransferDisposition::kSafe);
    EXPECT_TRUE(peer.receive().empty()) << "written by flush_acknowledgements()";
    induct->flush_acknowledgements();
    const Bytes answers = read(peer, 3 * FrameCore::kHead);
    EXPECT_EQ(answers[0], 'A');
    EXPECT_EQ(answers[5], 'R');
    EXPECT_EQ(answers[10], 'A');
}

TEST_F(SessionDriverTest, TellsOfRefusals) {
    server.answer = TransferDisposition::kNoResources;
    listen();
    connect();
    ASSERT_TRUE(connected());
    send_some(client, *outduct, 3, 100);
    EXPECT_TRUE(until([&] { return client.transmitted == 3; }));
    EXPECT_EQ(client.refused, (std::vector<std::uint64_t>{0, 1, 2}));
}

TEST_F(SessionDriverTest, HoldsAPeerByNotReading) {
    listen();
    connect();
    ASSERT_TRUE(connected());
    induct->pause(at_server(), true);
    constexpr std::size_t kCount = 400;
    constexpr std::size_t kBytes = 100'000;
    for (int idle = 0; idle < 3; ++idle) {
        send_some(client, *outduct, kCount, kBytes);
        bench.run_idle();
    }
    EXPECT_LT(client.next_token, kCount) << "there is no credit";
    EXPECT_EQ(server.received(), 0U);
    induct->pause(at_server(), false);
    client.when_writable = [&] { send_some(client, *outduct, kCount, kBytes); };
    send_some(client, *outduct, kCount, kBytes);
    ASSERT_TRUE(until([&] { return client.transmitted == kCount; }));
    expect_bundles(server.upstreams.begin()->second.bundles, kCount, kBytes);
    EXPECT_GT(client.writable, 0U);
}

TEST_F(SessionDriverTest, UnderstandsAPeerOfOneOctetAtATime) {
    listen();
    TcpPeer peer = TcpPeer::connect(induct->port());
    Bytes stream = FrameCore::message('H', as_bytes("ipn:7.0"));
    append(stream, FrameCore::message('B', octets_of(200, 0)));
    for (const std::uint8_t octet : stream) {
        peer.send({&octet, 1});
        bench.io.restart();
        bench.io.run_one_for(milliseconds(5));
        bench.io.poll();
    }
    ASSERT_TRUE(until([&] { return server.received() == 1; }));
    expect_bundles(server.upstreams.at(at_server()).bundles, 1, 200);
}

TEST_F(SessionDriverTest, SaysWhyAndLetsThePeerReadIt) {
    listen();
    TcpPeer peer = greet();
    ASSERT_EQ(read(peer, greeting.size()), greeting);
    peer.send(FrameCore::message('B', octets_of(100, 0)));
    peer.send(FrameCore::message('T', {}));
    ASSERT_TRUE(until([&] { return server.open_upstreams() == 0; }));
    EXPECT_EQ(server.upstreams.at(at_server()).closed, LinkFault::kPeerTerminated);
    peer.send(octets_of(100, 1));  // too late, and no reason for a reset
    bench.run_idle();
    const Bytes answers = read(peer, 2 * FrameCore::kHead);
    ASSERT_EQ(answers.size(), 2 * FrameCore::kHead);
    EXPECT_EQ(answers[0], 'A');
    EXPECT_EQ(answers[5], 'T');
    EXPECT_TRUE(until([&] { return peer.receive().empty() && peer.ended(); }));
}

TEST_F(SessionDriverTest, EndsASessionThatHasBeenIdle) {
    in.idle_timeout_s = 1;
    listen();
    TcpPeer peer = greet();
    peer.send(FrameCore::message('B', octets_of(100, 0)));
    const TimePoint begin = monotonic_now();
    const std::size_t expected = greeting.size() + 2 * FrameCore::kHead;
    const Bytes octets = read(peer, expected);
    ASSERT_EQ(octets.size(), expected);
    EXPECT_EQ(octets[expected - FrameCore::kHead], 'T');
    EXPECT_GE(monotonic_now() - begin, milliseconds(990));
    peer.send(FrameCore::message('T', {}));
    ASSERT_TRUE(until([&] { return server.open_upstreams() == 0; }));
    EXPECT_EQ(server.upstreams.at(at_server()).closed, LinkFault::kIdleTimeout);
}

TEST_F(SessionDriverTest, EndsTheSessionOfAStrangerThatBringsNothing) {
    server.knows_only = "127.0.0.9";
    in.stranger_idle_timeout_s = 1;
    listen();
    const TcpPeer of_use = greet();
    of_use.send(FrameCore::message('B', octets_of(100, 0)));
    ASSERT_TRUE(until([&] { return server.received() == 1; }));
    const TcpPeer neighbour = TcpPeer::connect(induct->port(), 9);
    neighbour.send(FrameCore::message('H', as_bytes("ipn:8.0")));
    ASSERT_TRUE(until([&] { return server.open_upstreams() == 2; }));
    TcpPeer silent = TcpPeer::connect(induct->port());
    silent.send(FrameCore::message('H', as_bytes("ipn:9.0")));
    const std::size_t expected = greeting.size() + FrameCore::kHead;
    const Bytes octets = read(silent, expected);
    ASSERT_EQ(octets.size(), expected);
    EXPECT_EQ(octets[greeting.size()], 'T');
    silent.send(FrameCore::message('T', {}));
    ASSERT_TRUE(
        until([&] { return server.upstreams.size() == 3 && server.open_upstreams() == 2; }));
    EXPECT_EQ(server.upstreams.rbegin()->second.closed, LinkFault::kIdleTimeout);
}

TEST_F(SessionDriverTest, EndsASessionThatStopsInTheMiddleOfABundle) {
    tune_passive = [](SessionConfig &config) { config.transfer_limit = milliseconds(20); };
    listen();
    const TcpPeer peer = greet();
    peer.send(ByteView(FrameCore::message('B', octets_of(10'000, 0))).first(5'000));
    ASSERT_TRUE(until([&] { return server.open_upstreams() == 0; }));
    EXPECT_EQ(server.upstreams.at(at_server()).closed, LinkFault::kTransferStalled);
    EXPECT_EQ(bench.pool.pinned_bytes(), 0U);
}

TEST_F(SessionDriverTest, SendsNoFasterThanItsRate) {
    listen();
    out.rate_limit = BitRate{80'000'000};
    connect();
    ASSERT_TRUE(connected());
    outduct->set_rate(BitRate{8'000'000});  // the slower one: 1 MB a second
    constexpr std::size_t kCount = 50;
    const TimePoint begin = monotonic_now();
    client.when_writable = [&] { send_some(client, *outduct, kCount, 1000); };
    send_some(client, *outduct, kCount, 1000);
    ASSERT_TRUE(until([&] { return client.transmitted == kCount; }));
    EXPECT_GE(monotonic_now() - begin, milliseconds(45));
}

TEST_F(SessionDriverTest, AHostMayEndEverythingInsideAReport) {
    for (int polls = 0; polls < 3; ++polls) {
        listen();
        connect();
        ASSERT_TRUE(connected());
        server.when_bundles = [&](UpstreamId) { induct->close(); };
        client.send(*outduct, octets_of(100, 0));
        client.flush(*outduct);
        ASSERT_TRUE(until([&] {
            return server.state() == LinkState::kClosed && client.transmitted > 0 &&
                   client.state() == LinkState::kConnecting;
        }));
        outduct.reset();
        induct.reset();
        server.upstreams.clear();
        (void)client.take_back();
    }
    bench.run_idle();
    EXPECT_EQ(bench.pool.pinned_bytes(), 0U);
}

}  // namespace
}  // namespace farlink::cla::session_driver_test
