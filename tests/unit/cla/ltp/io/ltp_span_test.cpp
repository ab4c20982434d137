// SPDX-License-Identifier: Apache-2.0
// One UDP port and one engine for all spans of an LTP induct; neighbours answer from any port.
#include <gtest/gtest.h>

#include "cla/ltp/ltp_induct.hpp"
#include "cla/ltp/ltp_outduct.hpp"
#include "tests/support/link_bench.hpp"
#include "tests/support/rude_ltp.hpp"

namespace farlink::cla::ltp::ltp_span_test {
namespace {

using boost::asio::ip::udp;
using test::RudeLtp;

template <class Config>
Config with_limits(Config config) {
    config.max_in_flight_bytes = 4'000'000;
    config.max_in_flight_bundles = 1000;
    config.max_unacknowledged_bytes = 4'000'000;
    config.max_bundle_size_bytes = 4'000'000;
    config.ltp.engine_id = 10;
    config.ltp.data_segment_mtu = 1360;
    config.ltp.report_segment_mtu = 1360;
    config.ltp.margin = seconds(2);
    config.ltp.max_retries = 5;
    config.ltp.random_number_bits = 64;
    config.ltp.receive_elements = 4096;
    config.ltp.max_receive_sessions = 1000;
    config.ltp.max_send_sessions = 1000;
    return config;
}

class LtpSpans : public testing::Test {
protected:
    /// A peer at this address, with the next engine number, as a neighbour of the induct.
    config::NeighbourAddress neighbour_at(const std::string &host) {
        const std::uint64_t engine = 20 + peers.size();
        peers.push_back(std::make_unique<RudeLtp>(bench.io, engine, 10, host));
        return {NodeNumber{engine},
                "ltp://" + host + ':' + std::to_string(peers.back()->port()),
                "ipn:" + std::to_string(engine) + ".0",
                {}};
    }
    /// The neighbours of `config` from now on.
    [[nodiscard]] bool set_neighbours(std::vector<config::NeighbourAddress> neighbours) {
        listening.neighbours = std::move(neighbours);
        return induct->set_neighbours(listening);
    }
    /// Engines 20, 21 ... at these addresses, and an induct with a span to each.
    void listen(const std::vector<std::string> &hosts, bool strict = false) {
        config::InductConfig config;
        config.id = LinkId{1};
        config.url = {"ltp", "0.0.0.0", 0, {}};
        config.max_sessions = 8;
        config = with_limits(config);
        for (const std::string &host : hosts) config.neighbours.push_back(neighbour_at(host));
        config.strict = strict;
        listening = config;
        induct = std::make_unique<LtpInduct>(bench.resources(), config);
        bench.host.when_bundles = [this](UpstreamId from) {
            induct->acknowledge(from, acknowledged[from]++, 1, TransferDisposition::kSafe);
        };
        ASSERT_TRUE(induct->open());
        for (std::size_t i = 0; i < hosts.size(); ++i)
            peers[i]->send_to(
                udp::endpoint(boost::asio::ip::make_address(hosts[i]), induct->port()));
        ASSERT_TRUE(run_until([&] { return bench.next_upstream == hosts.size(); }));
        for (std::size_t i = 0; i < hosts.size(); ++i) {
            // Names are looked up in the order of the spans.
            outs.push_back(induct->attach(UpstreamId{static_cast<std::uint32_t>(i)},
                                          LinkId{static_cast<std::uint32_t>(90 + i)}));
            ASSERT_NE(outs.back(), nullptr);
        }
    }
    static config::OutductConfig towards(const RudeLtp &peer, const std::string &host,
                                         std::uint64_t engine) {
        config::OutductConfig span;
        span.id = LinkId{1};
        span.url = {"ltp", host, peer.port(), {}};
        span.next_hop = NodeNumber{engine};
        span.peer_node_id = "ipn:" + std::to_string(engine) + ".0";
        span.reconnect_min = milliseconds(1);
        span.reconnect_max = milliseconds(20);
        return with_limits(span);
    }
    template <class Done>
    [[nodiscard]] bool run_until(Done done) {
        return bench.run_until([&] {
            for (const auto &peer : peers) peer->work();
            return done();
        });
    }
    void send(Outduct &out, std::uint64_t token) {
        Bytes bundle = test::numbered_block(token, 3000);
        bundle[0] = 0;
        sent.push_back(std::make_unique<Bytes>(std::move(bundle)));
        TxBundle tx;
        tx.body = ByteView(*sent.back());
        tx.size = sent.back()->size();
        tx.token = token;
        out.transmit({&tx, 1});
        out.flush();
    }
    /// Ten bundles each way, at the same time.
    void exchange(RudeLtp &peer, Outduct &out, UpstreamId from) {
        bench.host.transmitted = 0;
        peer.side.received.clear();
        for (std::uint64_t token = 1; token <= 10; ++token) {
            send(out, token);
            peer.send(100 + token, 3000);
        }
        EXPECT_TRUE(run_until(
            [&] { return bench.host.transmitted == 11 && peer.side.delivered.size() == 10; }));
        EXPECT_EQ(peer.side.received.size(), 10U);
        for (const auto &[number, times] : peer.side.received) EXPECT_EQ(times, 1);
        EXPECT_EQ(bench.host.bundles[from].size(), 10U) << "once each";
    }

    test::LinkBench bench;
    std::vector<std::unique_ptr<RudeLtp>> peers;
    config::InductConfig listening;
    std::unique_ptr<LtpInduct> induct;
    std::unique_ptr<LtpOutduct> outduct;
    std::vector<Outduct *> outs;
    std::map<UpstreamId, std::uint64_t> acknowledged;
    std::vector<std::unique_ptr<Bytes>> sent;
};

TEST_F(LtpSpans, ANeighbourThatAnswersFromAForeignPortIsServed) {
    listen({"127.0.0.1"});
    exchange(*peers[0], *outs[0], UpstreamId{0});
    EXPECT_EQ(induct->engines(), 1U) << "the port that it sends from is no other engine";
    EXPECT_EQ(induct->strangers_refused(), 0U);
    EXPECT_TRUE(bench.host.refused.empty());
    EXPECT_TRUE(bench.host.closed.empty());
}

TEST_F(LtpSpans, SeveralNeighboursShareThePort) {
    listen({"127.0.0.2", "127.0.0.3"});
    for (std::uint32_t i = 0; i < 2; ++i) exchange(*peers[i], *outs[i], UpstreamId{i});
    EXPECT_EQ(induct->engines(), 2U);
}

TEST_F(LtpSpans, EnginesAtOneAddressAreIdentifiedByTheirSessions) {
    listen({"127.0.0.2", "127.0.0.2"});
    for (std::uint32_t i = 0; i < 2; ++i) exchange(*peers[i], *outs[i], UpstreamId{i});
    EXPECT_EQ(induct->engines(), 2U);
}

TEST_F(LtpSpans, StrictTakesAnswersFromTheNeighboursPortOnly) {
    listen({"127.0.0.1"}, true);
    send(*outs[0], 1);
    EXPECT_TRUE(run_until([&] { return induct->strangers_refused() > 0; }));
    EXPECT_EQ(bench.host.transmitted, 0U);
}

TEST_F(LtpSpans, AnOutductTakesAnswersFromAnyPortOfItsNeighbour) {
    peers.push_back(std::make_unique<RudeLtp>(bench.io, 20, 10));
    config::OutductConfig config = towards(*peers[0], "127.0.0.1", 20);
    config.id = LinkId{2};
    // The port from which the outduct sends.
    const udp::endpoint any(boost::asio::ip::address_v4::loopback(), 0);
    config.ltp.sender_bound_port = udp::socket(bench.io, any).local_endpoint().port();
    auto keys = LtpKeys::make(config);
    ASSERT_TRUE(keys);
    outduct = std::make_unique<LtpOutduct>(bench.resources(), config, std::move(*keys), 1);
    outduct->open();
    ASSERT_TRUE(run_until([&] { return bench.host.state() == LinkState::kConnected; }));
    peers[0]->send_to({boost::asio::ip::address_v4::loopback(), config.ltp.sender_bound_port});
    for (std::uint64_t token = 1; token <= 10; ++token) send(*outduct, token);
    EXPECT_TRUE(run_until([&] { return bench.host.transmitted == 11; }));
    EXPECT_EQ(peers[0]->side.received.size(), 10U);
}

TEST_F(LtpSpans, ANeighbourComesAndGoesWhileThePortServesAnother) {
    listen({"127.0.0.2"});
    exchange(*peers[0], *outs[0], UpstreamId{0});
    const config::NeighbourAddress first = listening.neighbours[0];
    const config::NeighbourAddress second = neighbour_at("127.0.0.3");
    ASSERT_TRUE(set_neighbours({first, second}));
    ASSERT_TRUE(run_until([&] { return bench.next_upstream == 2; }));
    Outduct *const out = induct->attach(UpstreamId{1}, LinkId{91});
    ASSERT_NE(out, nullptr);
    peers[1]->send_to(udp::endpoint(boost::asio::ip::make_address("127.0.0.3"), induct->port()));
    exchange(*peers[1], *out, UpstreamId{1});
    EXPECT_TRUE(bench.host.closed.empty()) << "the other session goes on";

    ASSERT_TRUE(set_neighbours({first}));
    EXPECT_TRUE(bench.host.closed.contains(UpstreamId{1}));
    EXPECT_EQ(induct->engines(), 1U);
    send(*outs[0], 11);
    EXPECT_TRUE(run_until([&] { return bench.host.transmitted == 12; }));
    EXPECT_FALSE(bench.host.closed.contains(UpstreamId{0}));
}

}  // namespace
}  // namespace farlink::cla::ltp::ltp_span_test
