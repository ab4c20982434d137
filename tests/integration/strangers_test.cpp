// SPDX-License-Identifier: Apache-2.0
// A node beside unknown peers: those at addresses of the loopback network to which no outduct
// leads. An outduct leads to 127.0.0.1, so a peer with that address is known.
#include <gtest/gtest.h>
#include <poll.h>

#include "common/runtime/clock.hpp"
#include "tests/support/hand_made.hpp"
#include "tests/support/node_program.hpp"
#include "tests/support/stcp_stream.hpp"
#include "tests/support/tcp_peer.hpp"
#include "tests/support/test_bundle.hpp"

namespace farlink::test::strangers_test {
namespace {

using Json = nlohmann::json;

constexpr std::uint8_t kKnown = 1;
constexpr std::uint8_t kStranger = 2;
constexpr std::uint8_t kSender = 3;

class Strangers : public testing::TestWithParam<const char *> {
protected:
    [[nodiscard]] bool tcpcl() const { return GetParam() == std::string("tcpclv4"); }
    /// A peer that is silent after it has opened its session.
    [[nodiscard]] TcpPeer come(std::uint8_t last_octet) const {
        TcpPeer peer = TcpPeer::connect(node.port(), last_octet);
        if (tcpcl()) say(peer, v4::opening());
        return peer;
    }
    static void say(const TcpPeer &peer, const Bytes &octets) {
        EXPECT_EQ(peer.send(octets), octets.size());
    }
    [[nodiscard]] Bytes framed_bundle() const {
        TestBundle bundle;
        bundle.from = bp::ipn_eid(77, 1);
        bundle.to = bp::ipn_eid(99, 1);
        bundle.created_ms = read_wall_clock().dtn_ms;
        const Bytes octets = bundle.octets();
        constexpr unsigned kStartAndEnd = 3;
        if (tcpcl()) return v4::segment_head(kStartAndEnd, 0, octets.size()) + octets;
        Bytes frame;
        append_frame(frame, octets);
        return frame;
    }
    /// Reads until the node ends the session; false at the limit.
    static bool ends_within(TcpPeer &peer, seconds limit) {
        const TimePoint give_up = monotonic_now() + limit;
        while (!peer.ended()) {
            const TimePoint now = monotonic_now();
            if (now >= give_up) return false;
            pollfd polled{peer.fd(), POLLIN, 0};
            const auto left = std::chrono::ceil<milliseconds>(give_up - now).count();
            if (::poll(&polled, 1, static_cast<int>(left)) > 0) (void)peer.receive();
        }
        return true;
    }

    const TempFolder folder;
    NodeProgram node{
        folder, Json{{"myNodeId", 10},
                     {"storageConfig", {{"storeFilePath", "store"}}},
                     {"inductsConfig", Json::array({{{"url", loopback_url(GetParam(), 0)},
                                                     {"strangerIdleTimeoutSeconds", 1}}})},
                     {"outductsConfig",
                      Json::array({{{"url", loopback_url("stcp", 1)}, {"nextHopNodeId", 20}}})}}};
};
INSTANTIATE_TEST_SUITE_P(Layers, Strangers, testing::Values("stcp", "tcpclv4"));

TEST_P(Strangers, AreDisconnectedSoonWithoutABundle) {
    TcpPeer known = come(kKnown);
    TcpPeer sender = come(kSender);
    say(sender, framed_bundle());
    ASSERT_TRUE(node.wait_until([&] { return node.value("storage_stored_now") == 1; }))
        << node.counters();
    TcpPeer stranger = come(kStranger);
    const TimePoint begin = monotonic_now();
    EXPECT_TRUE(ends_within(stranger, seconds(20)));
    EXPECT_GE(monotonic_now() - begin, milliseconds(900))
        << "it is not disconnected within its first second";
    EXPECT_FALSE(ends_within(known, seconds(2))) << "an outduct leads there";
    EXPECT_FALSE(ends_within(sender, seconds(0))) << "it has sent a bundle";
    known.close();
    sender.close();
    node.stop();
}

}  // namespace
}  // namespace farlink::test::strangers_test
