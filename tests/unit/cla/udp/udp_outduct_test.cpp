// SPDX-License-Identifier: Apache-2.0
#include "cla/udp/udp_outduct.hpp"

#include <gtest/gtest.h>

#include "cla/udp/udp_induct.hpp"
#include "tests/support/link_bench.hpp"
#include "tests/support/udp_peer.hpp"

namespace farlink::cla::udp::udp_outduct_test {
namespace {

using test::octets_of;
using test::UdpPeer;
using Change = test::RecordingHost::Change;

config::OutductConfig config_of(std::uint16_t port, const char *host = "127.0.0.1") {
    config::OutductConfig config;
    config.id = LinkId{5};
    config.url = {"udp", host, port, {}};
    config.next_hop = NodeNumber{2};
    config.reconnect_min = milliseconds(1);
    config.reconnect_max = milliseconds(20);
    return config;
}

class UdpOutductTest : public testing::Test {
protected:
    UdpOutductTest() { bench.drive_clock(); }

    void open(const config::OutductConfig &config) {
        outduct = make_owned<UdpOutduct>(bench.resources(), config, 1);
        outduct->open();
    }
    void connect(const config::OutductConfig &config) {
        open(config);
        ASSERT_TRUE(bench.run_until([&] { return host.state() == LinkState::kConnected; }));
    }
    /// Queues a bundle with the next token; it is kept, as its owner keeps it.
    void transmit(Bytes bundle) {
        sent.push_back(std::make_unique<Bytes>(std::move(bundle)));
        const ByteView octets(*sent.back());
        TxBundle tx;
        tx.head = octets.first(octets.size() / 3);
        tx.body = octets.subspan(octets.size() / 3);
        tx.size = octets.size();
        tx.token = next_token++;
        outduct->transmit({&tx, 1});
    }
    void send(Bytes bundle) {
        transmit(std::move(bundle));
        outduct->flush();
    }
    /// Runs the loop until `count` datagrams have come.
    [[nodiscard]] std::vector<Bytes> read(const UdpPeer &peer, std::size_t count) {
        std::vector<Bytes> got;
        EXPECT_TRUE(bench.run_until([&] {
            while (auto datagram = peer.receive()) got.push_back(std::move(*datagram));
            return got.size() >= count;
        }));
        return got;
    }

    test::LinkBench bench;
    test::RecordingHost &host = bench.host;
    std::vector<std::unique_ptr<Bytes>> sent;
    std::uint64_t next_token = 0;
    Owned<UdpOutduct> outduct;
};

TEST_F(UdpOutductTest, IsConnectedWhenItsNameIsResolved) {
    const UdpPeer peer;
    open(config_of(peer.port(), "localhost"));
    EXPECT_EQ(host.state(), LinkState::kConnecting);
    EXPECT_EQ(outduct->transmit_credit(), 0U);
    ASSERT_TRUE(bench.run_until([&] { return host.state() == LinkState::kConnected; }));
    EXPECT_GT(outduct->transmit_credit(), 0U);
    outduct->close();
    EXPECT_EQ(host.state(), LinkState::kClosed);
}

TEST_F(UdpOutductTest, ANameWithoutAnAddressIsReported) {
    open(config_of(4556, "no such name"));
    ASSERT_TRUE(bench.run_until([&] { return !host.unreachable.empty(); }));
    EXPECT_TRUE(host.unreachable.starts_with("cannot look up no such name: ")) << host.unreachable;
    EXPECT_EQ(host.state(), LinkState::kConnecting);
}

TEST_F(UdpOutductTest, EveryBundleIsADatagramInOrder) {
    const UdpPeer peer;
    connect(config_of(peer.port()));
    for (const std::size_t size : {1, 100, 100, 100, 50, 9'000, 9'000, 65'507, 2, 65'507})
        transmit(octets_of(size, size));
    EXPECT_EQ(host.transmitted, 0U);
    outduct->flush();
    EXPECT_EQ(host.transmitted, 10U);
    const std::vector<Bytes> got = read(peer, 10);
    ASSERT_EQ(got.size(), 10U);
    for (std::size_t i = 0; i < got.size(); ++i) EXPECT_EQ(got[i], *sent[i]) << i;
    EXPECT_LT(outduct->sender().messages_sent(), 10U) << "equal sizes leave together";
}

TEST_F(UdpOutductTest, AThousandBundlesKeepTheirOrder) {
    const UdpPeer peer;
    connect(config_of(peer.port()));
    for (std::uint64_t i = 0; i < 1'000; ++i) transmit(octets_of(i % 7 == 0 ? 900 : 1'061, i));
    outduct->flush();
    EXPECT_EQ(host.transmitted, 1'000U);
    const std::vector<Bytes> got = read(peer, 1'000);
    ASSERT_EQ(got.size(), 1'000U);
    for (std::size_t i = 0; i < got.size(); ++i) ASSERT_EQ(got[i], *sent[i]) << i;
}

// A group that the system cannot cut leaves one by one.
TEST_F(UdpOutductTest, WorksWithoutOffload) {
    const UdpPeer peer;
    connect(config_of(peer.port()));
    const_cast<UdpSender &>(outduct->sender()).set_offload(0);
    for (std::uint64_t i = 0; i < 200; ++i) transmit(octets_of(1'000, i));
    outduct->flush();
    EXPECT_EQ(read(peer, 200).size(), 200U);
    EXPECT_EQ(outduct->sender().messages_sent(), 200U);
}

TEST_F(UdpOutductTest, ABundleThatIsTooLargeIsRefusedAndTheOthersGo) {
    const UdpPeer peer;
    config::OutductConfig config = config_of(peer.port());
    config.max_datagram_bytes = 1'000;
    connect(config);
    EXPECT_EQ(outduct->max_bundle_bytes(), 1'000U);
    transmit(octets_of(1'000, 1));
    transmit(octets_of(1'001, 2));
    transmit(octets_of(999, 3));
    outduct->flush();
    EXPECT_EQ(host.refused, (std::map<std::uint64_t, Refusal>{{1, Refusal::kTooLarge}}));
    EXPECT_EQ(host.transmitted, 3U);
    const std::vector<Bytes> got = read(peer, 2);
    EXPECT_EQ(got, (std::vector<Bytes>{*sent[0], *sent[2]}));
}

TEST_F(UdpOutductTest, TheLayersLimitHoldsWhateverIsConfigured) {
    const UdpPeer peer;
    config::OutductConfig config = config_of(peer.port());
    config.max_datagram_bytes = 1'000'000;
    connect(config);
    EXPECT_EQ(outduct->max_bundle_bytes(), 65'507U);
    send(octets_of(65'508, 1));
    EXPECT_EQ(host.refused.count(0), 1U);
    EXPECT_EQ(host.transmitted, 1U);
}

TEST_F(UdpOutductTest, SpeaksIpv6) {
    config::InductConfig listen;
    listen.url = {"udp", "::1", 0, {}};
    listen.max_bundle_size_bytes = 1'000'000;
    const auto induct = make_owned<UdpInduct>(bench.resources(), listen);
    ASSERT_TRUE(induct->open());
    host.changes.clear();
    connect(config_of(induct->port(), "::1"));
    EXPECT_EQ(outduct->max_bundle_bytes(), 65'527U);
    for (const std::size_t size : {65'527, 1'000, 1'000, 7}) transmit(octets_of(size, size));
    outduct->flush();
    auto &bundles = host.bundles[UpstreamId{0}];
    ASSERT_TRUE(bench.run_until([&] { return bundles.size() == 4; }));
    for (std::size_t i = 0; i < bundles.size(); ++i) EXPECT_EQ(bundles[i], *sent[i]);
    induct->close();
}

// The first datagrams are lost, as UDP does; then the link sends one now and then until a socket is
// bound there.
TEST_F(UdpOutductTest, LivesThroughAPeerThatIsAbsent) {
    std::uint16_t port = 0;
    {
        const UdpPeer gone;
        port = gone.port();
    }
    connect(config_of(port));
    const auto offer = [&] {
        if (outduct->transmit_credit() > 0) send(octets_of(100, next_token));
        return outduct->errors().refused >= 4;
    };
    ASSERT_TRUE(bench.run_until(offer));
    EXPECT_EQ(host.changes.back(), (Change{LinkState::kConnected, LinkFault::kNone}));
    EXPECT_LT(next_token, 20U) << "one datagram an attempt";

    const UdpPeer back(port);
    ASSERT_TRUE(bench.run_until([&] {
        (void)offer();
        return back.receive().has_value();
    }));
    const std::uint64_t before = outduct->errors().refused;
    ASSERT_TRUE(bench.run_until([&] { return outduct->transmit_credit() > 1; }));
    send(octets_of(100, 1));
    EXPECT_EQ(outduct->errors().refused, before);
    EXPECT_EQ(host.transmitted, next_token);
    EXPECT_EQ(host.times(LinkState::kConnected), 1U);
}

TEST_F(UdpOutductTest, TheHostHearsWhenAHeldLinkTakesMore) {
    std::uint16_t port = 0;
    {
        const UdpPeer gone;
        port = gone.port();
    }
    connect(config_of(port));
    int writable = 0;
    host.when_writable = [&] { ++writable; };
    while (outduct->errors().refused == 0) send(octets_of(100, next_token));
    EXPECT_EQ(outduct->transmit_credit(), 0U);
    ASSERT_TRUE(bench.run_until([&] { return writable > 0; }));
}

TEST_F(UdpOutductTest, BindsToTheAddressThatIsConfigured) {
    const UdpPeer peer;
    config::OutductConfig config = config_of(peer.port());
    config.bind_address = "127.0.0.9";
    connect(config);
    send(octets_of(10, 1));
    sockaddr_in from{};
    socklen_t size = sizeof from;
    std::array<std::uint8_t, 100> octets;
    ASSERT_TRUE(bench.run_until([&] {
        return ::recvfrom(peer.fd(), octets.data(), octets.size(), 0,
                          reinterpret_cast<sockaddr *>(&from), &size) == 10;
    }));
    EXPECT_EQ(ntohl(from.sin_addr.s_addr), 0x7f000009U);
}

TEST_F(UdpOutductTest, WithoutAUsableAddressItKeepsTrying) {
    const UdpPeer peer;
    config::OutductConfig config = config_of(peer.port());
    config.bind_address = "::1";
    open(config);
    bench.run_idle();
    EXPECT_EQ(host.changes.size(), 1U);
    EXPECT_EQ(host.state(), LinkState::kConnecting);
    outduct->close();
    EXPECT_EQ(host.state(), LinkState::kClosed);
    bench.run_idle();
    EXPECT_EQ(host.changes.size(), 2U);
}

TEST_F(UdpOutductTest, ClosesAtOnceAndOpensAgain) {
    const UdpPeer peer;
    connect(config_of(peer.port()));
    transmit(octets_of(100, 1));
    outduct->close();
    EXPECT_EQ(host.transmitted, 0U) << "the host still holds what was not begun";
    outduct->open();
    ASSERT_TRUE(bench.run_until([&] { return host.state() == LinkState::kConnected; }));
    send(octets_of(100, 2));
    EXPECT_EQ(host.transmitted, 2U);
    EXPECT_EQ(read(peer, 1), (std::vector<Bytes>{*sent[1]}));
}

TEST_F(UdpOutductTest, HoldsItsRate) {
    const UdpPeer peer;
    config::OutductConfig config = config_of(peer.port());
    config.rate_limit = BitRate{16'000'000};
    connect(config);
    constexpr std::uint64_t kBundles = 100;  // 1,000 octets each: 50 ms
    const TimePoint start = monotonic_now();
    const auto fill = [&] {
        while (next_token < kBundles && outduct->transmit_credit() > 0) {
            EXPECT_LE(outduct->transmit_credit(), 20'000U) << "woken late it catches up";
            send(octets_of(1'000, next_token));
        }
    };
    host.when_writable = fill;
    fill();
    ASSERT_TRUE(bench.run_until([&] { return next_token == kBundles; }));
    EXPECT_GE(monotonic_now() - start, milliseconds(45));
    EXPECT_EQ(read(peer, kBundles).size(), kBundles);
}

// The bucket has something again before flush() returns; a host that got 0 is woken nevertheless.
TEST_F(UdpOutductTest, AFastLimitedFlowNeverStandsStill) {
    const UdpPeer peer;
    config::OutductConfig config = config_of(peer.port());
    config.rate_limit = BitRate{1'000'000'000};
    connect(config);
    const auto fill = [&] {
        while (next_token < 2'000 && outduct->transmit_credit() > 0) {
            transmit(Bytes(1'000, 0x55));
            if (outduct->transmit_credit() == 0) outduct->flush();
        }
        outduct->flush();
    };
    host.when_writable = fill;
    fill();
    EXPECT_TRUE(bench.run_until([&] {
        while (peer.receive()) continue;
        return next_token == 2'000;
    }));
}

TEST_F(UdpOutductTest, TheContactsRateHoldsAsWell) {
    const UdpPeer peer;
    config::OutductConfig config = config_of(peer.port());
    config.rate_limit = BitRate{16'000'000};
    connect(config);
    EXPECT_EQ(outduct->transmit_credit(), 2'000U);
    outduct->set_rate(BitRate{8'000'000});
    EXPECT_EQ(outduct->transmit_credit(), 1'000U);
    outduct->set_rate(BitRate{80'000'000});
    ASSERT_TRUE(bench.run_until([&] { return outduct->transmit_credit() == 2'000; }));
}

TEST_F(UdpOutductTest, AFasterRateWakesAHostThatWaits) {
    const UdpPeer peer;
    connect(config_of(peer.port()));
    outduct->set_rate(BitRate{8});
    send(octets_of(60'000, 1));
    EXPECT_EQ(outduct->transmit_credit(), 0U);
    bool writable = false;
    host.when_writable = [&] { writable = true; };
    outduct->set_rate(BitRate{});
    EXPECT_TRUE(bench.run_until([&] { return writable; }));
}

TEST_F(UdpOutductTest, SendsKeepAlivesWhenItHasNothingElse) {
    const UdpPeer peer;
    config::OutductConfig config = config_of(peer.port());
    config.keep_alive_interval_s = 1;
    connect(config);
    EXPECT_EQ(read(peer, 1), (std::vector<Bytes>{Bytes(4, 0)}));
    EXPECT_EQ(host.transmitted, 0U);
}

}  // namespace
}  // namespace farlink::cla::udp::udp_outduct_test
