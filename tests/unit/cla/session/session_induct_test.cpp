// SPDX-License-Identifier: Apache-2.0
#include "cla/session/session_induct.hpp"

#include "tests/unit/cla/session/session_fixture.hpp"

namespace farlink::cla::session_induct_test {
namespace {

using test::FrameCore;
using test::octets_of;
using test::TcpPeer;

class SessionInductTest : public SessionTest {
protected:
    [[nodiscard]] TcpPeer greet(std::size_t open) {
        TcpPeer peer = TcpPeer::connect(induct->port());
        peer.send(FrameCore::message('H', as_bytes("ipn:7.0")));
        EXPECT_TRUE(until([&] { return server.open_upstreams() == open; }));
        return peer;
    }
    [[nodiscard]] std::size_t ended_by(LinkFault fault) const {
        std::size_t count = 0;
        for (const auto &[id, upstream] : server.upstreams) count += upstream.closed == fault;
        return count;
    }
    [[nodiscard]] bool ends(TcpPeer &peer) {
        return until([&] { return peer.receive().empty() && peer.ended(); });
    }
};

TEST_F(SessionInductTest, TwoHundredSessionsAtOnce) {
    listen();
    constexpr std::size_t kPeers = 200;
    std::vector<TcpPeer> peers;
    for (std::size_t i = 0; i < kPeers; ++i) {
        peers.push_back(TcpPeer::connect(induct->port()));
        peers.back().send(FrameCore::message('H', as_bytes("ipn:7.0")));
    }
    ASSERT_TRUE(until([&] { return server.open_upstreams() == kPeers; }));
    for (const TcpPeer &peer : peers) peer.send(FrameCore::message('B', octets_of(1000, 0)));
    ASSERT_TRUE(until([&] { return server.received() == kPeers; }));
    for (const auto &[id, upstream] : server.upstreams) expect_bundles(upstream.bundles, 1, 1000);
    EXPECT_EQ(bench.pool.pinned_bytes(), 0U);
}

TEST_F(SessionInductTest, RefusesMoreSessionsThanItMayHave) {
    in.max_sessions = 1;
    listen();
    TcpPeer first = greet(1);
    TcpPeer second = TcpPeer::connect(induct->port());
    EXPECT_TRUE(ends(second));
    EXPECT_EQ(ended_by(LinkFault::kTooManySessions), 1U);
    EXPECT_EQ(server.ending, "127.0.0.1");
    first.half_close();
    EXPECT_TRUE(until([&] { return ended_by(LinkFault::kPeerClosed) == 1; }));
    const TcpPeer third = greet(1);
}

TEST_F(SessionInductTest, IdleStrangersOfOneAddressShutOutNobody) {
    in.max_sessions = 32;
    server.knows_only = "127.0.0.9";
    listen();
    std::vector<TcpPeer> idle;
    for (std::size_t i = 0; i < 40; ++i) {
        idle.push_back(TcpPeer::connect(induct->port()));
        idle.back().send(FrameCore::message('H', as_bytes("ipn:7.0")));
        ASSERT_TRUE(until([&] { return bench.next_upstream == i + 1; }));
    }
    ASSERT_TRUE(until([&] { return server.open_upstreams() == 8; }));
    EXPECT_TRUE(ends(idle.front()));
    const TcpPeer stranger = TcpPeer::connect(induct->port(), 2);
    stranger.send(FrameCore::message('H', as_bytes("ipn:8.0")));
    ASSERT_TRUE(until([&] { return server.open_upstreams() == 9; }));
    const TcpPeer neighbour = TcpPeer::connect(induct->port(), 9);
    neighbour.send(FrameCore::message('H', as_bytes("ipn:9.0")));
    ASSERT_TRUE(until([&] { return server.open_upstreams() == 10; }));
}

TEST_F(SessionInductTest, HalfOpenStrangersGiveWayBeforeANeighbour) {
    in.max_handshakes = 2;
    server.knows_only = "127.0.0.9";
    listen();
    const TcpPeer neighbour = TcpPeer::connect(induct->port(), 9);
    ASSERT_TRUE(until([&] { return bench.next_upstream == 1; }));
    TcpPeer first = TcpPeer::connect(induct->port());
    ASSERT_TRUE(until([&] { return bench.next_upstream == 2; }));
    const TcpPeer second = TcpPeer::connect(induct->port());
    EXPECT_TRUE(ends(first));
    neighbour.send(FrameCore::message('H', as_bytes("ipn:9.0")));
    EXPECT_TRUE(until([&] { return server.open_upstreams() == 1; }));
}

TEST_F(SessionInductTest, TheOldestOfTooManyHalfOpenOnesIsClosed) {
    in.max_handshakes = 2;
    listen();
    const TcpPeer open = greet(1);
    TcpPeer oldest = TcpPeer::connect(induct->port());
    ASSERT_TRUE(until([&] { return bench.next_upstream == 2; }));
    TcpPeer second = TcpPeer::connect(induct->port());
    ASSERT_TRUE(until([&] { return bench.next_upstream == 3; }));
    bench.run_idle();
    EXPECT_EQ(server.upstreams.size(), 1U);
    const TcpPeer third = TcpPeer::connect(induct->port());
    EXPECT_TRUE(ends(oldest));
    EXPECT_EQ(ended_by(LinkFault::kTooManyHandshakes), 1U);
    second.send(FrameCore::message('H', as_bytes("ipn:7.0")));
    EXPECT_TRUE(until([&] { return server.open_upstreams() == 2; }));
}

TEST_F(SessionInductTest, APeerMustOpenItsSessionInTime) {
    tune_passive = [](SessionConfig &config) { config.handshake_limit = milliseconds(20); };
    listen();
    TcpPeer silent = TcpPeer::connect(induct->port());
    EXPECT_TRUE(ends(silent));
    EXPECT_EQ(ended_by(LinkFault::kHandshakeTimeout), 1U);
}

TEST_F(SessionInductTest, AttachesToOpenSessionsOnly) {
    listen();
    EXPECT_EQ(induct->attach(UpstreamId{0}, kBack), nullptr);
    const TcpPeer half_open = TcpPeer::connect(induct->port());
    ASSERT_TRUE(until([&] { return bench.next_upstream == 1; }));
    EXPECT_EQ(induct->attach(UpstreamId{0}, kBack), nullptr);
    half_open.send(FrameCore::message('H', as_bytes("ipn:7.0")));
    Outduct *attached = nullptr;
    server.when_peer = [&](UpstreamId from) { attached = induct->attach(from, kBack); };
    ASSERT_TRUE(until([&] { return server.open_upstreams() == 1; }));
    ASSERT_NE(attached, nullptr);
    EXPECT_GT(attached->transmit_credit(), 0U);
    EXPECT_EQ(induct->attach(UpstreamId{0}, kBack), attached);
}

TEST_F(SessionInductTest, AnAttachedSessionEndsByItsClose) {
    listen();
    TcpPeer peer = greet(1);
    Outduct *attached = induct->attach(at_server(), kBack);
    server.send(*attached, octets_of(100, 0));
    attached->close();
    EXPECT_EQ(attached->transmit_credit(), 0U);
    EXPECT_EQ(server.open_upstreams(), 1U) << "what has begun is finished";
    peer.send(FrameCore::message('A', {}));
    EXPECT_TRUE(until([&] { return server.transmitted == 1; }));
    peer.send(FrameCore::message('T', {}));
    EXPECT_TRUE(until([&] { return server.open_upstreams() == 0; }));
    EXPECT_EQ(ended_by(LinkFault::kNone), 1U);
}

TEST_F(SessionInductTest, ClosesWhenTheLastSessionHasEnded) {
    server.acknowledge_at_once = false;
    listen();
    const TcpPeer half_open = TcpPeer::connect(induct->port());
    TcpPeer peer = greet(1);
    peer.send(FrameCore::message('B', octets_of(100, 0)));
    ASSERT_TRUE(until([&] { return server.received() == 1; }));
    const UpstreamId open = server.upstreams.begin()->first;
    induct->close();
    EXPECT_EQ(server.state(), LinkState::kClosing);
    EXPECT_THROW((void)TcpPeer::connect(induct->port()), std::runtime_error);
    server.acknowledge(open);
    peer.send(FrameCore::message('T', {}));
    EXPECT_TRUE(until([&] { return server.open_upstreams() == 0; }));
    peer.close();
    EXPECT_TRUE(until([&] { return server.state() == LinkState::kClosed; }));
}

TEST_F(SessionInductTest, ListensAndConnectsByIPv6) {
    in.url.host = "::1";
    listen();
    out.url.host = "::1";
    out.bind_address = "::1";
    connect();
    ASSERT_TRUE(connected());
    EXPECT_EQ(server.upstreams.at(at_server()).peer.address, "::1");
}

TEST_F(SessionInductTest, ShowsAnIPv4PeerOfAnIPv6SocketByItsOwnAddress) {
    in.url.host = "::";
    listen();
    out.url.host = "localhost";
    connect();
    ASSERT_TRUE(connected());
    out.url.host = "127.0.0.1";
    connect();
    ASSERT_TRUE(until([&] { return server.upstreams.size() == 2; }));
    EXPECT_EQ(server.upstreams.rbegin()->second.peer.address, "127.0.0.1");
}

TEST_F(SessionInductTest, DoesNotOpenWhereAnotherListens) {
    listen();
    in.url.port = induct->port();
    auto setup = make_session_setup(in, protocol);
    SessionInduct second(server.resources(), in, std::move(*setup));
    EXPECT_FALSE(second.open());
}

}  // namespace
}  // namespace farlink::cla::session_induct_test
