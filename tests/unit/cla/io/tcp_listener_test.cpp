// SPDX-License-Identifier: Apache-2.0
#include "cla/io/tcp_listener.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <vector>

#include "tests/support/link_bench.hpp"
#include "tests/support/tcp_peer.hpp"

namespace farlink::cla::tcp_listener_test {
namespace {

using boost::asio::ip::tcp;
using test::TcpPeer;

class TcpListenerTest : public testing::Test {
protected:
    TcpListenerTest()
        : listener(make_owned<TcpListener>(bench.io, [this](tcp::socket socket) {
              accepted.push_back(std::move(socket));
              if (when_accepted) when_accepted();
          })) {}
    [[nodiscard]] bool accepts(std::size_t count) {
        return bench.run_until([&] { return accepted.size() >= count; });
    }

    test::LinkBench bench;
    std::vector<tcp::socket> accepted;
    std::function<void()> when_accepted;
    Owned<TcpListener> listener;
};

TEST_F(TcpListenerTest, HandsOutSocketsThatNeverWait) {
    ASSERT_TRUE(listener->open({"stcp", "127.0.0.1", 0, {}}, 100'000));
    ASSERT_NE(listener->port(), 0);
    const TcpPeer one = TcpPeer::connect(listener->port());
    const TcpPeer two = TcpPeer::connect(listener->port());
    ASSERT_TRUE(accepts(2));
    tcp::no_delay no_delay;
    accepted[0].get_option(no_delay);
    EXPECT_TRUE(no_delay.value());
    EXPECT_TRUE(accepted[0].non_blocking());
    boost::asio::socket_base::receive_buffer_size size;
    accepted[0].get_option(size);
    EXPECT_EQ(size.value(), 100'000);
}

TEST_F(TcpListenerTest, OpensByNameAndByIPv6) {
    EXPECT_TRUE(listener->open({"stcp", "localhost", 0, {}}));
    listener->close();
    EXPECT_TRUE(listener->open({"stcp", "::1", 0, {}}));
    listener->close();
    EXPECT_FALSE(listener->open({"stcp", "192.0.2.1", 0, {}})) << "not an address of this machine";
    EXPECT_FALSE(listener->open({"stcp", "no-such-host.invalid", 0, {}}));
}

TEST_F(TcpListenerTest, RefusesConnectionsUntilItListens) {
    ASSERT_TRUE(listener->bind({"stcp", "127.0.0.1", 0, {}}));
    EXPECT_TRUE(listener->is_bound());
    const std::uint16_t port = listener->port();
    ASSERT_NE(port, 0);
    EXPECT_THROW((void)TcpPeer::connect(port), std::runtime_error);
    ASSERT_TRUE(listener->listen());
    EXPECT_EQ(listener->port(), port);
    const TcpPeer peer = TcpPeer::connect(port);
    EXPECT_TRUE(accepts(1));
}

// Two programs may bind a port at which no program listens.
TEST_F(TcpListenerTest, SaysWhyItCannotListenAfterAll) {
    ASSERT_TRUE(listener->bind({"stcp", "127.0.0.1", 0, {}}));
    const test::TcpListener other(listener->port());
    EXPECT_FALSE(listener->listen());
    EXPECT_EQ(listener->failure(), "Address already in use");
    EXPECT_FALSE(listener->is_bound());
}

TEST_F(TcpListenerTest, MayBeClosedWhileItHandsOut) {
    ASSERT_TRUE(listener->open({"stcp", "127.0.0.1", 0, {}}));
    when_accepted = [this] { listener->close(); };
    const TcpPeer one = TcpPeer::connect(listener->port());
    const TcpPeer two = TcpPeer::connect(listener->port());
    ASSERT_TRUE(accepts(1));
    bench.run_idle();
    EXPECT_EQ(accepted.size(), 1U);
}

// Out of file descriptors it tries again a little later, without spinning.
TEST_F(TcpListenerTest, GoesOnAfterAnAcceptThatFailed) {
#if defined(__SANITIZE_ADDRESS__)
    GTEST_SKIP() << "the sanitizer itself needs a descriptor to look at an object's type";
#endif
    ASSERT_TRUE(listener->open({"stcp", "127.0.0.1", 0, {}}));
    const TcpPeer peer = TcpPeer::connect(listener->port());
    rlimit before{};
    ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
    const rlimit none{3, before.rlim_max};
    ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &none), 0);
    bench.run_idle();
    EXPECT_TRUE(accepted.empty());
    ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &before), 0);
    EXPECT_TRUE(accepts(1));
}

}  // namespace
}  // namespace farlink::cla::tcp_listener_test
