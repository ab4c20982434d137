// SPDX-License-Identifier: Apache-2.0
#include "cla/io/connector.hpp"

#include <gtest/gtest.h>

#include <optional>

#include "cla/io/tcp_address.hpp"
#include "tests/support/link_bench.hpp"
#include "tests/support/tcp_peer.hpp"

namespace farlink::cla::connector_test {
namespace {

using boost::asio::ip::tcp;
using test::TcpListener;

class ConnectorTest : public testing::Test {
protected:
    ConnectorTest() {
        config.url = {"stcp", "127.0.0.1", 0, {}};
        config.reconnect_min = milliseconds(1);
        config.reconnect_max = milliseconds(5);
    }
    void start() {
        connector = std::make_unique<Connector>(
            bench.io, config, 1, [this](tcp::socket socket) { connected = std::move(socket); },
            [this](const std::string &why) { failed = why; });
        connector->start();
    }
    [[nodiscard]] bool connects() {
        return bench.run_until([&] { return connected.has_value(); });
    }

    test::LinkBench bench;
    config::OutductConfig config;
    std::unique_ptr<Connector> connector;
    std::optional<tcp::socket> connected;
    std::string failed;
};

TEST_F(ConnectorTest, HandsOutASocketThatNeverWaits) {
    const TcpListener listener;
    config.url.port = listener.port();
    start();
    ASSERT_TRUE(connects());
    EXPECT_TRUE(connected->non_blocking());
    tcp::no_delay no_delay;
    connected->get_option(no_delay);
    EXPECT_TRUE(no_delay.value());
    EXPECT_EQ(address_of_peer(*connected), "127.0.0.1");
}

TEST_F(ConnectorTest, LooksUpNames) {
    const TcpListener listener;
    config.url = {"stcp", "localhost", listener.port(), {}};
    start();
    EXPECT_TRUE(connects()) << "whichever kind of address comes first";
}

TEST_F(ConnectorTest, GoesOnWithANameThatIsNotKnown) {
    config.url = {"stcp", "no-such-host.invalid", 4556, {}};
    start();
    EXPECT_TRUE(bench.run_until([&] { return !failed.empty(); }));
    EXPECT_FALSE(connected);
    EXPECT_TRUE(failed.starts_with("cannot look up no-such-host.invalid: ")) << failed;
    connector->stop();
    bench.run_idle();
}

TEST_F(ConnectorTest, ConnectsFromTheAddressItIsBoundTo) {
    const TcpListener listener;
    config.url.port = listener.port();
    config.bind_address = "127.0.0.2";
    start();
    ASSERT_TRUE(connects());
    EXPECT_EQ(connected->local_endpoint().address().to_string(), "127.0.0.2");
}

TEST_F(ConnectorTest, DoesNotConnectFromAnAddressThatItDoesNotHave) {
    const TcpListener listener;
    config.url.port = listener.port();
    config.bind_address = "192.0.2.1";
    start();
    bench.run_idle();
    EXPECT_FALSE(connected);
    EXPECT_EQ(failed, "Cannot assign requested address");
}

TEST_F(ConnectorTest, TriesAgainUntilSomebodyListens) {
    TcpListener chooses;
    config.url.port = chooses.port();
    chooses.close();
    start();
    bench.run_idle();
    EXPECT_FALSE(connected);
    EXPECT_EQ(failed, "Connection refused");
    const TcpListener listener(config.url.port);
    EXPECT_TRUE(connects());
}

TEST_F(ConnectorTest, StoppedItStaysSilent) {
    const TcpListener listener;
    config.url.port = listener.port();
    start();
    connector->stop();
    bench.run_idle();
    EXPECT_FALSE(connected);
    connector->start();
    EXPECT_TRUE(connects());
}

TEST_F(ConnectorTest, WaitsAfterASession) {
    const TcpListener listener;
    config.url.port = listener.port();
    start();
    ASSERT_TRUE(connects());
    connected.reset();
    SessionOutcome outcome;
    outcome.reconnection_delay = milliseconds(50);
    const TimePoint begin = monotonic_now();
    connector->start_again(outcome);
    ASSERT_TRUE(connects());
    EXPECT_GE(monotonic_now() - begin, milliseconds(50));
}

}  // namespace
}  // namespace farlink::cla::connector_test
