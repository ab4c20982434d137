// SPDX-License-Identifier: Apache-2.0
// What both versions of TCPCL promise of a link, over real sockets.
#include "cla/tcpcl/v3/tcpclv3_link.hpp"
#include "cla/tcpcl/v4/tcpclv4_link.hpp"
#include "tests/unit/cla/session/session_cuts.hpp"

namespace farlink::cla::tcpcl_link_test {
namespace {

struct Version {
    const char *name;
    CoreFactory make;
};

class TcpclLink : public SessionCuts, public ::testing::WithParamInterface<Version> {
protected:
    TcpclLink() { protocol = GetParam().make; }
};

TEST_P(TcpclLink, CarriesBundlesBothWaysOnOneConnection) {
    listen();
    connect();
    ASSERT_TRUE(connected());
    Outduct *back = induct->attach(at_server(), kBack);
    ASSERT_NE(back, nullptr);
    EXPECT_EQ(server.upstreams.at(at_server()).peer.node_id, "ipn:2.0");
    constexpr std::size_t kCount = 300;
    constexpr std::size_t kBytes = 30'000;
    ASSERT_TRUE(until([&] {
        send_some(client, *outduct, kCount, kBytes);
        send_some(server, *back, kCount, kBytes);
        return client.transmitted == kCount && server.transmitted == kCount;
    }));
    expect_bundles(server.upstreams.begin()->second.bundles, kCount, kBytes);
    expect_bundles(client.upstreams.begin()->second.bundles, kCount, kBytes);
    bench.run_idle();
    EXPECT_EQ(bench.pool.pinned_bytes(), 0U) << "idle sessions hold no memory";
}

TEST_P(TcpclLink, CarriesLargeBundlesInSegments) {
    in.segment_mru_bytes = 70'000;
    listen();
    connect();
    ASSERT_TRUE(connected());
    constexpr std::size_t kBytes = 3'000'000;
    ASSERT_TRUE(until([&] {
        send_some(client, *outduct, 5, kBytes);
        return client.transmitted == 5;
    }));
    expect_bundles(server.upstreams.begin()->second.bundles, 5, kBytes);
}

TEST_P(TcpclLink, CarriesManySmallBundles) {
    listen();
    connect();
    ASSERT_TRUE(connected());
    constexpr std::size_t kCount = 20'000;
    ASSERT_TRUE(until([&] {
        send_some(client, *outduct, kCount, 100);
        return client.transmitted == kCount;
    }));
    expect_bundles(server.upstreams.begin()->second.bundles, kCount, 100);
}

TEST_P(TcpclLink, EndsInOrder) {
    listen();
    connect();
    ASSERT_TRUE(connected());
    server.acknowledge_at_once = false;
    send_some(client, *outduct, 5, 1000);
    ASSERT_TRUE(until([&] { return server.received() == 5; }));
    outduct->close();
    bench.run_idle();
    EXPECT_EQ(client.state(), LinkState::kClosing);
    server.acknowledge(at_server());
    EXPECT_TRUE(reaches(LinkState::kClosed));
    EXPECT_EQ(client.transmitted, 5U);
    EXPECT_EQ(client.changes.back().fault, LinkFault::kNone);
    EXPECT_TRUE(until([&] { return server.open_upstreams() == 0; }));
    EXPECT_EQ(server.upstreams.at(at_server()).closed, LinkFault::kPeerTerminated);
}

TEST_P(TcpclLink, AClosingInductEndsItsSessionsInOrder) {
    listen();
    connect();
    ASSERT_TRUE(connected());
    send_some(client, *outduct, 5, 1000);
    ASSERT_TRUE(until([&] { return client.transmitted == 5; }));
    induct->close();
    EXPECT_TRUE(until([&] { return server.state() == LinkState::kClosed; }));
    EXPECT_EQ(server.upstreams.at(at_server()).closed, LinkFault::kNone);
    EXPECT_TRUE(until([&] { return client.times(LinkState::kConnecting) == 2; }));
    EXPECT_EQ(client.changes.back().fault, LinkFault::kPeerTerminated);
}

TEST_P(TcpclLink, LeavesAPeerAloneThatRefusesEverything) {
    server.answer = TransferDisposition::kNoResources;
    listen();
    connect();
    ASSERT_TRUE(connected());
    ASSERT_TRUE(until([&] {
        if (outduct->transmit_credit() > 0) send_some(client, *outduct, client.next_token + 1, 10);
        return client.times(LinkState::kConnecting) == 2;
    }));
    EXPECT_EQ(client.changes.back().fault, LinkFault::kPeerRefusesBundles);
}

// Beyond maxUnsettledBytes bundles are refused, and reported to the host.
TEST_P(TcpclLink, BundlesBeyondTheLimitAreReportedToTheHost) {
    in.on_no_resources = config::NoResources::kPause;
    in.max_unacknowledged_bytes = 70'000;
    server.acknowledge_at_once = false;
    listen();
    connect();
    ASSERT_TRUE(connected());
    ASSERT_TRUE(send_some(client, *outduct, 5, 30'000));
    ASSERT_TRUE(until([&] { return server.refused_arrivals == 3; }));
    EXPECT_EQ(server.received(), 2U);
    EXPECT_EQ(client.refused.size(), 0U) << "in the order of the transfers";
    server.acknowledge(at_server(), TransferDisposition::kNoResources);
    ASSERT_TRUE(until([&] { return client.transmitted == 5; }));
    EXPECT_EQ(client.refused.size(), 5U);
    send_some(client, *outduct, 6, 30'000);
    ASSERT_TRUE(until([&] { return server.received() == 3; }));
    server.acknowledge(at_server());
    ASSERT_TRUE(until([&] { return client.transmitted == 6; }));
    EXPECT_EQ(server.refused_arrivals, 3U);
}

TEST_P(TcpclLink, EachBundleIsDeliveredWhateverIsCut) {
    deliver_through_cuts(300, 20'000);
}

class Tcpclv4Link : public SessionCuts {
protected:
    Tcpclv4Link() { protocol = tcpclv4::make_session; }
};

// Only version 4 has a transfer MRU.
TEST_F(Tcpclv4Link, BundlesAboveThePeersLimitEndNoSession) {
    in.max_bundle_size_bytes = 1'000;
    listen();
    connect();
    ASSERT_TRUE(connected());
    constexpr std::size_t kTooLarge = 40;
    ASSERT_TRUE(until([&] {
        if (outduct->transmit_credit() > 0)
            send_some(client, *outduct, std::min(client.next_token + 1, kTooLarge), 1'001);
        return client.transmitted == kTooLarge;
    }));
    EXPECT_EQ(client.refused.size(), kTooLarge);
    send_some(client, *outduct, kTooLarge + 1, 1'000);
    ASSERT_TRUE(until([&] { return client.transmitted == kTooLarge + 1; }));
    EXPECT_EQ(client.refused.size(), kTooLarge);
    EXPECT_EQ(client.times(LinkState::kConnecting), 1U) << "the peer has refused nothing";
}

INSTANTIATE_TEST_SUITE_P(Versions, TcpclLink,
                         ::testing::Values(Version{"v3", tcpclv3::make_session},
                                           Version{"v4", tcpclv4::make_session}),
                         [](const auto &version) { return version.param.name; });

}  // namespace
}  // namespace farlink::cla::tcpcl_link_test
