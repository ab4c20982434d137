// SPDX-License-Identifier: Apache-2.0
// The states of an LTP outduct: neighbours that do not answer, contacts, closing.
#include "tests/support/rude_ltp_peer.hpp"
#include "tests/unit/cla/ltp/ltp_link_fixture.hpp"

namespace farlink::cla::ltp::ltp_outduct_test {
namespace {

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

// While the light time is too short, each connection lasts and moves nothing.
TEST_F(LtpLinkTest, WithoutAcknowledgementsThePausesGrowHoweverLongTheLinkIsUp) {
    listen();
    config::OutductConfig config = towards(induct->port());
    config.reconnect_min = milliseconds(20);
    config.reconnect_max = seconds(5);
    config.ltp.margin = milliseconds(500);
    induct->close();
    connect(config);
    std::vector<Duration> pauses;
    for (std::size_t down = 2; down <= 7; ++down) {
        const TimePoint up = monotonic_now();
        send(1000);
        ASSERT_TRUE(bench.run_until([&] { return host.times(LinkState::kConnecting) == down; }));
        const TimePoint lost = monotonic_now();
        EXPECT_GT(lost - up, Reconnection::kLasting);
        ASSERT_TRUE(bench.run_until([&] { return host.state() == LinkState::kConnected; }));
        pauses.push_back(monotonic_now() - lost);
    }
    // Five doublings; a pause is measured some time after it has begun.
    EXPECT_GE(pauses.back(), 5 * config.reconnect_min);
}

TEST_F(LtpLinkTest, AfterAFailureFewBundlesAreSentUntilOneIsAcknowledged) {
    listen();
    const std::uint16_t port = induct->port();
    induct->close();
    connect(towards(port));
    const auto send_all = [this] {
        std::size_t count = 0;
        for (; count < 100 && outduct->transmit_credit() > 0; ++count) send(100);
        return count;
    };
    const auto lose = [&](std::size_t down) {
        return bench.run_until([&] { return host.times(LinkState::kConnecting) == down; });
    };
    const auto come_up = [this] {
        return bench.run_until([this] { return host.state() == LinkState::kConnected; });
    };
    EXPECT_EQ(send_all(), 100U);
    ASSERT_TRUE(lose(2));
    ASSERT_TRUE(come_up());
    const std::uint64_t first = next_token;
    EXPECT_EQ(send_all(), Trial::kBundles);
    ASSERT_TRUE(lose(3));
    for (std::uint64_t token = first; token < next_token; ++token) {
        ASSERT_TRUE(host.refused.contains(token)) << "all of them are given back to wait";
        EXPECT_EQ(host.refused.at(token), Refusal::kUnacknowledged);
    }
    listen({}, port);
    ASSERT_TRUE(come_up());
    bool asked = false;
    host.when_writable = [&asked] { asked = true; };
    EXPECT_EQ(send_all(), Trial::kBundles);
    ASSERT_TRUE(bench.run_until([&] { return host.transmitted == next_token; }));
    EXPECT_TRUE(asked);
    EXPECT_EQ(send_all(), 100U);
}

// As while the neighbour's node stops and its engine does not. Such bundles do not count as refused
// by the neighbour.
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

TEST_F(LtpLinkTest, ANeighbourThatIsPingedMustAnswerBeforeTheLinkComesUpAgain) {
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

TEST_F(LtpLinkTest, ABusyPortOfItsOwnIsReportedWithItsNumber) {
    const boost::asio::ip::udp::endpoint any(boost::asio::ip::address_v4::loopback(), 0);
    const boost::asio::ip::udp::socket busy(bench.io, any);
    config::OutductConfig config = towards(free_port());
    config.bind_address = "127.0.0.1";
    config.ltp.sender_bound_port = busy.local_endpoint().port();
    auto keys = LtpKeys::make(config);
    ASSERT_TRUE(keys);
    outduct = std::make_unique<LtpOutduct>(bench.resources(), config, std::move(*keys), 1);
    outduct->open();
    ASSERT_TRUE(bench.run_until([&] { return !host.unreachable.empty(); }));
    EXPECT_EQ(host.unreachable, "cannot bind UDP address 127.0.0.1 port " +
                                    std::to_string(config.ltp.sender_bound_port) +
                                    ": Address already in use");
    EXPECT_EQ(host.state(), LinkState::kConnecting);
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

TEST_F(LtpLinkTest, BundlesThatWereSentOutlastTheContact) {
    acknowledge.reset();
    listen();
    connect(towards(induct->port()));
    send(1000);
    ASSERT_TRUE(bench.run_until([&] { return arrived() == 1; }));
    outduct->suspend();
    EXPECT_EQ(outduct->transmit_credit(), 0U);
    EXPECT_EQ(host.state(), LinkState::kConnected) << "the link keeps its bundles";
    bench.run_idle();
    outduct->open();
    induct->acknowledge(receiving.bundles.begin()->first, 0, 1, TransferDisposition::kSafe);
    induct->flush_acknowledgements();
    EXPECT_TRUE(bench.run_until([&] { return host.transmitted == 8; }));
    EXPECT_EQ(host.times(LinkState::kConnected), 1U);
}

TEST_F(LtpLinkTest, ClosingWaitsForBundlesThatWereSent) {
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

/// The first pieces of a bundle of 10,000 octets.
struct LtpPiecesTest : LtpLinkTest {
    LtpPiecesTest() {
        bench.buffer.set_spool_above(5000);
        acknowledge.reset();
    }
    void send_piece(std::size_t from) {
        TxBundle tx;
        tx.body = ByteView(octets).subspan(from, 3000);
        tx.size = 3000;
        tx.left = octets.size() - from - 3000;
        tx.is_further_piece = from > 0;
        tx.token = next_token++;
        outduct->transmit({&tx, 1});
        outduct->flush();
    }
    /// Of the one peer; an entry without octets is the end of a bundle that was broken off.
    [[nodiscard]] std::vector<Bytes> pieces() const {
        return receiving.bundles.empty() ? std::vector<Bytes>() : receiving.bundles.begin()->second;
    }
    const Bytes octets = Bytes(10'000, 0);
};

TEST_F(LtpPiecesTest, ABreakCancelsTheBlockAndNotTheLink) {
    listen();
    connect(towards(induct->port()));
    EXPECT_TRUE(outduct->takes_pieces());
    send_piece(0);
    send_piece(3000);
    ASSERT_TRUE(bench.run_until([&] { return host.transmitted == 9; }));
    ASSERT_EQ(pieces().size(), 1U);
    EXPECT_EQ(pieces()[0].size(), 5000U);
    outduct->break_off();
    ASSERT_TRUE(bench.run_until([&] { return pieces().size() == 2; }));
    EXPECT_TRUE(pieces()[1].empty());
    acknowledge = TransferDisposition::kSafe;
    send(1000);
    EXPECT_TRUE(bench.run_until([&] { return host.transmitted == 10; }));
    EXPECT_EQ(pieces().size(), 3U);
    EXPECT_TRUE(host.refused.empty());
    EXPECT_EQ(host.times(LinkState::kConnecting), 1U);
}

TEST_F(LtpPiecesTest, TheEndOfAContactEndsTheBundle) {
    listen();
    connect(towards(induct->port()));
    send_piece(0);
    outduct->suspend();
    ASSERT_TRUE(bench.run_until([&] { return host.transmitted == 8; }));
    EXPECT_EQ(host.refused, (std::map<std::uint64_t, Refusal>{{7, Refusal::kNotSent}}));
    acknowledge = TransferDisposition::kSafe;
    outduct->open();
    send(1000);
    EXPECT_TRUE(bench.run_until([&] { return host.transmitted == 9; }));
}

// The host of the receiver has no room for pieces now.
TEST_F(LtpPiecesTest, PausedPiecesWait) {
    listen();
    connect(towards(induct->port()));
    acknowledge = TransferDisposition::kSafe;
    send(100);
    ASSERT_TRUE(bench.run_until([&] { return host.transmitted == 8; }));
    acknowledge.reset();
    induct->pause(receiving.bundles.begin()->first, true);
    send_piece(0);
    send_piece(3000);
    ASSERT_TRUE(bench.run_until([&] { return host.transmitted == 10; }));
    EXPECT_EQ(pieces().size(), 1U);
    induct->pause(receiving.bundles.begin()->first, false);
    EXPECT_EQ(pieces().size(), 2U);
}

}  // namespace
}  // namespace farlink::cla::ltp::ltp_outduct_test
