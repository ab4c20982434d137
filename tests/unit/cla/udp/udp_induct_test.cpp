// SPDX-License-Identifier: Apache-2.0
#include "cla/udp/udp_induct.hpp"

#include <gtest/gtest.h>

#include "tests/support/link_bench.hpp"
#include "tests/support/udp_peer.hpp"

namespace farlink::cla::udp::udp_induct_test {
namespace {

using test::octets_of;
using test::UdpPeer;

config::InductConfig config_of(const char *host = "127.0.0.1", std::uint16_t port = 0) {
    config::InductConfig config;
    config.id = LinkId{3};
    config.url = {"udp", host, port, {}};
    config.max_bundle_size_bytes = 1'000'000;
    return config;
}

class UdpInductTest : public testing::Test {
protected:
    UdpInductTest() { bench.drive_clock(); }

    void open(const config::InductConfig &config = config_of()) {
        induct = make_owned<UdpInduct>(bench.resources(), config);
        ASSERT_TRUE(induct->open());
        ASSERT_NE(induct->port(), 0);
    }
    void send(const Bytes &octets) { peer.send_to(induct->port(), octets); }
    [[nodiscard]] const std::vector<Bytes> &bundles() { return host.bundles[UpstreamId{0}]; }
    [[nodiscard]] bool arrives(std::size_t count) {
        return bench.run_until([&] { return bundles().size() >= count; });
    }

    test::LinkBench bench;
    test::RecordingHost &host = bench.host;
    UdpPeer peer;
    Owned<UdpInduct> induct;
};

TEST_F(UdpInductTest, EveryDatagramIsABundleWhateverItsSize) {
    open();
    EXPECT_EQ(host.state(), LinkState::kConnected);
    std::vector<Bytes> sent;
    for (const std::size_t size : {1, 3, 5, 100, 1'472, 9'000, 65'507, 64, 65'507, 2})
        sent.push_back(octets_of(size, size));
    for (const Bytes &bundle : sent) send(bundle);
    ASSERT_TRUE(arrives(sent.size()));
    EXPECT_EQ(bundles(), sent);
    EXPECT_EQ(bench.pool.pinned_bytes(), 0U) << "an idle link holds no memory";
}

TEST_F(UdpInductTest, WhoeverSendsIsTheSameUpstream) {
    open();
    UdpPeer other;
    send(octets_of(10, 1));
    other.send_to(induct->port(), octets_of(10, 2));
    ASSERT_TRUE(arrives(2));
    EXPECT_EQ(host.bundles.size(), 1U);
}

TEST_F(UdpInductTest, KeepAlivesAndEmptyDatagramsAreNoBundles) {
    open();
    send(Bytes(4, 0));
    send(Bytes{});
    send(Bytes(5, 0xff));
    ASSERT_TRUE(arrives(1));
    EXPECT_EQ(bundles().front(), Bytes(5, 0xff));
    EXPECT_EQ(induct->counters().keep_alives, 1U);
    EXPECT_EQ(induct->counters().empty, 1U);
}

TEST_F(UdpInductTest, BundlesAboveTheLimitAreReported) {
    config::InductConfig limited = config_of();
    limited.max_bundle_size_bytes = 1'000;
    open(limited);
    for (int i = 0; i < 3; ++i) send(octets_of(1'001, 1));
    send(octets_of(1'000, 2));
    ASSERT_TRUE(arrives(1));
    ASSERT_TRUE(bench.run_until([&] { return host.too_large >= 3; }));
    EXPECT_EQ(host.too_large, 3U);
    EXPECT_EQ(bundles(), std::vector<Bytes>{octets_of(1'000, 2)});
    send(octets_of(10, 3));
    ASSERT_TRUE(arrives(2));
    bench.run_idle();
    EXPECT_EQ(host.too_large, 3U) << "each is reported once";
}

TEST_F(UdpInductTest, WhilePausedNothingIsRead) {
    open();
    send(octets_of(10, 1));
    ASSERT_TRUE(arrives(1));
    induct->pause(UpstreamId{0}, true);
    send(octets_of(10, 2));
    bench.run_idle();
    EXPECT_EQ(bundles().size(), 1U);
    induct->pause(UpstreamId{7}, false);
    bench.run_idle();
    EXPECT_EQ(bundles().size(), 1U) << "that was not this upstream";
    induct->pause(UpstreamId{0}, false);
    ASSERT_TRUE(arrives(2));
}

TEST_F(UdpInductTest, TheHostMayPauseDuringACall) {
    open();
    host.when_bundles = [&](UpstreamId from) { induct->pause(from, true); };
    for (std::uint64_t i = 0; i < 100; ++i) send(octets_of(10, i));
    ASSERT_TRUE(arrives(1));
    const std::size_t taken = bundles().size();
    bench.run_idle();
    EXPECT_EQ(bundles().size(), taken);
    host.when_bundles = nullptr;
    induct->pause(UpstreamId{0}, false);
    ASSERT_TRUE(arrives(100));
}

TEST_F(UdpInductTest, WhatTheKernelDropsIsCounted) {
    config::InductConfig config = config_of();
    config.socket_buffer_bytes = 16 * 1024;
    open(config);
    induct->pause(UpstreamId{0}, true);
    for (std::uint64_t i = 0; i < 200; ++i) send(octets_of(1'000, i));
    induct->pause(UpstreamId{0}, false);
    ASSERT_TRUE(bench.run_until([&] { return bundles().size() + induct->dropped() == 200; }));
    EXPECT_GT(induct->dropped(), 0U);
    EXPECT_GT(bundles().size(), 0U);
}

TEST_F(UdpInductTest, WithoutMemoryItWaits) {
    open();
    std::vector<SlabRef> all;
    while (SlabRef slab = bench.pool.acquire()) all.push_back(std::move(slab));
    send(octets_of(1'000, 1));
    bench.run_idle();
    EXPECT_TRUE(bundles().empty());
    all.clear();
    ASSERT_TRUE(arrives(1));
}

TEST_F(UdpInductTest, ListensOnIpv6) {
    open(config_of("::1"));
    const int fd = ::socket(AF_INET6, SOCK_DGRAM, 0);
    sockaddr_in6 address{};
    address.sin6_family = AF_INET6;
    address.sin6_port = htons(induct->port());
    address.sin6_addr = in6addr_loopback;
    const Bytes bundle = octets_of(65'527, 1);
    EXPECT_EQ(::sendto(fd, bundle.data(), bundle.size(), 0,
                       reinterpret_cast<const sockaddr *>(&address), sizeof address),
              65'527);
    ::close(fd);
    ASSERT_TRUE(arrives(1));
    EXPECT_EQ(bundles().front(), bundle);
}

TEST_F(UdpInductTest, AnAddressInUseCannotBeOpened) {
    const auto second =
        make_owned<UdpInduct>(bench.resources(), config_of("127.0.0.1", peer.port()));
    EXPECT_FALSE(second->open());
    const auto nowhere = make_owned<UdpInduct>(bench.resources(), config_of("192.0.2.1"));
    EXPECT_FALSE(nowhere->open());
}

TEST_F(UdpInductTest, IsDeafAfterItsEnd) {
    open();
    send(octets_of(10, 1));
    ASSERT_TRUE(arrives(1));
    send(octets_of(10, 2));
    induct->close();
    bench.run_idle();
    EXPECT_EQ(bundles().size(), 1U);
}

}  // namespace
}  // namespace farlink::cla::udp::udp_induct_test
