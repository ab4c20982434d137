// SPDX-License-Identifier: Apache-2.0
// STCP's links with the framing of MTCP, over real sockets.
#include <gtest/gtest.h>

#include "cla/stcp/stcp_induct.hpp"
#include "cla/stcp/stcp_outduct.hpp"
#include "tests/support/link_bench.hpp"
#include "tests/support/mtcp_stream.hpp"
#include "tests/support/tcp_peer.hpp"

namespace farlink::cla::stcp::mtcp_link_test {
namespace {

using test::octets_of;
using test::TcpPeer;

constexpr UpstreamId kFirst{0};

class MtcpLink : public testing::Test {
protected:
    MtcpLink() {
        config::InductConfig config;
        config.id = LinkId{3};
        config.url = {"mtcp", "127.0.0.1", 0, {}};
        config.max_bundle_size_bytes = 1'000'000;
        config.max_sessions = 4;
        induct = make_owned<StcpInduct>(bench.resources(), config);
        EXPECT_TRUE(induct->open());
    }
    /// A way out to `port`, connected.
    void connect_to(std::uint16_t port, std::uint32_t keep_alive_s = 0) {
        config::OutductConfig config;
        config.id = LinkId{5};
        config.url = {"mtcp", "127.0.0.1", port, {}};
        config.keep_alive_interval_s = keep_alive_s;
        config.reconnect_min = config.reconnect_max = milliseconds(1);
        outduct = make_owned<StcpOutduct>(bench.resources(), config, 1);
        outduct->open();
        ASSERT_TRUE(bench.run_until([&] { return outduct->transmit_credit() > 0; }));
    }

    test::LinkBench bench;
    test::RecordingHost &host = bench.host;
    Owned<StcpInduct> induct;
    Owned<StcpOutduct> outduct;
};

TEST_F(MtcpLink, CarriesBundlesOfAllSizes) {
    connect_to(induct->port());
    std::vector<Bytes> sent;
    std::vector<TxBundle> batch;
    for (const std::size_t size : {1U, 23U, 24U, 300U, 70'000U, 1'000'000U})
        sent.push_back(octets_of(size, size));
    for (const Bytes &bundle : sent) batch.push_back({{}, bundle, {}, bundle.size(), batch.size()});
    outduct->transmit(batch);
    outduct->flush();
    EXPECT_TRUE(bench.run_until([&] { return host.bundles[kFirst].size() == sent.size(); }));
    EXPECT_EQ(host.bundles[kFirst], sent);
    EXPECT_TRUE(bench.run_until([&] { return host.transmitted == sent.size(); }));
}

TEST_F(MtcpLink, KeepAlivesAreEmptyByteStrings) {
    const test::TcpListener listener;
    connect_to(listener.port(), 1);
    std::optional<TcpPeer> peer;
    ASSERT_TRUE(bench.run_until([&] { return (peer = listener.accept()).has_value(); }));
    Bytes stream;
    EXPECT_TRUE(bench.run_until([&] {
        append(stream, peer->receive());
        return !stream.empty();
    }));
    EXPECT_EQ(stream, Bytes{0x40});
}

TEST_F(MtcpLink, KeepAlivesAreTakenAnyTime) {
    TcpPeer peer = TcpPeer::connect(induct->port());
    Bytes stream{0x40};
    test::append_mtcp_frame(stream, octets_of(100, 1), 8);
    append(stream, Bytes{0x40, 0x58, 0x00});
    peer.send(stream);
    EXPECT_TRUE(bench.run_until([&] { return host.bundles[kFirst].size() == 1; }));
    bench.run_idle();
    EXPECT_TRUE(host.closed.empty());
}

TEST_F(MtcpLink, AStreamOfSomethingElseIsAProtocolError) {
    TcpPeer peer = TcpPeer::connect(induct->port());
    peer.send(Bytes{0x5f, 0x41, 0x00, 0xff});
    EXPECT_TRUE(bench.run_until([&] { return host.closed.contains(kFirst); }));
    EXPECT_EQ(host.closed[kFirst], LinkFault::kProtocolError);
    EXPECT_EQ(bench.pool.pinned_bytes(), 0U);
}

TEST_F(MtcpLink, AContactHeaderIsToldByName) {
    TcpPeer peer = TcpPeer::connect(induct->port());
    peer.send(Bytes{'d', 't', 'n', '!', 4, 0});
    EXPECT_TRUE(bench.run_until([&] { return host.closed.contains(kFirst); }));
    EXPECT_EQ(host.closed[kFirst], LinkFault::kTcpclNotMtcp);
}

}  // namespace
}  // namespace farlink::cla::stcp::mtcp_link_test
