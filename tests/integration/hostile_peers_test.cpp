// SPDX-License-Identifier: Apache-2.0
// One node, with every convergence layer, and peers that are slow, half-open, malformed, vanished
// or do not read: each gets the answer of its standard and is counted by name, the node's memory
// stays bounded, and a correct neighbour, whose bundles flow all the time, is not affected.
#include <gtest/gtest.h>

#include <deque>
#include "common/runtime/clock.hpp"
#include "tests/integration/hostile_node.hpp"
#include "tests/support/udp_peer.hpp"

namespace farlink::test::hostile_peers_test {
namespace {

TEST_F(HostilePeers, ViolateTheProtocol) {
    converse(Layer::kTcpclv4, tcpclv4_openings());
    converse(Layer::kTcpclv4, tcpclv4_messages());
    converse(Layer::kTcpclv3, tcpclv3_cases());
    converse(Layer::kStcp, stcp_cases());
    converse(Layer::kMtcp, mtcp_cases());
    finish();
}

TEST_F(HostilePeers, SendDatagramsThatAreNoBundles) {
    constexpr std::size_t kDatagrams = 100;
    const UdpPeer peer;
    for (std::size_t i = 0; i < kDatagrams; ++i)
        peer.send_to(port(Layer::kUdp), Bytes(1 + i, 0xff));
    ASSERT_TRUE(node_.wait_until(
        [this] { return node_.value("ingress_malformed_unknown_version") == kDatagrams; }));
    expect_count("malformed_unknown_version", kDatagrams);
    finish();
}

struct SlowCase {
    Layer layer;
    Bytes at_once;
    Bytes slowly;
    std::string handles;
    std::string counts;
};

// The time limits of the node are one second, in which the peer sends five octets.
TEST_F(HostilePeers, AreSlow) {
    constexpr int kTickMs = 200;
    const std::string late = "link_fault_handshake_timeout";
    const std::vector<SlowCase> cases{
        {Layer::kTcpclv4, {}, {}, "", late},
        {Layer::kTcpclv4, {}, v4::contact(), "", late},
        {Layer::kTcpclv4, v4::contact(), v4::session_init(1, 1), "CONTACT SESS_TERM(0,1)", late},
        {Layer::kTcpclv3, {}, {}, "CONTACT SHUTDOWN(0)", late},
        {Layer::kTcpclv3, {}, v3::contact(), "CONTACT SHUTDOWN(0)", late},
        {Layer::kStcp, {}, {}, "", "link_fault_idle_timeout"},
        {Layer::kMtcp, {}, {}, "", "link_fault_idle_timeout"},
    };
    // A peer that sends slowly in an open session is not disconnected.
    std::array patient{guest(Layer::kTcpclv4), guest(Layer::kStcp)};
    ASSERT_TRUE(patient[0].say(v4::segment_head(3, 0, 100)));
    ASSERT_TRUE(patient[1].say(big_endian(100, 4)));
    std::vector<Caller> peers;
    std::vector<std::size_t> said(cases.size());
    for (const SlowCase &one : cases) {
        peers.push_back(caller(one.layer));
        ASSERT_TRUE(peers.back().say(one.at_once));
    }
    const TimePoint start = monotonic_now();
    while (!std::ranges::all_of(peers, &Caller::ended) && monotonic_now() < start + seconds(3)) {
        if (Caller::handle_any(peers, kTickMs)) continue;
        for (Caller &caller : patient) EXPECT_TRUE(caller.say(Bytes(1, 7)));
        for (std::size_t i = 0; i < cases.size(); ++i)
            if (!peers[i].ended() && said[i] < cases[i].slowly.size())
                (void)peers[i].say(ByteView(cases[i].slowly).subspan(said[i]++, 1));
    }
    for (std::size_t i = 0; i < cases.size(); ++i) {
        SCOPED_TRACE(i);
        EXPECT_TRUE(peers[i].ended());
        EXPECT_EQ(words_of(cases[i].layer, peers[i].received()), cases[i].handles);
        expect_count(cases[i].counts);
    }
    for (Caller &caller : patient) leave(caller, "link_fault_truncated_bundle");
    finish();
}

// The node closes the oldest connections without an open session for new ones.
TEST_F(HostilePeers, StopHalfWay) {
    for (const Layer layer : {Layer::kTcpclv4, Layer::kTcpclv3}) {
        std::deque<Caller> half_open;
        for (std::size_t i = 0; i < kMaxHandshakes + kBeyond; ++i)
            half_open.push_back(caller(layer));
        for (std::size_t i = 0; i < kBeyond; ++i) {
            EXPECT_TRUE(half_open.front().handle_end());
            half_open.pop_front();
        }
        Caller serious = guest(layer);
        EXPECT_TRUE(half_open.front().handle_end());
        half_open.pop_front();
        expect_count("link_fault_too_many_handshakes", kBeyond + 1);
        for (Caller &caller : half_open) leave(caller);
        leave(serious);
    }
    finish();
}

TEST_F(HostilePeers, AreTooMany) {
    for (const Layer layer : kLayersOverTcp) {
        const std::size_t free = kMaxSessions - (layer == Layer::kTcpclv4 ? 1 : 0);
        std::deque<Caller> guests;
        for (std::size_t i = 0; i < free; ++i) guests.push_back(guest(layer));
        for (std::size_t i = 0; i < kBeyond; ++i) {
            Caller refused = caller(layer);
            EXPECT_TRUE(refused.handle_end());
            EXPECT_EQ(refused.received(), Bytes());
        }
        expect_count("link_fault_too_many_sessions", kBeyond);
        leave(guests.front());
        guests.pop_front();
        guests.push_back(guest(layer));
        for (Caller &each : guests) leave(each);
    }
    finish();
}

/// The head of a bundle of the largest allowed size.
Bytes head_of_bundle(Layer layer) {
    switch (layer) {
        case Layer::kTcpclv4:
            return v4::segment_head(3, 0, kMru);
        case Layer::kTcpclv3:
            return v3::segment_head(3, kMru);
        case Layer::kStcp:
            return big_endian(kMru, 4);
        default:
            return from_hex("5a") + big_endian(kMru, 4);
    }
}

TEST_F(HostilePeers, VanishInTheMiddleOfABundle) {
    constexpr std::size_t kTimes = 20;
    for (const Layer layer : kLayersOverTcp) {
        const Bytes half = head_of_bundle(layer) + Bytes(kMru / 2, 7);
        for (std::size_t i = 0; i < kTimes; ++i) {
            Caller politely = guest(layer);
            EXPECT_TRUE(politely.say(half));
            leave(politely, "link_fault_truncated_bundle");
            EXPECT_EQ(words_of(layer, politely.received()), greeting(layer));
            Caller rudely = guest(layer);
            EXPECT_TRUE(rudely.say(half));
            rudely.reset();
            expect_count("link_fault_io_error");
        }
    }
    finish();
}

// Transfers without a bundle are acknowledged at once, and are the cheapest for a peer. The octets
// that wait for a peer have a limit. At the limit TCPCLv3 stops reading from the peer; TCPCLv4,
// where bundles flow both ways and acknowledgements must be read, ends the session.
TEST_F(HostilePeers, NeverRead) {
    static constexpr int kStalledMs = 200;
    static constexpr std::size_t kMost = 128 * kMiB;
    const auto talk = [](Caller &deaf, const Bytes &message, std::size_t times) {
        const Bytes many = repeated(message, times);
        std::size_t said = 0;
        for (std::size_t more = many.size(); more == many.size() && said < kMost; said += more)
            more = deaf.say_deaf(many, kStalledMs);
        EXPECT_LT(said, kMost);
        return said;
    };
    expect_some("departure_empty_transfer");

    Caller stalled = guest(Layer::kTcpclv3);
    const std::size_t before = stalled.received().size();
    const Bytes empty = v3::segment_head(3, 0);
    const std::size_t said = talk(stalled, empty, 500'000);
    EXPECT_TRUE(stalled.say(ByteView(empty).subspan(said % empty.size())));
    // When it reads at last, it gets the waiting octets: an ACK_SEGMENT for each segment.
    const std::size_t times = said / empty.size() + 1;
    EXPECT_TRUE(stalled.handle_until(
        [&](ByteView received) { return received.size() >= before + times * empty.size(); }));
    EXPECT_EQ(tcpclv3_words(stalled.received()), "CONTACT ACK_SEGMENTx" + std::to_string(times));
    leave(stalled);

    Caller never = guest(Layer::kTcpclv4);
    const auto fall_silent = [&](Caller &deaf) {
        (void)talk(deaf, v4::segment_head(3, 0, 0), 50'000);
        expect_count("link_fault_unresponsive");
    };
    fall_silent(never);
    // The node waits a second for its last message to leave; this process may not run that soon.
    std::string last;
    for (int tries = 0; tries < 5 && last != "050005"; ++tries) {
        Caller late = guest(Layer::kTcpclv4);
        fall_silent(late);
        EXPECT_TRUE(late.handle_end());
        last = to_hex(ByteView(late.received()).last(3));
    }
    EXPECT_EQ(last, "050005") << "SESS_TERM: resource exhaustion";
    EXPECT_TRUE(never.wait_broken());
    finish(2 * kAnswersOfOne + kBufferBytes);
}

TEST(HostileEngines, DoNotShutOutANeighbour) {
    const TempFolder folder;
    const nlohmann::json neighbour_entry{{"nodeId", 2}, {"address", "127.0.0.1"}};
    const nlohmann::json induct{{"url", loopback_url("ltp", 0)},
                                {"maxSessions", 16},
                                {"neighbours", nlohmann::json::array({neighbour_entry})}};
    NodeProgram node(folder, {{"myNodeId", 10},
                              {"storageConfig", {{"storeFilePath", "store"}}},
                              {"inductsConfig", nlohmann::json::array({induct})}});
    std::deque<UdpPeer> strangers;
    for (std::uint8_t engine = 20; engine < 120; ++engine)
        strangers.emplace_back().send_to(node.port(), Bytes{0, engine, 5, 0, 1, 0, 1, 0});
    const UdpPeer neighbour;
    const TimePoint begin = monotonic_now();
    std::optional<Bytes> answer;
    while (!answer && monotonic_now() - begin < seconds(10)) {
        neighbour.send_to(node.port(), from_hex("0c02050000"));  // cancels an unknown session
        EXPECT_TRUE(node.wait_until_now([] { return true; }));
        answer = neighbour.receive();
    }
    EXPECT_TRUE(answer);
    EXPECT_EQ(node.value("ingress_sessions_opened"), 1U) << node.counters();
    node.stop();
}

}  // namespace
}  // namespace farlink::test::hostile_peers_test
