// SPDX-License-Identifier: Apache-2.0
#include "cla/stcp/ack_notices.hpp"

#include <gtest/gtest.h>
#include <linux/sockios.h>
#include <poll.h>
#include <sys/ioctl.h>

#include <optional>

#include "tests/support/octets.hpp"
#include "tests/support/tcp_peer.hpp"

namespace farlink::cla::stcp::ack_notices_test {
namespace {

using test::TcpListener;
using test::TcpPeer;

int unacknowledged(const TcpPeer &peer) {
    int octets = 0;
    EXPECT_EQ(::ioctl(peer.fd(), SIOCOUTQ, &octets), 0);
    return octets;
}

TEST(AckNotices, EachWriteHasOneWhileLittleIsUnderWay) {
    AckNotices notices;
    for (std::uint64_t written = 0; written < 5'000; written += 104) {
        EXPECT_TRUE(notices.due(written, 0));
        notices.handle_asked(written + 104);
    }
}

// At high rates they would cost more than they are worth.
TEST(AckNotices, AFullPipeHasOneInARoundTrip) {
    constexpr std::uint64_t kWrite = 100'000;
    constexpr std::uint64_t kPipe = 2'000'000;
    AckNotices notices;
    std::uint64_t asked = 0;
    for (std::uint64_t written = 0; written < 10 * kPipe; written += kWrite) {
        const std::uint64_t acknowledged = written > kPipe ? written - kPipe : 0;
        if (!notices.due(written, acknowledged)) continue;
        ++asked;
        notices.handle_asked(written + kWrite);
    }
    EXPECT_GE(asked, 9U);
    EXPECT_LE(asked, 11U);
}

TEST(AckNotices, AreInTheSocketUntilTheyAreDiscarded) {
    const TcpListener listener;
    const TcpPeer sender = TcpPeer::connect(listener.port());
    std::optional<TcpPeer> receiver = listener.accept();
    ASSERT_TRUE(receiver);
    AckNotices notices;
    notices.restart(sender.fd());
    Bytes octets = test::octets_of(100, 1);
    constexpr std::uint64_t kWrites = 40;  // more than are taken in one call
    for (std::uint64_t write = 0; write < kWrites; ++write) {
        const std::uint64_t written = write * octets.size();
        iovec entry{octets.data(), octets.size()};
        ASSERT_EQ(notices.write(sender.fd(), {&entry, 1}, written, written), 100);
        (void)receiver->receive();
    }
    constexpr int kLimitMs = 5'000;
    pollfd polled{sender.fd(), 0, 0};
    do {
        ASSERT_EQ(::poll(&polled, 1, kLimitMs), 1) << "of each write";
        EXPECT_EQ(polled.revents, POLLERR);
        AckNotices::discard(sender.fd());
    } while (unacknowledged(sender) > 0);
    AckNotices::discard(sender.fd());
    EXPECT_EQ(::poll(&polled, 1, 0), 0);
    iovec entry{octets.data(), octets.size()};
    EXPECT_EQ(notices.write(sender.fd(), {&entry, 1}, 4'000, 4'000), 100) << "no fault is left";
}

}  // namespace
}  // namespace farlink::cla::stcp::ack_notices_test
