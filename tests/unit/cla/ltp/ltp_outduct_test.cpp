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

}  // namespace
}  // namespace farlink::cla::ltp::ltp_outduct_test
