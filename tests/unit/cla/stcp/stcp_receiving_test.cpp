// SPDX-License-Identifier: Apache-2.0
// An induct of a node that cannot keep bundles yet: no kernel may acknowledge them.
#include <gtest/gtest.h>

#include <stdexcept>

#include "cla/stcp/stcp_induct.hpp"
#include "tests/support/link_bench.hpp"
#include "tests/support/stcp_stream.hpp"
#include "tests/support/tcp_peer.hpp"

namespace farlink::cla::stcp::stcp_receiving_test {
namespace {

using test::TcpPeer;

class StcpReceivingTest : public testing::Test {
protected:
    StcpReceivingTest() {
        config::InductConfig config;
        config.id = LinkId{3};
        config.url = {"stcp", "127.0.0.1", 0, {}};
        config.max_bundle_size_bytes = 1'000'000;
        config.max_sessions = 16;
        induct = make_owned<StcpInduct>(bench.resources(), config);
        induct->set_receiving(false);
    }

    test::LinkBench bench;
    Owned<StcpInduct> induct;
};

TEST_F(StcpReceivingTest, ItListensOnlyOnceTheNodeReceives) {
    ASSERT_TRUE(induct->open());
    ASSERT_NE(induct->port(), 0);
    EXPECT_FALSE(induct->listens());
    EXPECT_THROW((void)TcpPeer::connect(induct->port()), std::runtime_error);
    induct->set_receiving(true);
    EXPECT_TRUE(induct->listens());
    induct->set_receiving(false);
    EXPECT_TRUE(induct->listens()) << "its sessions may be paused";
    const TcpPeer peer = TcpPeer::connect(induct->port());
    Bytes stream;
    test::append_frame(stream, test::octets_of(10, 1));
    EXPECT_EQ(peer.send(stream), stream.size());
    EXPECT_TRUE(bench.run_until([&] { return !bench.host.bundles.empty(); }));
}

TEST_F(StcpReceivingTest, OneThatNeverListenedHasNothingToClose) {
    ASSERT_TRUE(induct->open());
    const std::uint16_t port = induct->port();
    induct->close();
    induct->set_receiving(true);
    EXPECT_THROW((void)TcpPeer::connect(port), std::runtime_error);
    EXPECT_TRUE(bench.host.changes.empty()) << "nobody waits for its end";
}

TEST_F(StcpReceivingTest, OneThatStopsDoesNotWaitForRoomThatTheHostDoesNotExpect) {
    constexpr UpstreamId kFirst{0};
    ASSERT_TRUE(induct->open());
    induct->set_receiving(true);
    const TcpPeer peer = TcpPeer::connect(induct->port());
    ASSERT_TRUE(bench.run_until([&] { return bench.next_upstream == 1; }));
    induct->give_up();
    EXPECT_FALSE(bench.host.closed.contains(kFirst)) << "it is not closed";
    induct->pause(kFirst, true);
    Bytes stream;
    test::append_frame(stream, test::octets_of(1000, 1));
    EXPECT_EQ(peer.send(stream), stream.size());
    bench.run_idle();
    induct->close();
    testing::internal::CaptureStderr();
    induct->give_up();
    const std::string log = testing::internal::GetCapturedStderr();
    EXPECT_EQ(bench.host.state(), LinkState::kClosed);
    EXPECT_EQ(bench.host.closed.at(kFirst), LinkFault::kNone);
    EXPECT_NE(log.find("link 3: closed with 1004 bytes unread from 1 peer"), std::string::npos)
        << log;
    induct->give_up();
    EXPECT_EQ(bench.host.times(LinkState::kClosed), 1U);
}

}  // namespace
}  // namespace farlink::cla::stcp::stcp_receiving_test
