// SPDX-License-Identifier: Apache-2.0
#include "cla/ltp/io/dropped_senders.hpp"

#include <gtest/gtest.h>

namespace farlink::cla::ltp::dropped_senders_test {
namespace {

TEST(LtpDroppedSenders, AllDatagramsAreCountedAndFewSendersAreNamed) {
    DroppedSenders dropped("of others");
    const auto loopback = boost::asio::ip::address_v4::loopback();
    for (std::uint16_t port = 1; port <= 3 * DroppedSenders::kMostNamed; ++port)
        for (int datagram = 0; datagram < 2; ++datagram)
            dropped.count(DatagramAddress({loopback, port}), LinkId{1}, TimePoint(seconds(1)));
    EXPECT_EQ(dropped.total(), 6 * DroppedSenders::kMostNamed);
    dropped.count(DatagramAddress({loopback, 1}), LinkId{1}, TimePoint(seconds(100)));
    EXPECT_EQ(dropped.total(), 6 * DroppedSenders::kMostNamed + 1);
}

}  // namespace
}  // namespace farlink::cla::ltp::dropped_senders_test
