// SPDX-License-Identifier: Apache-2.0
#include "cla/stcp/stcp_outduct.hpp"

#include <gtest/gtest.h>
#include <netinet/tcp.h>

#include "cla/stcp/stcp_induct.hpp"
#include "tests/support/link_bench.hpp"
#include "tests/support/stcp_stream.hpp"
#include "tests/support/tcp_peer.hpp"

namespace farlink::cla::stcp::stcp_outduct_test {
namespace {

using test::octets_of;
using test::TcpListener;
using test::TcpPeer;
using Change = test::RecordingHost::Change;

config::OutductConfig config_of(std::uint16_t port, std::uint32_t keep_alive_s = 0) {
    config::OutductConfig config;
    config.id = LinkId{5};
    config.url = {"stcp", "127.0.0.1", port, {}};
    config.next_hop = NodeNumber{2};
    config.keep_alive_interval_s = keep_alive_s;
    config.reconnect_min = milliseconds(1);
    config.reconnect_max = milliseconds(20);
    return config;
}

class StcpOutductTest : public testing::Test {
protected:
    StcpOutductTest() { bench.drive_clock(); }

    void open(std::uint16_t port, std::uint32_t keep_alive_s = 0) {
        outduct = make_owned<StcpOutduct>(bench.resources(), config_of(port, keep_alive_s), 1);
        outduct->open();
    }
    [[nodiscard]] bool reaches(LinkState state) {
        return bench.run_until([&] { return host.state() == state; });
    }
    [[nodiscard]] TcpPeer accept(const TcpListener &listener) {
        std::optional<TcpPeer> peer;
        EXPECT_TRUE(bench.run_until([&] { return (peer = listener.accept()).has_value(); }));
        return peer ? std::move(*peer) : TcpPeer();
    }
    /// Sends a bundle with the next token; it is kept, as its owner keeps it.
    void transmit(Bytes bundle) {
        sent.push_back(std::make_unique<Bytes>(std::move(bundle)));
        const ByteView octets(*sent.back());
        TxBundle tx;
        tx.head = octets.first(octets.size() / 3);
        tx.body = octets.subspan(octets.size() / 3);
        tx.size = octets.size();
        tx.token = next_token++;
        outduct->transmit({&tx, 1});
        outduct->flush();
    }
    /// Reads from the peer until the frames of `bundles` bundles or the end have come.
    std::vector<Bytes> read(TcpPeer &peer, std::size_t bundles) {
        std::vector<Bytes> got;
        EXPECT_TRUE(bench.run_until([&] {
            append(stream, peer.receive());
            for (Bytes &bundle : test::take_frames(stream)) got.push_back(std::move(bundle));
            return peer.ended() || got.size() >= bundles;
        }));
        return got;
    }

    /// Runs the loop while the clock stands, so that no timer runs out.
    [[nodiscard]] bool is_woken_for_all() {
        for (int slice = 0; slice < 100 && host.transmitted < next_token; ++slice) {
            bench.io.restart();
            bench.io.run_one_for(milliseconds(20));
        }
        return host.transmitted == next_token;
    }

    test::LinkBench bench;
    test::RecordingHost &host = bench.host;
    std::vector<std::unique_ptr<Bytes>> sent;
    std::uint64_t next_token = 0;
    Bytes stream;
    Owned<StcpOutduct> outduct;
};

constexpr std::size_t kForever = ~std::size_t{0};
constexpr std::size_t kHuge = 16 * 1024 * 1024;  ///< more than the kernel takes for a slow peer
constexpr int kSmallBuffer = 16 * 1024;

TEST_F(StcpOutductTest, SendsToAnInductWhatThatReceives) {
    config::InductConfig induct_config;
    induct_config.url = {"stcp", "127.0.0.1", 0, {}};
    induct_config.max_bundle_size_bytes = 10'000'000;
    induct_config.max_sessions = 1;
    const auto induct = make_owned<StcpInduct>(bench.resources(), induct_config);
    ASSERT_TRUE(induct->open());
    host.changes.clear();
    open(induct->port());
    ASSERT_TRUE(reaches(LinkState::kConnected));

    constexpr std::size_t kBundles = 3000;
    auto &received = host.bundles[UpstreamId{0}];
    ASSERT_TRUE(bench.run_until([&] {
        while (next_token < kBundles && outduct->transmit_credit() > 0)
            transmit(octets_of(next_token % 100 == 99 ? 300'000 : 10 + next_token, next_token));
        return received.size() == kBundles && host.transmitted == kBundles;
    }));
    for (std::size_t i = 0; i < kBundles; ++i) ASSERT_EQ(received[i], *sent[i]) << i;

    outduct->close();
    EXPECT_TRUE(reaches(LinkState::kClosed));
    ASSERT_TRUE(bench.run_until([&] { return host.closed.contains(UpstreamId{0}); }));
    EXPECT_EQ(host.closed.at(UpstreamId{0}), LinkFault::kPeerClosed);
}

TEST_F(StcpOutductTest, WaitsForAListenerToAppear) {
    std::uint16_t port = 0;
    {
        const TcpListener chooses;
        port = chooses.port();
    }
    open(port);
    bench.run_idle();
    EXPECT_EQ(host.changes, (std::vector<Change>{{LinkState::kConnecting, LinkFault::kNone}}));
    EXPECT_EQ(outduct->transmit_credit(), 0U);
    const TcpListener listener(port);
    EXPECT_TRUE(reaches(LinkState::kConnected));
    TcpPeer peer = accept(listener);
    transmit(octets_of(100, 1));
    EXPECT_EQ(read(peer, 1), std::vector<Bytes>{*sent[0]});
}

TEST_F(StcpOutductTest, ConnectsAgainAfterAReset) {
    const TcpListener listener;
    open(listener.port());
    ASSERT_TRUE(reaches(LinkState::kConnected));
    {
        TcpPeer peer = accept(listener);
        transmit(octets_of(100, 1));
        EXPECT_EQ(read(peer, 1).size(), 1U);
        EXPECT_TRUE(bench.run_until([&] { return host.transmitted == 1; }));
        peer.reset();
    }
    ASSERT_TRUE(bench.run_until([&] { return host.times(LinkState::kConnected) == 2; }));
    EXPECT_EQ(host.changes[2], (Change{LinkState::kConnecting, LinkFault::kIoError}));

    TcpPeer peer = accept(listener);
    transmit(octets_of(200, 2));
    EXPECT_EQ(read(peer, 1), std::vector<Bytes>{*sent[1]});
    EXPECT_TRUE(bench.run_until([&] { return host.transmitted == 2; }));
}

TEST_F(StcpOutductTest, WhatAResetThrewAwayIsNotReportedAsTransmitted) {
    const TcpListener listener(0, kSmallBuffer);
    open(listener.port());
    ASSERT_TRUE(reaches(LinkState::kConnected));
    TcpPeer peer = accept(listener);
    transmit(octets_of(100, 1));
    transmit(octets_of(kHuge, 2));
    transmit(octets_of(100, 3));
    bench.run_idle();
    peer.reset();
    ASSERT_TRUE(bench.run_until([&] { return host.times(LinkState::kConnected) == 2; }));
    TcpPeer again = accept(listener);
    bench.run_idle();
    EXPECT_LE(host.transmitted, 1U);
    EXPECT_TRUE(again.receive().empty()) << "nothing is left over for the next connection";
}

TEST_F(StcpOutductTest, ReconnectsWhenThePeerEnds) {
    const TcpListener listener;
    open(listener.port());
    ASSERT_TRUE(reaches(LinkState::kConnected));
    accept(listener).close();
    ASSERT_TRUE(bench.run_until([&] { return host.times(LinkState::kConnected) == 2; }));
    EXPECT_EQ(host.changes[2], (Change{LinkState::kConnecting, LinkFault::kPeerClosed}));
}

TEST_F(StcpOutductTest, FinishesTheBundleBegunForASlowPeer) {
    const TcpListener listener(0, kSmallBuffer);
    open(listener.port());
    ASSERT_TRUE(reaches(LinkState::kConnected));
    TcpPeer peer = accept(listener);
    transmit(octets_of(kHuge, 1));
    transmit(octets_of(100, 2));
    bench.run_idle();
    outduct->close();
    EXPECT_EQ(host.state(), LinkState::kClosing);
    EXPECT_EQ(outduct->transmit_credit(), 0U);

    const std::vector<Bytes> got = read(peer, kForever);
    ASSERT_EQ(got.size(), 1U) << "the bundle begun, and no other";
    EXPECT_EQ(got[0], *sent[0]);
    EXPECT_TRUE(stream.empty());
    EXPECT_TRUE(peer.ended());
    peer.close();
    EXPECT_TRUE(reaches(LinkState::kClosed));
    EXPECT_EQ(host.transmitted, 1U);
}

TEST_F(StcpOutductTest, ClosesWithoutAnythingToFinish) {
    const TcpListener listener;
    open(listener.port());
    ASSERT_TRUE(reaches(LinkState::kConnected));
    TcpPeer peer = accept(listener);
    outduct->close();
    EXPECT_TRUE(read(peer, kForever).empty());
    peer.close();
    EXPECT_TRUE(reaches(LinkState::kClosed));
    EXPECT_EQ(host.changes.back(), (Change{LinkState::kClosed, LinkFault::kNone}));
}

TEST_F(StcpOutductTest, WaitsNotLongForAPeerThatHasEverythingAndStays) {
    const TcpListener listener;
    open(listener.port());
    ASSERT_TRUE(reaches(LinkState::kConnected));
    const TcpPeer peer = accept(listener);
    transmit(octets_of(100, 1));
    const TimePoint start = monotonic_now();
    outduct->close();
    EXPECT_TRUE(reaches(LinkState::kClosed));
    EXPECT_EQ(host.transmitted, 1U);
    EXPECT_LT(monotonic_now() - start, seconds(3));
}

TEST_F(StcpOutductTest, AResetWhileClosingEndsIt) {
    const TcpListener listener(0, kSmallBuffer);
    open(listener.port());
    ASSERT_TRUE(reaches(LinkState::kConnected));
    TcpPeer peer = accept(listener);
    transmit(octets_of(kHuge, 1));
    outduct->close();
    peer.reset();
    EXPECT_TRUE(reaches(LinkState::kClosed));
    EXPECT_EQ(host.transmitted, 0U);
    bench.run_idle();
    EXPECT_EQ(host.state(), LinkState::kClosed) << "it does not connect again";
}

TEST_F(StcpOutductTest, MayBeOpenedAgainWhileItCloses) {
    const TcpListener listener;
    open(listener.port());
    ASSERT_TRUE(reaches(LinkState::kConnected));
    TcpPeer old = accept(listener);
    outduct->close();
    outduct->open();
    ASSERT_TRUE(reaches(LinkState::kConnected));
    EXPECT_EQ(host.times(LinkState::kClosed), 1U);
    TcpPeer peer = accept(listener);
    transmit(octets_of(100, 1));
    EXPECT_EQ(read(peer, 1).size(), 1U);
}

TEST_F(StcpOutductTest, ClosedWhileConnectingItStaysClosed) {
    std::uint16_t port = 0;
    {
        const TcpListener chooses;
        port = chooses.port();
    }
    open(port);
    bench.run_idle();
    outduct->close();
    EXPECT_EQ(host.state(), LinkState::kClosed);
    const TcpListener listener(port);
    bench.run_idle();
    bench.run_idle();
    EXPECT_FALSE(listener.accept());
    EXPECT_EQ(host.state(), LinkState::kClosed);
}

// At any moment of connecting: what the attempt before still reports does not count.
TEST_F(StcpOutductTest, ClosedAndOpenedAgainItHasOneConnection) {
    const TcpListener listener;
    for (int polls = 0; polls < 6; ++polls) {
        host.changes.clear();
        open(listener.port());
        for (int i = 0; i < polls; ++i) {
            bench.io.restart();
            bench.io.run_one_for(milliseconds(2));
        }
        outduct->close();
        if (host.state() == LinkState::kClosing) continue;
        outduct->open();
        ASSERT_TRUE(reaches(LinkState::kConnected));
        TcpPeer peer = accept(listener);
        transmit(octets_of(100, 1));
        for (int tries = 0; tries < 2 && peer.receive(1).empty(); ++tries) peer = accept(listener);
        bench.run_idle();
        EXPECT_EQ(host.times(LinkState::kConnected), 1U) << polls;
        EXPECT_EQ(host.state(), LinkState::kConnected);
        outduct->close();
        peer.close();
        ASSERT_TRUE(reaches(LinkState::kClosed));
    }
}

TEST_F(StcpOutductTest, HasNoCreditWhileThePeerDoesNotRead) {
    const TcpListener listener(0, kSmallBuffer);
    open(listener.port());
    ASSERT_TRUE(reaches(LinkState::kConnected));
    TcpPeer peer = accept(listener);
    bool writable = false;
    host.when_writable = [&] { writable = true; };
    const std::uint64_t credit = outduct->transmit_credit();
    EXPECT_GT(credit, 0U);
    while (outduct->transmit_credit() > 0 && sent.size() < 1000) transmit(octets_of(100'000, 1));
    bench.run_idle();
    EXPECT_EQ(outduct->transmit_credit(), 0U);
    EXPECT_LT(host.transmitted, sent.size()) << "what the peer's kernel has not is not safe";

    EXPECT_EQ(read(peer, sent.size()).size(), sent.size());
    EXPECT_TRUE(bench.run_until([&] { return host.transmitted == sent.size(); }));
    EXPECT_TRUE(writable);
    EXPECT_EQ(outduct->transmit_credit(), credit);
}

TEST_F(StcpOutductTest, IgnoresWhatThePeerSays) {
    const TcpListener listener;
    open(listener.port());
    ASSERT_TRUE(reaches(LinkState::kConnected));
    TcpPeer peer = accept(listener);
    for (int i = 0; i < 10; ++i) {
        peer.send(octets_of(2000, 1));
        bench.run_idle();
    }
    transmit(octets_of(100, 1));
    EXPECT_EQ(read(peer, 1).size(), 1U);
    EXPECT_EQ(host.state(), LinkState::kConnected);
}

TEST_F(StcpOutductTest, HoldsItsRate) {
    const TcpListener listener;
    config::OutductConfig config = config_of(listener.port());
    config.rate_limit = BitRate{16'000'000};
    outduct = make_owned<StcpOutduct>(bench.resources(), config, 1);
    outduct->open();
    ASSERT_TRUE(reaches(LinkState::kConnected));
    TcpPeer peer = accept(listener);
    constexpr std::uint64_t kBundles = 50;  // 1,004 octets each: 25 ms
    const TimePoint start = monotonic_now();
    const auto fill = [&] {
        while (next_token < kBundles && outduct->transmit_credit() > 0) {
            EXPECT_LE(outduct->transmit_credit(), 20'000U) << "woken late it catches up";
            transmit(octets_of(1'000, next_token));
        }
    };
    host.when_writable = fill;
    fill();
    ASSERT_TRUE(bench.run_until([&] { return next_token == kBundles; }));
    EXPECT_GE(monotonic_now() - start, milliseconds(22));
    EXPECT_EQ(read(peer, kBundles).size(), kBundles);
    outduct->set_rate(BitRate{8'000'000});
    EXPECT_LE(outduct->transmit_credit(), 1'000U);
}

/// Without it the peer's kernel keeps an acknowledgement back; with it, what waits goes at once.
void set_quick_ack(const TcpPeer &peer, int yes) {
    ASSERT_EQ(::setsockopt(peer.fd(), IPPROTO_TCP, TCP_QUICKACK, &yes, sizeof yes), 0);
}

// A sender with few bundles in flight waits for each.
TEST_F(StcpOutductTest, IsWokenByAcknowledgements) {
    constexpr int kRounds = 20;
    const TcpListener listener;
    open(listener.port());
    ASSERT_TRUE(reaches(LinkState::kConnected));
    TcpPeer peer = accept(listener);
    for (int round = 0; round < kRounds; ++round) {
        set_quick_ack(peer, 0);
        transmit(octets_of(100, next_token));
        ASSERT_EQ(read(peer, 1).size(), 1U);
        set_quick_ack(peer, 1);
        ASSERT_TRUE(is_woken_for_all()) << round;
    }
    EXPECT_EQ(host.times(LinkState::kConnected), 1U);
}

// Notices are of the connection: the next one has its own.
TEST_F(StcpOutductTest, IsWokenByAcknowledgementsAfterItHasConnectedAgain) {
    const TcpListener listener;
    open(listener.port());
    ASSERT_TRUE(reaches(LinkState::kConnected));
    TcpPeer first = accept(listener);
    transmit(octets_of(kHuge, 1));
    bench.run_idle();
    first.reset();
    ASSERT_TRUE(bench.run_until([&] { return host.times(LinkState::kConnected) == 2; }));
    TcpPeer peer = accept(listener);
    set_quick_ack(peer, 0);
    transmit(octets_of(100, 2));
    ASSERT_EQ(read(peer, 1).size(), 1U);
    set_quick_ack(peer, 1);
    EXPECT_TRUE(is_woken_for_all());
}

TEST_F(StcpOutductTest, BindsToTheAddressThatIsConfigured) {
    const TcpListener listener;
    config::OutductConfig config = config_of(listener.port());
    config.bind_address = "127.0.0.9";
    outduct = make_owned<StcpOutduct>(bench.resources(), config, 1);
    outduct->open();
    const TcpPeer peer = accept(listener);
    sockaddr_in from{};
    socklen_t size = sizeof from;
    ASSERT_EQ(::getpeername(peer.fd(), reinterpret_cast<sockaddr *>(&from), &size), 0);
    EXPECT_EQ(ntohl(from.sin_addr.s_addr), 0x7f000009U);
}

TEST_F(StcpOutductTest, SendsKeepAlivesWhenItIsSilent) {
    const TcpListener listener;
    open(listener.port(), 1);
    ASSERT_TRUE(reaches(LinkState::kConnected));
    TcpPeer peer = accept(listener);
    Bytes octets;
    ASSERT_TRUE(bench.run_until([&] {
        append(octets, peer.receive());
        return !octets.empty();
    }));
    EXPECT_EQ(octets, Bytes(4, 0));
}

}  // namespace
}  // namespace farlink::cla::stcp::stcp_outduct_test
