// SPDX-License-Identifier: Apache-2.0
#include "cla/io/quick_ack.hpp"

#include "cla/tcpcl/v4/tcpclv4_link.hpp"
#include "tests/support/rude_nagle_sender.hpp"
#include "tests/unit/cla/session/session_fixture.hpp"

namespace farlink::cla::quick_ack_test {
namespace {

TEST(QuickAck, IsForPeersThatWriteInSmallPieces) {
    QuickAck ack;
    for (int i = 0; i < 100; ++i) {
        EXPECT_FALSE(ack.handle_read(100, false));
        EXPECT_FALSE(ack.handle_read(256 * 1024, true)) << "the middle of a large bundle";
        EXPECT_FALSE(ack.handle_read(0, true));
    }
    EXPECT_TRUE(ack.handle_read(2, true));
    EXPECT_TRUE(ack.handle_read(120, false)) << "the next head waits for that, too";
    bool still = true;
    for (int i = 0; i < 100; ++i) still = ack.handle_read(120, false);
    EXPECT_FALSE(still) << "the peer has stopped doing so";
}

class RudeNagle : public SessionTest {
protected:
    RudeNagle() { protocol = tcpclv4::make_session; }
};

// With the kernel's delay of 40 ms each of them would take 8 s or more.
TEST_F(RudeNagle, ASenderThatWritesInPiecesDoesNotWaitForTheKernel) {
    constexpr std::uint64_t kBundles = 1000;
    listen();
    test::RudeNagleSender sender(induct->port(), kBundles, test::octets_of(100, 1));
    const TimePoint begin = monotonic_now();
    ASSERT_TRUE(until([&] { return sender.pump(); })) << sender.acknowledged();
    EXPECT_LT(monotonic_now() - begin, seconds(4));
    EXPECT_EQ(server.received(), kBundles);
}

// The same where acknowledgements come late: no answer carries the kernel's.
TEST_F(RudeNagle, NeitherWhenItsBundlesAreAcknowledgedLate) {
    constexpr std::uint64_t kBundles = 500;
    server.acknowledge_at_once = false;
    listen();
    test::RudeNagleSender sender(induct->port(), kBundles, test::octets_of(100, 1));
    const TimePoint begin = monotonic_now();
    const auto window_is_here = [&] {
        return server.received() >=
               std::min(kBundles, sender.acknowledged() + test::RudeNagleSender::kWindow);
    };
    ASSERT_TRUE(until([&] {
        if (server.open_upstreams() == 1 && window_is_here()) server.acknowledge(at_server());
        return sender.pump();
    })) << sender.acknowledged();
    EXPECT_LT(monotonic_now() - begin, seconds(2));
}

}  // namespace
}  // namespace farlink::cla::quick_ack_test
