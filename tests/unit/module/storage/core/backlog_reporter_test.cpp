// SPDX-License-Identifier: Apache-2.0
#include "module/storage/core/backlog_reporter.hpp"

#include <gtest/gtest.h>

#include "tests/unit/module/storage/core/rig.hpp"

namespace farlink::test::backlog_reporter_test {
namespace {

TEST(BacklogReporter, TellsTheRouterWhatWaits) {
    SimDirectory directory;
    Rig rig(directory);
    rig.store(bundles_numbered(1, 5));
    rig.run_for(milliseconds(200));
    ASSERT_EQ(rig.waiting.size(), 1U);
    EXPECT_EQ(rig.waiting[0].node, kNode20);
    EXPECT_EQ(rig.waiting[0].priority, Priority::kNormal);
    EXPECT_GT(rig.waiting[0].bytes, 0U);
    rig.routes_to_both();
    rig.link_up(kLink20, kNode20);
    rig.run_for(milliseconds(10));
    while (!rig.lent.empty()) rig.set_outcome(0, Outcome::kSent);
    rig.run_for(milliseconds(200));
    EXPECT_TRUE(rig.waiting.empty()) << "what has been sent waits no more";
}

TEST(BacklogReporter, OfABundleThatHasLeftInPartTheRestWaits) {
    SimDirectory directory;
    Rig rig(directory);
    rig.send_at_once = false;
    BundleSpec large;
    large.payload_bytes = 3000;
    rig.store(bundles_numbered(1, 2, large));
    rig.routes_to_both();
    rig.run_for(milliseconds(200));
    ASSERT_EQ(rig.waiting.size(), 1U);
    const bus::WaitingBytes before = rig.waiting[0];
    rig.link_up(kLink20, kNode20);
    rig.run_for(milliseconds(200));
    EXPECT_TRUE(rig.waiting.empty()) << "what is lent is egress's to report";
    rig.lent[0]->bundles[0].outcome = Outcome::kPartSent;
    rig.lent[0]->bundles[1].outcome = Outcome::kTooLate;
    rig.lent[0]->sent_payload = 1000;
    rig.set_outcome(0, Outcome::kPending);
    rig.run_for(milliseconds(200));
    ASSERT_EQ(rig.waiting.size(), 1U);
    EXPECT_EQ(rig.waiting[0].bytes, before.bytes - 1000);
    EXPECT_EQ(rig.waiting[0].head_bytes, before.head_bytes - 1000);
}

}  // namespace
}  // namespace farlink::test::backlog_reporter_test
