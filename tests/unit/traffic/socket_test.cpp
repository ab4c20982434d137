// SPDX-License-Identifier: Apache-2.0
#include "apps/traffic/socket.hpp"

#include <gtest/gtest.h>
#include <poll.h>

namespace farlink::traffic {
namespace {

void wait_readable(const Socket &socket) {
    pollfd polled{socket.fd(), POLLIN, 0};
    ASSERT_EQ(::poll(&polled, 1, 10'000), 1);
}

struct Pair {
    Socket sender;
    Socket receiver;
};

Pair connected_pair() {
    auto listener = listen_on("127.0.0.1", 0);
    EXPECT_TRUE(listener);
    auto sender = connect_to("127.0.0.1", local_port(*listener));
    EXPECT_TRUE(sender);
    auto receiver = accept_from(*listener);
    EXPECT_TRUE(receiver);
    return {std::move(*sender), std::move(*receiver)};
}

TEST(Socket, CarriesPiecesInOrderAndTheEnd) {
    const Pair pair = connected_pair();
    Bytes first{1, 2, 3};
    Bytes second{4};
    iovec pieces[] = {{first.data(), first.size()}, {nullptr, 0}, {second.data(), second.size()}};
    ASSERT_EQ(write_all(pair.sender, pieces), "");
    half_close(pair.sender);

    Bytes got;
    std::uint8_t space[16];
    for (bool ended = false; !ended;) {
        wait_readable(pair.receiver);
        const ReadResult result = read_some(pair.receiver, space);
        append(got, {space, result.bytes});
        EXPECT_EQ(result.error, "");
        ended = result.ended;
    }
    EXPECT_EQ(got, (Bytes{1, 2, 3, 4}));
    EXPECT_EQ(connection_error(pair.sender), "");
}

TEST(Socket, HasNothingToReadYet) {
    const Pair pair = connected_pair();
    std::uint8_t space[16];
    const ReadResult result = read_some(pair.receiver, space);
    EXPECT_EQ(result.bytes, 0U);
    EXPECT_FALSE(result.ended);
}

TEST(Socket, TellsWhyItCannotConnect) {
    std::uint16_t port = 0;
    {
        const auto listener = listen_on("127.0.0.1", 0);
        ASSERT_TRUE(listener);
        port = local_port(*listener);
    }
    const auto socket = connect_to("127.0.0.1", port);
    ASSERT_FALSE(socket);
    EXPECT_NE(socket.error().find("Connection refused"), std::string::npos) << socket.error();
}

TEST(Socket, ReportsAPeerThatIsGone) {
    Pair pair = connected_pair();
    Bytes octets(100'000);
    {
        const Socket closed = std::move(pair.receiver);
    }
    // The first writes may still be taken by the kernel; the reset follows.
    std::string error;
    for (int i = 0; i < 1000 && error.empty(); ++i) {
        iovec piece{octets.data(), octets.size()};
        error = write_all(pair.sender, {&piece, 1});
    }
    EXPECT_FALSE(error.empty());
}

}  // namespace
}  // namespace farlink::traffic
