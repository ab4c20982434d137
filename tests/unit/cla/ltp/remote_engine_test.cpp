// SPDX-License-Identifier: Apache-2.0
// The outduct to a remote engine of an LTP induct: up, down, and up again.
#include "tests/unit/cla/ltp/ltp_link_fixture.hpp"

namespace farlink::cla::ltp::remote_engine_test {
namespace {

TEST_F(LtpLinkTest, AnEngineThatDoesNotAnswerTakesItsOutductDown) {
    listen();
    connect(towards(induct->port()));
    Outduct *const back = way_back();
    ASSERT_NE(back, nullptr);
    outduct.reset();
    for (std::uint64_t token = 0; token < 3; ++token) send_back(*back, token);
    ASSERT_TRUE(bench.run_until([&] { return receiving.state() == LinkState::kConnecting; }));
    EXPECT_EQ(receiving.changes.back().fault, LinkFault::kUnresponsive);
    EXPECT_EQ(receiving.refused.size(), 3U);
    EXPECT_EQ(receiving.transmitted, 3U) << "no bundle is left";
    EXPECT_EQ(back->transmit_credit(), 0U);
    EXPECT_TRUE(receiving.closed.empty()) << "its bundles are still accepted";
    // Without pings the outduct comes up after the back-off.
    ASSERT_TRUE(bench.run_until([&] { return receiving.state() == LinkState::kConnected; }));
    EXPECT_EQ(back->transmit_credit(), 1U) << "few bundles until the engine answers";
    send_back(*back, 3);
    ASSERT_TRUE(bench.run_until([&] { return receiving.state() == LinkState::kConnecting; }));
    EXPECT_EQ(receiving.transmitted, 4U);
}

TEST_F(LtpLinkTest, AnEngineThatIsPingedMustAnswerBeforeItsOutductComesUpAgain) {
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

TEST_F(LtpLinkTest, TheWindowFollowsTheRateOfTheContact) {
    listen();
    connect(towards(induct->port()));
    send(100);
    ASSERT_TRUE(bench.run_until([&] { return host.transmitted == 8; }));
    Outduct *const back = induct->attach(receiving.bundles.begin()->first, LinkId{9});
    ASSERT_NE(back, nullptr);
    // The window follows from rate and one-way light time.
    EXPECT_EQ(back->transmit_credit(), kWindow);
    back->set_rate(BitRate{1'000'000});
    EXPECT_LT(back->transmit_credit(), kWindow / 10);
    back->set_owlt(seconds(1000));
    EXPECT_EQ(back->transmit_credit(), kWindow);
    back->set_owlt({});  // a contact without one: that of the configuration
    EXPECT_LT(back->transmit_credit(), kWindow / 10);
}

}  // namespace
}  // namespace farlink::cla::ltp::remote_engine_test
