// SPDX-License-Identifier: Apache-2.0
#include "cla/ltp/io/segment_socket.hpp"

#include <gtest/gtest.h>

#include "tests/support/link_bench.hpp"

namespace farlink::cla::ltp::segment_socket_test {
namespace {

using boost::asio::ip::udp;

struct LtpSegmentSocket : testing::Test, SegmentSocket::User {
    LtpSegmentSocket() { EXPECT_FALSE(socket->open(any)); }

    void on_readable() override { ++readable; }
    void on_writable() override { ++writable; }
    void on_turn() override { ++turns; }
    void send_datagram() {
        udp::socket sender(bench.io, udp::v4());
        sender.send_to(boost::asio::buffer("x", 1), {any.address(), socket->port()});
    }

    test::LinkBench bench;
    int readable = 0;
    int writable = 0;
    int turns = 0;
    const udp::endpoint any{boost::asio::ip::address_v4::loopback(), 0};
    Owned<SegmentSocket> socket =
        make_owned<SegmentSocket>(bench.io, static_cast<SegmentSocket::User &>(*this));
};

TEST_F(LtpSegmentSocket, EachWaitCallsBackOnce) {
    socket->wait_readable();
    socket->wait_readable();
    socket->wait_writable();
    EXPECT_TRUE(socket->blocked());
    socket->post_turn();
    socket->post_turn();
    send_datagram();
    ASSERT_TRUE(bench.run_until([&] { return readable > 0 && writable > 0 && turns > 0; }));
    bench.run_idle();
    EXPECT_EQ(readable, 1);
    EXPECT_EQ(writable, 1);
    EXPECT_EQ(turns, 1);
    EXPECT_FALSE(socket->blocked());
}

TEST_F(LtpSegmentSocket, CloseSilencesAllWaits) {
    socket->wait_readable();
    socket->wait_writable();
    socket->post_turn();
    send_datagram();
    socket->abandon();
    const std::weak_ptr<SegmentSocket> body = socket.hold();
    ASSERT_TRUE(bench.run_until([&] { return body.use_count() == 1; }));
    EXPECT_EQ(readable + writable + turns, 0);
}

TEST_F(LtpSegmentSocket, AnAddressInUseIsAnError) {
    const auto second =
        make_owned<SegmentSocket>(bench.io, static_cast<SegmentSocket::User &>(*this));
    EXPECT_TRUE(second->open({any.address(), socket->port()}));
    EXPECT_TRUE(second->closed());
}

}  // namespace
}  // namespace farlink::cla::ltp::segment_socket_test
