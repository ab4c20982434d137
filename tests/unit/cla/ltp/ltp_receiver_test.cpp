// SPDX-License-Identifier: Apache-2.0
// Bundles that LtpReceiver hands to the host, and the answers of the host.
#include "tests/unit/cla/ltp/ltp_link_fixture.hpp"

namespace farlink::cla::ltp::ltp_receiver_test {
namespace {

TEST_F(LtpLinkTest, NothingIsReportedBeforeItIsSafe) {
    acknowledge.reset();
    listen();
    connect(towards(induct->port()));
    send(1000);
    ASSERT_TRUE(bench.run_until([&] { return arrived() == 1; }));
    bench.run_idle();
    EXPECT_EQ(host.transmitted, 0U);
    induct->acknowledge(receiving.bundles.begin()->first, 0, 1, TransferDisposition::kSafe);
    induct->flush_acknowledgements();
    EXPECT_TRUE(bench.run_until([&] { return host.transmitted == 8; }));
    EXPECT_TRUE(host.refused.empty());
}

TEST_F(LtpLinkTest, ABundleWithoutRoomIsRefused) {
    acknowledge = TransferDisposition::kNoResources;
    listen();
    connect(towards(induct->port()));
    send(1000);
    ASSERT_TRUE(bench.run_until([&] { return host.transmitted == 8; }));
    EXPECT_EQ(host.refused, (std::map<std::uint64_t, Refusal>{{7, Refusal::kNoResources}}));
}

}  // namespace
}  // namespace farlink::cla::ltp::ltp_receiver_test
