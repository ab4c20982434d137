// SPDX-License-Identifier: Apache-2.0
#include "cla/session/session_outduct.hpp"

#include "tests/unit/cla/session/session_fixture.hpp"

namespace farlink::cla::session_outduct_test {
namespace {

using test::FrameCore;
using test::octets_of;
using test::TcpListener;
using test::TcpPeer;
using Change = test::SessionNode::Change;

class SessionOutductTest : public SessionTest {
protected:
    /// The neighbour, driven by hand.
    [[nodiscard]] TcpPeer accept() {
        std::optional<TcpPeer> peer;
        EXPECT_TRUE(until([&] { return (peer = listener.accept()).has_value(); }));
        return peer ? std::move(*peer) : TcpPeer();
    }
    [[nodiscard]] TcpPeer accept_session() {
        TcpPeer peer = accept();
        peer.send(FrameCore::message('H', as_bytes("ipn:1.0")));
        EXPECT_TRUE(reaches(LinkState::kConnected));
        return peer;
    }
    void connect_to_listener() {
        out.url.port = listener.port();
        connect();
    }
    TcpListener listener;
};

TEST_F(SessionOutductTest, IsConnectedWhenTheSessionIsOpen) {
    connect_to_listener();
    TcpPeer peer = accept();
    bench.run_idle();
    EXPECT_EQ(client.changes, (std::vector<Change>{{LinkState::kConnecting, LinkFault::kNone}}));
    EXPECT_EQ(outduct->transmit_credit(), 0U);
    peer.send(FrameCore::message('H', as_bytes("ipn:1.0")));
    EXPECT_TRUE(reaches(LinkState::kConnected));
    EXPECT_GT(outduct->transmit_credit(), 0U);
    EXPECT_EQ(client.open_upstreams(), 1U);
}

TEST_F(SessionOutductTest, WaitsForAListenerToAppear) {
    out.url.port = listener.port();
    listener.close();
    connect();
    bench.run_idle();
    EXPECT_EQ(client.changes, (std::vector<Change>{{LinkState::kConnecting, LinkFault::kNone}}));
    const TcpListener later(out.url.port);
    std::optional<TcpPeer> peer;
    EXPECT_TRUE(until([&] { return (peer = later.accept()).has_value(); }));
}

TEST_F(SessionOutductTest, ConnectsAgainAndTellsWhatWasAcknowledged) {
    connect_to_listener();
    {
        TcpPeer peer = accept_session();
        for (std::size_t i = 0; i < 3; ++i) client.send(*outduct, octets_of(100, i));
        client.flush(*outduct);
        ASSERT_TRUE(until([&] { return !peer.receive().empty(); }));
        peer.send(FrameCore::message('A', {}));
        peer.send(FrameCore::message('A', {}));
        peer.reset();
    }
    ASSERT_TRUE(until([&] { return client.times(LinkState::kConnecting) == 2; }));
    EXPECT_LT(client.transmitted, 3U);
    EXPECT_EQ(client.open_upstreams(), 0U);
    const std::size_t safe = client.transmitted;
    EXPECT_EQ(client.take_back().size(), 3 - safe);
    const TcpPeer again = accept_session();
    EXPECT_EQ(client.open_upstreams(), 1U);
}

TEST_F(SessionOutductTest, AnAnswerBeforeTheEndCounts) {
    connect_to_listener();
    TcpPeer peer = accept_session();
    for (std::size_t i = 0; i < 3; ++i) client.send(*outduct, octets_of(100, i));
    client.flush(*outduct);
    peer.send(FrameCore::message('A', {}));
    peer.send(FrameCore::message('A', {}));
    peer.half_close();
    ASSERT_TRUE(until([&] { return client.times(LinkState::kConnecting) == 2; }));
    EXPECT_EQ(client.changes.back(), (Change{LinkState::kConnecting, LinkFault::kPeerClosed}));
    EXPECT_EQ(client.transmitted, 2U);
    EXPECT_EQ(client.take_back().size(), 1U);
    bench.run_idle();
}

TEST_F(SessionOutductTest, SaysWhyASessionDidNotOpen) {
    connect_to_listener();
    TcpPeer peer = accept();
    peer.send(FrameCore::message('?', {}));
    ASSERT_TRUE(until([&] { return client.changes.size() == 2; }));
    EXPECT_EQ(client.changes.back(), (Change{LinkState::kConnecting, LinkFault::kProtocolError}));
    EXPECT_TRUE(client.upstreams.empty());
}

TEST_F(SessionOutductTest, ThePeerMustBeTheNextHop) {
    connect_to_listener();
    TcpPeer peer = accept();
    peer.send(FrameCore::message('H', as_bytes("ipn:66.0")));
    ASSERT_TRUE(until([&] { return client.changes.size() == 2; }));
    EXPECT_EQ(client.changes.back(), (Change{LinkState::kConnecting, LinkFault::kIdentityRefused}));
}

TEST_F(SessionOutductTest, FinishesWhatHasBegunWhenItCloses) {
    listen();
    connect();
    ASSERT_TRUE(connected());
    server.acknowledge_at_once = false;
    send_some(client, *outduct, 5, 1000);
    ASSERT_TRUE(until([&] { return server.received() == 5; }));
    outduct->close();
    EXPECT_EQ(client.state(), LinkState::kClosing);
    EXPECT_EQ(outduct->transmit_credit(), 0U);
    bench.run_idle();
    EXPECT_EQ(client.state(), LinkState::kClosing);
    server.acknowledge(at_server());
    EXPECT_TRUE(reaches(LinkState::kClosed));
    EXPECT_EQ(client.transmitted, 5U);
    EXPECT_EQ(client.changes.back(), (Change{LinkState::kClosed, LinkFault::kNone}));
    EXPECT_TRUE(until([&] { return server.open_upstreams() == 0; }));
    EXPECT_EQ(server.upstreams.at(at_server()).closed, LinkFault::kPeerTerminated);
}

TEST_F(SessionOutductTest, OpenedWhileItClosesItWaitsForTheSessionBefore) {
    listen();
    connect();
    ASSERT_TRUE(connected());
    server.acknowledge_at_once = false;
    send_some(client, *outduct, 1, 1000);
    ASSERT_TRUE(until([&] { return server.received() == 1; }));
    outduct->close();
    outduct->open();
    bench.run_idle();
    EXPECT_EQ(client.state(), LinkState::kClosing);
    server.acknowledge(at_server());
    EXPECT_TRUE(reaches(LinkState::kConnected));
    EXPECT_EQ(client.times(LinkState::kClosed), 1U);
    EXPECT_EQ(client.transmitted, 1U);
}

TEST_F(SessionOutductTest, ClosedWhileConnectingItStaysClosed) {
    connect_to_listener();
    TcpPeer peer = accept();
    outduct->close();
    EXPECT_EQ(client.state(), LinkState::kClosed);
    EXPECT_TRUE(until([&] {
        (void)peer.receive();
        return peer.ended();
    }));
    bench.run_idle();
    EXPECT_FALSE(listener.accept());
    outduct->open();
    peer = accept_session();
    EXPECT_GT(outduct->transmit_credit(), 0U);
}

TEST_F(SessionOutductTest, LeavesAPeerAloneThatAsksForIt) {
    connect_to_listener();
    TcpPeer peer = accept_session();
    const std::uint8_t delay_s = 1;
    const TimePoint begin = monotonic_now();
    peer.send(FrameCore::message('T', {&delay_s, 1}));
    peer.close();
    ASSERT_TRUE(until([&] { return client.times(LinkState::kConnecting) == 2; }));
    EXPECT_EQ(client.changes.back(), (Change{LinkState::kConnecting, LinkFault::kPeerTerminated}));
    peer = accept();
    EXPECT_GE(monotonic_now() - begin, seconds(1));
}

TEST_F(SessionOutductTest, LeavesItAloneAlsoWhenItIsClosedMeanwhile) {
    connect_to_listener();
    TcpPeer peer = accept_session();
    outduct->close();
    outduct->open();
    const std::uint8_t delay_s = 1;
    const TimePoint begin = monotonic_now();
    peer.send(FrameCore::message('T', {&delay_s, 1}));
    peer.close();
    ASSERT_TRUE(until([&] { return client.times(LinkState::kConnecting) == 2; }));
    peer = accept();
    EXPECT_GE(monotonic_now() - begin, seconds(1));
}

TEST_F(SessionOutductTest, LeavesAPeerAloneThatRefusesEverything) {
    server.answer = TransferDisposition::kNotAcceptable;
    listen();
    connect();
    ASSERT_TRUE(connected());
    const TimePoint begin = monotonic_now();
    ASSERT_TRUE(until([&] {
        if (outduct->transmit_credit() > 0) send_some(client, *outduct, client.next_token + 1, 10);
        return client.times(LinkState::kConnecting) == 2;
    }));
    EXPECT_EQ(client.changes.back(),
              (Change{LinkState::kConnecting, LinkFault::kPeerRefusesBundles}));
    EXPECT_GE(client.refused.size(), 16U);
    EXPECT_LT(client.refused.size(), 40U);
    ASSERT_TRUE(until([&] { return client.times(LinkState::kConnected) == 2; }));
    EXPECT_GE(monotonic_now() - begin, Reconnection::kBreakerMin);
}

TEST_F(SessionOutductTest, DoesNotStormAPeerThatEndsEverySession) {
    out.reconnect_min = milliseconds(4);
    out.reconnect_max = seconds(10);
    connect_to_listener();
    std::size_t sessions = 0;
    const TimePoint end = monotonic_now() + milliseconds(200);
    ASSERT_TRUE(until([&] {
        if (auto peer = listener.accept()) {
            ++sessions;
            peer->send(FrameCore::message('H', as_bytes("ipn:1.0")));
        }
        return monotonic_now() > end;
    }));
    EXPECT_GE(sessions, 2U);
    EXPECT_LE(sessions, 7U) << "4, 8, 16, 32, 64, 128 ms";
}

TEST_F(SessionOutductTest, MayBeDestroyedAtAnyMoment) {
    listen();
    for (int turns = 0; turns < 12; ++turns) {
        connect();
        for (int i = 0; i < turns; ++i) {
            bench.io.restart();
            bench.io.run_one_for(milliseconds(1));
        }
        outduct.reset();
        bench.run_idle();
    }
    EXPECT_TRUE(until([&] { return server.open_upstreams() == 0; }));
}

}  // namespace
}  // namespace farlink::cla::session_outduct_test
