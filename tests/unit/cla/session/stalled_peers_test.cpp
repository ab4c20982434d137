// SPDX-License-Identifier: Apache-2.0
// Peers that stop in the middle of large bundles, over real sockets.
#include "cla/tcpcl/v4/tcpclv4_link.hpp"
#include "tests/support/hand_made.hpp"
#include "tests/unit/cla/session/session_fixture.hpp"

namespace farlink::cla::stalled_peers_test {
namespace {

using test::TcpPeer;

class StalledPeers : public SessionTest {
protected:
    StalledPeers() {
        protocol = tcpclv4::make_session;
        in.max_bundle_size_bytes = 4'000'000;
        out.bind_address = "127.0.0.9";
        server.knows_only = "127.0.0.9";
    }
    /// Sends most of a bundle of 4 MB, from 127.0.0.`address`.
    TcpPeer stall(std::uint8_t address) {
        using namespace test::v4;
        TcpPeer peer = TcpPeer::connect(induct->port(), address);
        constexpr unsigned kWhole = 3;
        Bytes octets = opening();
        append(octets, segment_head(kWhole, 0, 4'000'000));
        octets.resize(octets.size() + 3'500'000, 7);
        std::size_t sent = 0;
        const TimePoint give_up = monotonic_now() + seconds(5);
        EXPECT_TRUE(until([&] {
            sent += peer.send(ByteView(octets).subspan(sent));
            (void)peer.receive();
            return sent == octets.size() || peer.ended() || monotonic_now() > give_up;
        }));
        return peer;
    }
};

TEST_F(StalledPeers, OfOneAddressLeaveRoomForEverybodyElse) {
    listen();
    std::vector<TcpPeer> stalled;
    for (int i = 0; i < 10; ++i) stalled.push_back(stall(1));
    EXPECT_LE(bench.pool.pinned_bytes(), bench.pool.limit_bytes() / 2);
    const std::size_t before = server.received();

    connect();
    ASSERT_TRUE(reaches(LinkState::kConnected));
    send_some(client, *outduct, 1, 3'900'000);
    ASSERT_TRUE(until([&] { return client.transmitted == 1; }));
    EXPECT_TRUE(client.refused.empty());
    EXPECT_EQ(server.received(), before + 1);
}

TEST_F(StalledPeers, OfManyAddressesLeaveRoomForANeighbour) {
    listen();
    std::vector<TcpPeer> stalled;
    for (std::uint8_t address = 10; address < 20; ++address) stalled.push_back(stall(address));
    connect();
    ASSERT_TRUE(reaches(LinkState::kConnected));
    ASSERT_TRUE(until([&] {
        send_some(client, *outduct, 3, 3'900'000);
        return client.transmitted == 3;
    }));
    EXPECT_TRUE(client.refused.empty());
}

}  // namespace
}  // namespace farlink::cla::stalled_peers_test
