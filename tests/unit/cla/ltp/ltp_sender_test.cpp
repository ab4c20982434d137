// SPDX-License-Identifier: Apache-2.0
// Bundles that LtpSender sends, and their ends.
#include "tests/support/rude_ltp_peer.hpp"
#include "tests/unit/cla/ltp/ltp_link_fixture.hpp"

namespace farlink::cla::ltp::ltp_sender_test {
namespace {

TEST_F(LtpLinkTest, BundlesOfAllSizesArrive) {
    listen();
    connect(towards(induct->port()));
    for (const std::size_t size : {1, 1000, 5'000, 400'000}) send(size);
    ASSERT_TRUE(bench.run_until([&] { return host.transmitted == 11; }));
    ASSERT_EQ(arrived(), 4U);
    const auto &bundles = receiving.bundles.begin()->second;
    for (std::size_t i = 0; i < sent.size(); ++i) EXPECT_EQ(bundles[i], *sent[i]) << i;
    EXPECT_TRUE(host.refused.empty());
}

TEST_F(LtpLinkTest, OtherCancellationsOfANeighbourLeaveTheLinkUp) {
    for (const auto &[reason, refusal] :
         {std::pair{CancelReason::kSystemCancelled, Refusal::kNoResources},
          std::pair{CancelReason::kRetransmitLimit, Refusal::kRetransmit},
          std::pair{CancelReason::kUserCancelled, Refusal::kRetransmit}}) {
        host.changes.clear();
        host.refused.clear();
        test::RudeLtpPeer rude(reason);
        connect(towards(rude.port()));
        send(1000);
        ASSERT_TRUE(bench.run_until([&] {
            rude.answer();
            return host.refused.size() == 1;
        }));
        EXPECT_EQ(host.refused.begin()->second, refusal);
        EXPECT_EQ(host.state(), LinkState::kConnected);
    }
}

}  // namespace
}  // namespace farlink::cla::ltp::ltp_sender_test
