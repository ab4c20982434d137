// SPDX-License-Identifier: Apache-2.0
// An LTP outduct and an LTP induct on one loop: what each tells its host.
#include <gtest/gtest.h>

#include <set>

#include "cla/ltp/ltp_induct.hpp"
#include "cla/ltp/ltp_outduct.hpp"
#include "tests/support/link_bench.hpp"
#include "tests/support/rude_ltp_peer.hpp"
#include "tests/support/temp_folder.hpp"

namespace farlink::cla::ltp {
namespace {

using test::octets_of;

config::LtpConfig quick_ltp(std::uint64_t engine) {
    config::LtpConfig ltp;
    ltp.engine_id = engine;
    ltp.data_segment_mtu = 1360;
    ltp.report_segment_mtu = 1360;
    ltp.margin = milliseconds(50);
    ltp.max_retries = 3;
    ltp.random_number_bits = 64;
    ltp.receive_elements = 4096;
    ltp.max_receive_sessions = 1000;
    ltp.max_send_sessions = 1000;
    return ltp;
}

template <class Config>
Config limited(Config config) {
    config.max_in_flight_bytes = 4'000'000;
    config.max_in_flight_bundles = 1000;
    config.max_unacknowledged_bytes = 4'000'000;
    config.max_bundle_size_bytes = 4'000'000;
    return config;
}

/// A layer's counter by its name, as the host has counted it.
std::uint64_t count(const test::RecordingHost &host, const std::string &node_id,
                    std::string_view name) {
    const auto names = ltp_count_names();
    const auto place = std::ranges::find(names, name);
    EXPECT_NE(place, names.end()) << name;
    const auto counts = host.counted.find(node_id);
    return counts == host.counted.end()
               ? 0
               : counts->second.at(static_cast<std::size_t>(place - names.begin()));
}

class LtpLinkTest : public testing::Test {
protected:
    LtpLinkTest() { bench.drive_clock(); }

    /// Of the way back by the induct's port.
    static constexpr std::uint64_t kWindow = 100'000'000;

    void listen(config::LtpAuthenticationConfig authentication = {}, std::uint16_t port = 0) {
        config::InductConfig config;
        config.id = LinkId{1};
        config.url = {"ltp", "127.0.0.1", port, {}};
        config.max_sessions = 8;
        config.ltp = quick_ltp(20);
        config.ltp.authentication = std::move(authentication);
        config.ltp.ping_interval = ping_interval;
        config = limited(config);
        config.max_in_flight_bytes = kWindow;
        auto keys = LtpKeys::make(config);
        ASSERT_TRUE(keys);
        induct = std::make_unique<LtpInduct>(
            LinkResources{bench.io, bench.buffer, receiving, bench.next_upstream}, config,
            std::move(*keys));
        ASSERT_TRUE(induct->open());
        receiving.when_bundles = [this](UpstreamId from) {
            if (acknowledge) induct->acknowledge(from, acknowledged++, 1, *acknowledge);
        };
    }
    [[nodiscard]] config::OutductConfig towards(std::uint16_t port) const {
        config::OutductConfig config;
        config.id = LinkId{2};
        config.url = {"ltp", "127.0.0.1", port, {}};
        config.next_hop = NodeNumber{20};
        config.peer_node_id = "ipn:20.0";
        config.reconnect_min = milliseconds(1);
        config.reconnect_max = milliseconds(20);
        config.ltp = quick_ltp(10);
        config.ltp.ping_interval = ping_interval;
        return limited(config);
    }
    void connect(const config::OutductConfig &config) {
        auto keys = LtpKeys::make(config);
        ASSERT_TRUE(keys);
        outduct = std::make_unique<LtpOutduct>(bench.resources(), config, std::move(*keys), 1);
        outduct->open();
        ASSERT_TRUE(bench.run_until([&] { return host.state() == LinkState::kConnected; }));
    }
    void send(std::size_t size) {
        Bytes bundle = octets_of(size, next_token);
        // No bundle begins so, and what stands alone in its block is handed on all the same.
        bundle[0] = 0;
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
    [[nodiscard]] std::size_t arrived() const {
        std::size_t count = 0;
        for (const auto &[from, bundles] : receiving.bundles) count += bundles.size();
        return count;
    }

    /// A port that is free now.
    [[nodiscard]] std::uint16_t free_port() {
        const boost::asio::ip::udp::endpoint any(boost::asio::ip::address_v4::loopback(), 0);
        return boost::asio::ip::udp::socket(bench.io, any).local_endpoint().port();
    }
    /// The way back to the engine that a bundle has come from; the host of the induct calls it 9.
    [[nodiscard]] Outduct *way_back() {
        const std::size_t before = arrived();
        send(100);
        EXPECT_TRUE(bench.run_until([&] { return arrived() == before + 1; }));
        EXPECT_TRUE(bench.run_until([&] { return host.transmitted == next_token; }));
        return induct->attach(receiving.bundles.rbegin()->first, LinkId{9});
    }
    void send_back(Outduct &back, std::uint64_t token) {
        sent.push_back(std::make_unique<Bytes>(octets_of(1000, token)));
        (*sent.back())[0] = 0;
        TxBundle tx;
        tx.body = ByteView(*sent.back());
        tx.size = sent.back()->size();
        tx.token = token;
        back.transmit({&tx, 1});
        back.flush();
    }

    test::LinkBench bench;
    Duration ping_interval{};
    test::RecordingHost &host = bench.host;
    test::RecordingHost receiving;
    std::optional<TransferDisposition> acknowledge = TransferDisposition::kSafe;
    std::uint64_t acknowledged = 0;
    std::vector<std::unique_ptr<Bytes>> sent;
    std::uint64_t next_token = 7;
    std::unique_ptr<LtpInduct> induct;
    std::unique_ptr<LtpOutduct> outduct;
};

TEST_F(LtpLinkTest, BundlesArriveAndAreReported) {
    listen();
    connect(towards(induct->port()));
    for (const std::size_t size : {1, 1000, 5'000, 400'000}) send(size);
    ASSERT_TRUE(bench.run_until([&] { return host.transmitted == 11; }));
    ASSERT_EQ(arrived(), 4U);
    const auto &bundles = receiving.bundles.begin()->second;
    for (std::size_t i = 0; i < sent.size(); ++i) EXPECT_EQ(bundles[i], *sent[i]) << i;
    EXPECT_TRUE(host.refused.empty());
}

TEST_F(LtpLinkTest, NothingIsReportedBeforeItIsSafe) {
    acknowledge.reset();
    listen();
    connect(towards(induct->port()));
    send(1000);
    ASSERT_TRUE(bench.run_until([&] { return arrived() == 1; }));
    bench.run_idle();
    EXPECT_EQ(host.transmitted, 0U);
    induct->acknowledge(receiving.bundles.begin()->first, 0, 1, TransferDisposition::kSafe);
    induct->flush_acknowledgements();
    EXPECT_TRUE(bench.run_until([&] { return host.transmitted == 8; }));
    EXPECT_TRUE(host.refused.empty());
}

TEST_F(LtpLinkTest, ABundleWithoutRoomIsRefused) {
    acknowledge = TransferDisposition::kNoResources;
    listen();
    connect(towards(induct->port()));
    send(1000);
    ASSERT_TRUE(bench.run_until([&] { return host.transmitted == 8; }));
    EXPECT_EQ(host.refused, (std::map<std::uint64_t, Refusal>{{7, Refusal::kNoResources}}));
}

TEST_F(LtpLinkTest, ANeighbourThatDoesNotAnswerTakesTheLinkDown) {
    listen();
    const config::OutductConfig config = towards(induct->port());
    induct->close();
    connect(config);
    send(1000);
    ASSERT_TRUE(bench.run_until([&] { return host.times(LinkState::kConnecting) == 2; }));
    EXPECT_EQ(host.changes.back().fault, LinkFault::kUnresponsive);
    EXPECT_TRUE(bench.run_until([&] { return host.state() == LinkState::kConnected; }));
}

// As while the node of the neighbour stops, and its engine does not. Its bundles are none that the
// neighbour has refused.
TEST_F(LtpLinkTest, ANeighbourWithoutAClientTakesTheLinkDownEachTimeForLonger) {
    test::RudeLtpPeer rude(CancelReason::kUnreachable);
    config::OutductConfig config = towards(rude.port());
    config.reconnect_min = milliseconds(20);
    config.reconnect_max = milliseconds(200);
    connect(config);
    std::size_t asked = 0;
    for (std::size_t down = 2; down <= 5; ++down) {
        ASSERT_TRUE(bench.run_until([&] { return host.state() == LinkState::kConnected; }));
        send(1000);
        ASSERT_TRUE(bench.run_until([&] {
            asked = rude.answer();
            return host.times(LinkState::kConnecting) == down;
        }));
        EXPECT_EQ(host.changes.back().fault, LinkFault::kNoClient);
        EXPECT_EQ(outduct->transmit_credit(), 0U);
    }
    EXPECT_EQ(asked, 4U) << "each bundle is offered once a connection";
    for (const auto &[token, refusal] : host.refused)
        EXPECT_EQ(refusal, Refusal::kSessionTerminating) << token;
}

TEST_F(LtpLinkTest, OtherCancellationsOfANeighbourLeaveTheLinkUp) {
    for (const auto &[reason, refusal] :
         {std::pair{CancelReason::kSystemCancelled, Refusal::kNoResources},
          std::pair{CancelReason::kRetransmitLimit, Refusal::kRetransmit},
          std::pair{CancelReason::kUserCancelled, Refusal::kRetransmit}}) {
        host.changes.clear();
        host.refused.clear();
        test::RudeLtpPeer rude(reason);
        connect(towards(rude.port()));
        send(1000);
        ASSERT_TRUE(bench.run_until([&] {
            rude.answer();
            return host.refused.size() == 1;
        }));
        EXPECT_EQ(host.refused.begin()->second, refusal);
        EXPECT_EQ(host.state(), LinkState::kConnected);
    }
}

// What it does not know yet it hears when its link was down, and only then.
TEST_F(LtpLinkTest, ANeighbourThatIsAskedMustAnswerBeforeTheLinkComesUpAgain) {
    ping_interval = milliseconds(50);
    listen();
    const std::uint16_t port = induct->port();
    connect(towards(port));
    induct->close();
    ASSERT_TRUE(bench.run_until([&] { return host.state() == LinkState::kConnecting; }));
    EXPECT_EQ(host.changes.back().fault, LinkFault::kUnresponsive);
    for (int slice = 0; slice < 40; ++slice) bench.run_idle();
    EXPECT_EQ(host.state(), LinkState::kConnecting);
    listen({}, port);
    ASSERT_TRUE(bench.run_until([&] { return host.state() == LinkState::kConnected; }));
    send(1000);
    EXPECT_TRUE(bench.run_until([&] { return host.transmitted == next_token; }));
}

TEST_F(LtpLinkTest, ThePortStaysFromOneContactToTheNext) {
    listen();
    connect(towards(induct->port()));
    Outduct *const back = way_back();
    ASSERT_NE(back, nullptr);
    outduct->suspend();
    bench.run_idle();
    EXPECT_EQ(host.state(), LinkState::kConnected);
    outduct->open();
    send_back(*back, 0);
    EXPECT_TRUE(bench.run_until([&] { return host.bundles.size() == 1; }));
    EXPECT_EQ(host.times(LinkState::kConnected), 1U);
}

TEST_F(LtpLinkTest, AnEngineThatDoesNotAnswerTakesTheWayToItDown) {
    listen();
    connect(towards(induct->port()));
    Outduct *const back = way_back();
    ASSERT_NE(back, nullptr);
    outduct.reset();
    for (std::uint64_t token = 0; token < 3; ++token) send_back(*back, token);
    ASSERT_TRUE(bench.run_until([&] { return receiving.state() == LinkState::kConnecting; }));
    EXPECT_EQ(receiving.changes.back().fault, LinkFault::kUnresponsive);
    EXPECT_EQ(receiving.refused.size(), 3U);
    EXPECT_EQ(receiving.transmitted, 3U) << "nothing is under way to it";
    EXPECT_EQ(back->transmit_credit(), 0U);
    EXPECT_TRUE(receiving.closed.empty()) << "what comes from it is taken";
    // Nobody knows whether it answers pings, so it is tried.
    ASSERT_TRUE(bench.run_until([&] { return receiving.state() == LinkState::kConnected; }));
    EXPECT_GT(back->transmit_credit(), 0U);
    send_back(*back, 3);
    ASSERT_TRUE(bench.run_until([&] { return receiving.state() == LinkState::kConnecting; }));
    EXPECT_EQ(receiving.transmitted, 4U);
}

TEST_F(LtpLinkTest, AnEngineThatIsAskedMustAnswerBeforeTheWayToItComesUpAgain) {
    ping_interval = milliseconds(50);
    listen();
    config::OutductConfig config = towards(induct->port());
    config.ltp.sender_bound_port = free_port();
    connect(config);
    Outduct *const back = way_back();
    ASSERT_NE(back, nullptr);
    outduct.reset();
    ASSERT_TRUE(bench.run_until([&] { return receiving.state() == LinkState::kConnecting; }));
    for (int slice = 0; slice < 40; ++slice) bench.run_idle();
    EXPECT_EQ(receiving.state(), LinkState::kConnecting);
    connect(config);
    ASSERT_TRUE(bench.run_until([&] { return receiving.state() == LinkState::kConnected; }));
    send_back(*back, 0);
    EXPECT_TRUE(bench.run_until([&] { return host.bundles.size() == 1; }));
}

TEST_F(LtpLinkTest, AnEngineAtAnotherPortTakesThePlaceOfOneThatOwesAnAnswer) {
    listen();
    connect(towards(induct->port()));
    Outduct *const back = way_back();
    ASSERT_NE(back, nullptr);
    const UpstreamId former = receiving.bundles.begin()->first;
    outduct.reset();
    send_back(*back, 0);
    const TimePoint overdue = monotonic_now() + milliseconds(110);
    ASSERT_TRUE(bench.run_until([&] { return monotonic_now() > overdue; }));
    connect(towards(induct->port()));
    acknowledged = 0;
    send(100);
    ASSERT_TRUE(bench.run_until([&] { return receiving.closed.contains(former); }));
    EXPECT_EQ(receiving.closed.at(former), LinkFault::kPeerClosed);
}

TEST_F(LtpLinkTest, WhatWasSentOutlivesItsContact) {
    acknowledge.reset();
    listen();
    connect(towards(induct->port()));
    send(1000);
    ASSERT_TRUE(bench.run_until([&] { return arrived() == 1; }));
    outduct->suspend();
    EXPECT_EQ(outduct->transmit_credit(), 0U);
    EXPECT_EQ(host.state(), LinkState::kConnected) << "its bundles stay with it";
    bench.run_idle();
    outduct->open();
    induct->acknowledge(receiving.bundles.begin()->first, 0, 1, TransferDisposition::kSafe);
    induct->flush_acknowledgements();
    EXPECT_TRUE(bench.run_until([&] { return host.transmitted == 8; }));
    EXPECT_EQ(host.times(LinkState::kConnected), 1U);
}

TEST_F(LtpLinkTest, ClosingWaitsForWhatWasSent) {
    acknowledge.reset();
    listen();
    connect(towards(induct->port()));
    send(1000);
    ASSERT_TRUE(bench.run_until([&] { return arrived() == 1; }));
    outduct->close();
    EXPECT_EQ(host.state(), LinkState::kClosing);
    induct->acknowledge(receiving.bundles.begin()->first, 0, 1, TransferDisposition::kSafe);
    induct->flush_acknowledgements();
    ASSERT_TRUE(bench.run_until([&] { return host.state() == LinkState::kClosed; }));
    EXPECT_EQ(host.transmitted, 8U);
}

TEST_F(LtpLinkTest, AnEngineThatStartsAnewTakesThePlaceOfTheFormer) {
    listen();
    for (std::uint32_t run = 1; run <= 3; ++run) {
        acknowledged = 0;
        host.changes.clear();
        connect(towards(induct->port()));
        send(100);
        ASSERT_TRUE(bench.run_until([&] { return arrived() == run; }));
        ASSERT_TRUE(bench.run_until([&] { return host.transmitted == next_token; }));
        bench.run_idle();
    }
    EXPECT_EQ(receiving.closed.size(), 2U);
}

TEST_F(LtpLinkTest, AnEngineAtTwoAddressesInTurnsIsKnownAtBothInTheEnd) {
    listen();
    const boost::asio::ip::udp::endpoint to(boost::asio::ip::address_v4::loopback(),
                                            induct->port());
    using boost::asio::ip::udp;
    std::array<udp::socket, 2> sockets{udp::socket(bench.io, udp::v4()),
                                       udp::socket(bench.io, udp::v4())};
    const Bytes cancel{0x0c, 77, 5, 0, 0};
    Bytes answer(16);
    for (int turn = 0; turn < 400; ++turn) {
        udp::socket &socket = sockets[turn % 2];
        socket.send_to(boost::asio::buffer(cancel), to);
        ASSERT_TRUE(bench.run_until([&] { return socket.available() > 0; })) << turn;
        socket.receive(boost::asio::buffer(answer));
    }
    EXPECT_LE(receiving.closed.size(), 200U) << "64 a second";
    EXPECT_LE(induct->engines(), 2U);
}

TEST_F(LtpLinkTest, TheHostHearsWhatWasCounted) {
    acknowledge.reset();
    listen();
    connect(towards(induct->port()));
    send(5'000);
    ASSERT_TRUE(bench.run_until([&] { return arrived() == 1; }));
    outduct->report_counts();
    induct->report_counts();
    EXPECT_EQ(count(host, "ipn:20.0", "segments_sent"), 4U);
    EXPECT_EQ(count(host, "ipn:20.0", "blocks_sent"), 1U);
    EXPECT_EQ(count(host, "ipn:20.0", "sessions_out_open"), 1U);
    EXPECT_EQ(count(receiving, "ipn:10.0", "segments_received"), 4U);
    EXPECT_EQ(count(receiving, "ipn:10.0", "blocks_received"), 1U);
    EXPECT_EQ(count(receiving, "ipn:10.0", "sessions_in_open"), 1U);
    induct->acknowledge(receiving.bundles.begin()->first, 0, 1, TransferDisposition::kSafe);
    induct->flush_acknowledgements();
    ASSERT_TRUE(bench.run_until([&] { return host.transmitted == 8; }));
    outduct->report_counts();
    EXPECT_EQ(count(host, "ipn:20.0", "blocks_delivered"), 1U);
    EXPECT_EQ(count(host, "ipn:20.0", "sessions_out_open"), 0U);
    // And an acknowledgement, which the rate lets wait for a moment.
    EXPECT_TRUE(bench.run_until([&] {
        outduct->report_counts();
        return count(host, "ipn:20.0", "segments_sent") == 5U;
    }));
    // What goes takes its sessions along.
    induct->close();
    EXPECT_EQ(count(receiving, "ipn:10.0", "sessions_in_open"), 0U);
    EXPECT_EQ(count(receiving, "ipn:10.0", "blocks_received"), 1U);
}

TEST_F(LtpLinkTest, CancelledSessionsAreCountedByReason) {
    acknowledge = TransferDisposition::kNoResources;
    listen();
    connect(towards(induct->port()));
    send(1000);
    ASSERT_TRUE(bench.run_until([&] { return host.transmitted == 8; }));
    outduct->report_counts();
    induct->report_counts();
    EXPECT_EQ(count(host, "ipn:20.0", "blocks_cancelled_sys_cncld"), 1U);
    EXPECT_EQ(count(receiving, "ipn:10.0", "receptions_cancelled_sys_cncld"), 1U);
}

TEST_F(LtpLinkTest, EveryCountHasAName) {
    std::set<std::string_view> names;
    for (const std::string_view name : ltp_count_names()) {
        EXPECT_FALSE(name.empty());
        EXPECT_TRUE(names.insert(name).second) << name;
    }
}

#if FARLINK_TLS

TEST_F(LtpLinkTest, AnEngineMustProveThatItHasTheKey) {
    test::TempFolder folder;
    folder.write("key", std::string(64, '1'));
    folder.write("other", std::string(64, '2'));
    const auto by = [&](const char *file) {
        return config::LtpAuthenticationConfig{true, config::LtpCiphersuite::kHmacSha256,
                                               folder / file, "24"};
    };
    listen(by("key"));
    config::OutductConfig config = towards(induct->port());
    for (const auto &wrong : {config::LtpAuthenticationConfig{}, by("other")}) {
        config.ltp.authentication = wrong;
        const std::uint64_t refused = induct->strangers_refused();
        connect(config);
        send(100);
        ASSERT_TRUE(bench.run_until([&] { return induct->strangers_refused() > refused; }));
        outduct.reset();
    }
    bench.run_idle();
    EXPECT_TRUE(receiving.bundles.empty());
    EXPECT_TRUE(receiving.counted.empty()) << "nobody has been let in";
    induct->report_counts();
    EXPECT_EQ(count(receiving, "", "strangers_refused"), induct->strangers_refused());
    config.ltp.authentication = by("key");
    connect(config);
    host.transmitted = 0;
    for (const std::size_t size : {1, 5'000, 400'000}) send(size);
    ASSERT_TRUE(bench.run_until([&] { return host.transmitted == next_token; }));
    EXPECT_EQ(arrived(), 3U);
    EXPECT_EQ(receiving.bundles.begin()->second.back(), *sent.back());
}

#endif  // FARLINK_TLS

TEST_F(LtpLinkTest, TheContactOfAnEnginePacesWhatTheInductSendsIt) {
    listen();
    connect(towards(induct->port()));
    send(100);
    ASSERT_TRUE(bench.run_until([&] { return host.transmitted == 8; }));
    Outduct *const back = induct->attach(receiving.bundles.begin()->first, LinkId{9});
    ASSERT_NE(back, nullptr);
    // What may be under way follows from rate and light time.
    EXPECT_EQ(back->transmit_credit(), kWindow);
    back->set_rate(BitRate{1'000'000});
    EXPECT_LT(back->transmit_credit(), kWindow / 10);
    back->set_owlt(seconds(1000));
    EXPECT_EQ(back->transmit_credit(), kWindow);
}

TEST_F(LtpLinkTest, OnlyDataIntroduceAnEngine) {
    listen();
    boost::asio::ip::udp::socket socket(bench.io, boost::asio::ip::udp::v4());
    const boost::asio::ip::udp::endpoint to(boost::asio::ip::address_v4::loopback(),
                                            induct->port());
    for (const Bytes &octets : {Bytes{0x08, 0x0a, 0x01, 0x00}, Bytes{0xff, 0xff}, Bytes{0x09}})
        socket.send_to(boost::asio::buffer(octets), to);
    EXPECT_TRUE(bench.run_until([&] { return induct->strangers_refused() == 3; }));
    EXPECT_TRUE(receiving.bundles.empty());
}

}  // namespace
}  // namespace farlink::cla::ltp
