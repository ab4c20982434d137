// SPDX-License-Identifier: Apache-2.0
// The counters that LTP links report to their hosts.
#include "tests/unit/cla/ltp/ltp_link_fixture.hpp"

namespace farlink::cla::ltp::ltp_counts_test {
namespace {

TEST_F(LtpLinkTest, TheHostIsGivenWhatWasCounted) {
    acknowledge.reset();
    listen();
    connect(towards(induct->port()));
    send(5'000);
    ASSERT_TRUE(bench.run_until([&] { return arrived() == 1; }));
    outduct->report_counts();
    induct->report_counts();
    EXPECT_EQ(count(host, "ipn:20.0", "segments_sent"), 4U);
    EXPECT_EQ(count(host, "ipn:20.0", "blocks_sent"), 1U);
    EXPECT_EQ(count(host, "ipn:20.0", "sessions_out_open"), 1U);
    EXPECT_EQ(count(receiving, "ipn:10.0", "segments_received"), 4U);
    EXPECT_EQ(count(receiving, "ipn:10.0", "blocks_received"), 1U);
    EXPECT_EQ(count(receiving, "ipn:10.0", "sessions_in_open"), 1U);
    induct->acknowledge(receiving.bundles.begin()->first, 0, 1, TransferDisposition::kSafe);
    induct->flush_acknowledgements();
    ASSERT_TRUE(bench.run_until([&] { return host.transmitted == 8; }));
    outduct->report_counts();
    EXPECT_EQ(count(host, "ipn:20.0", "blocks_delivered"), 1U);
    EXPECT_EQ(count(host, "ipn:20.0", "sessions_out_open"), 0U);
    // The acknowledgement follows as soon as the rate allows.
    EXPECT_TRUE(bench.run_until([&] {
        outduct->report_counts();
        return count(host, "ipn:20.0", "segments_sent") == 5U;
    }));
    // Closing the induct ends the sessions.
    induct->close();
    EXPECT_EQ(count(receiving, "ipn:10.0", "sessions_in_open"), 0U);
    EXPECT_EQ(count(receiving, "ipn:10.0", "blocks_received"), 1U);
}

TEST_F(LtpLinkTest, CancelledSessionsAreCountedByReason) {
    acknowledge = TransferDisposition::kNoResources;
    listen();
    connect(towards(induct->port()));
    send(1000);
    ASSERT_TRUE(bench.run_until([&] { return host.transmitted == 8; }));
    outduct->report_counts();
    induct->report_counts();
    EXPECT_EQ(count(host, "ipn:20.0", "blocks_cancelled_sys_cncld"), 1U);
    EXPECT_EQ(count(receiving, "ipn:10.0", "receptions_cancelled_sys_cncld"), 1U);
}

}  // namespace
}  // namespace farlink::cla::ltp::ltp_counts_test
