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

TEST_F(LtpLinkTest, TheHostHearsOfABlockBeyondTheLimit) {
    acknowledge.reset();
    max_unacknowledged = 100'000;
    listen();
    connect(towards(induct->port()));
    send(60'000);
    ASSERT_TRUE(bench.run_until([&] { return arrived() == 1; }));
    EXPECT_EQ(receiving.refused_arrivals, 0U);
    send(60'000);
    EXPECT_TRUE(bench.run_until([&] { return receiving.refused_arrivals == 1; }));
    EXPECT_EQ(arrived(), 1U);
}

}  // namespace
}  // namespace farlink::cla::ltp::ltp_receiver_test
