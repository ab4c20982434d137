// SPDX-License-Identifier: Apache-2.0
#include "cla/udp/udp_socket.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cerrno>

#include "cla/io/datagram_options.hpp"
#include "tests/support/octets.hpp"
#include "tests/support/udp_peer.hpp"

namespace farlink::cla::udp::udp_socket_test {
namespace {

using test::octets_of;
using test::UdpPeer;

class UdpSocketTest : public testing::Test {
protected:
    UdpSocketTest() {
        const sockaddr_in address = UdpPeer::loopback_at(to.port());
        EXPECT_EQ(
            ::connect(from.fd(), reinterpret_cast<const sockaddr *>(&address), sizeof address), 0);
    }
    [[nodiscard]] int send(ByteView octets, std::uint32_t datagrams, std::uint32_t segment_size) {
        iovec piece{const_cast<std::uint8_t *>(octets.data()), octets.size()};
        const OutMessage message{
            {&piece, 1}, static_cast<std::uint32_t>(octets.size()), datagrams, segment_size};
        return send_messages(from.fd(), {&message, 1});
    }

    UdpPeer from;
    UdpPeer to;
};

TEST_F(UdpSocketTest, OneMessageIsCutIntoDatagrams) {
    if (!has_segmentation(from.fd())) GTEST_SKIP() << "this kernel does not cut messages";
    const Bytes octets = octets_of(2'500, 1);
    EXPECT_EQ(send(octets, 3, 1'000), 1);
    EXPECT_EQ(to.receive(), Bytes(octets.begin(), octets.begin() + 1'000));
    EXPECT_EQ(to.receive(), Bytes(octets.begin() + 1'000, octets.begin() + 2'000));
    EXPECT_EQ(to.receive(), Bytes(octets.begin() + 2'000, octets.end()));
}

TEST_F(UdpSocketTest, AMessageThatArrivesWholeTellsItsSegments) {
    if (!has_segmentation(from.fd()) || !enable_coalescing(to.fd()))
        GTEST_SKIP() << "this kernel has no offload";
    const Bytes octets = octets_of(2'500, 1);
    EXPECT_EQ(send(octets, 3, 1'000), 1);
    EXPECT_EQ(send(octets, 1, 2'500), 1);
    Bytes slots(6'000);
    Bytes spills(6'000);
    const std::array<UdpReceiver::Space, 3> spaces{
        {{MutableBytes(slots).first(2'000), MutableBytes(spills).first(2'000)},
         {MutableBytes(slots).subspan(2'000, 4'000), {}},
         {MutableBytes(slots).subspan(0, 1), {}}}};
    std::array<InMessage, 3> messages;
    ASSERT_EQ(receive_messages(to.fd(), spaces, messages), 2);
    EXPECT_EQ(messages[0].size, 2'500U);
    EXPECT_EQ(messages[0].segment_size, 1'000U);
    EXPECT_EQ(messages[1].size, 2'500U);
    EXPECT_EQ(messages[1].segment_size, 0U);
    EXPECT_TRUE(std::equal(slots.begin(), slots.begin() + 2'000, octets.begin()));
    EXPECT_TRUE(std::equal(spills.begin(), spills.begin() + 500, octets.begin() + 2'000));
    EXPECT_TRUE(std::equal(slots.begin() + 2'000, slots.begin() + 4'500, octets.begin()));
    EXPECT_EQ(receive_messages(to.fd(), spaces, messages), -1);
    EXPECT_EQ(errno, EAGAIN);
}

TEST_F(UdpSocketTest, TellsTheBuffersThatTheSystemGives) {
    EXPECT_EQ(set_receive_buffer(to.fd(), 100'000), 100'000U);
    EXPECT_EQ(set_send_buffer(to.fd(), 100'000), 100'000U);
    EXPECT_GT(set_receive_buffer(to.fd(), ~std::uint64_t{0}), 0U);
    EXPECT_EQ(set_receive_buffer(-1, 100'000), 0U);
}

TEST_F(UdpSocketTest, KnowsWhatIpDoesNotFragment) {
    EXPECT_EQ(unfragmented_bytes(from.fd(), false), 65'507U)
        << "the largest packet, whatever the interface takes";
    EXPECT_EQ(unfragmented_bytes(to.fd(), false), 0U) << "it has no peer";
}

TEST_F(UdpSocketTest, CountsWhatTheKernelDrops) {
    set_receive_buffer(to.fd(), 4'096);
    EXPECT_EQ(dropped_datagrams(to.fd()), 0U);
    for (int i = 0; i < 50; ++i) EXPECT_EQ(send(octets_of(1'000, 1), 1, 1'000), 1);
    EXPECT_GT(dropped_datagrams(to.fd()), 0U);
}

TEST_F(UdpSocketTest, TellsOnceThatNobodyListens) {
    const UdpPeer lonely;
    {
        const UdpPeer gone;
        const sockaddr_in address = UdpPeer::loopback_at(gone.port());
        ASSERT_EQ(
            ::connect(lonely.fd(), reinterpret_cast<const sockaddr *>(&address), sizeof address),
            0);
    }
    EXPECT_EQ(::send(lonely.fd(), "x", 1, 0), 1);
    EXPECT_EQ(pending_error(lonely.fd()), ECONNREFUSED);
    EXPECT_EQ(pending_error(lonely.fd()), 0);
}

}  // namespace
}  // namespace farlink::cla::udp::udp_socket_test
