// SPDX-License-Identifier: Apache-2.0
#include "module/storage/core/index/backlogs.hpp"

#include <gtest/gtest.h>

#include <memory>

#include "tests/support/heap_bytes.hpp"

namespace farlink::storage::backlogs_test {
namespace {

constexpr std::uint64_t kFlow = 5;

TEST(Backlogs, AFlowThatRunsEmptyIsReported) {
    Backlogs backlogs;
    backlogs.take(kFlow, 0);
    backlogs.add(kFlow);
    EXPECT_FALSE(backlogs.poll()) << "the one ingress knows that something waits";
    backlogs.remove(kFlow);
    const auto published = backlogs.poll();
    ASSERT_TRUE(published);
    EXPECT_EQ(published->waiting, 0U);
    EXPECT_EQ(published->taken[0], 1U);
    EXPECT_FALSE(backlogs.poll());
}

TEST(Backlogs, TheFirstBundleOfASharedFlowIsReportedToo) {
    Backlogs backlogs;
    backlogs.share();
    backlogs.take(kFlow, 1);
    backlogs.add(kFlow);
    auto published = backlogs.poll();
    ASSERT_TRUE(published);
    EXPECT_EQ(published->waiting, 1U);
    EXPECT_EQ(published->taken, (std::array<std::uint64_t, kMostInstances>{0, 1, 0, 0}));
    backlogs.take(kFlow, 0);
    backlogs.add(kFlow);
    EXPECT_FALSE(backlogs.poll());
    backlogs.remove(kFlow);
    backlogs.remove(kFlow);
    published = backlogs.poll();
    ASSERT_TRUE(published);
    EXPECT_EQ(published->waiting, 0U);
    EXPECT_EQ(published->taken, (std::array<std::uint64_t, kMostInstances>{1, 0, 0, 0}))
        << "since the last report";
}

TEST(Backlogs, AFlowWithoutBundlesIsForgottenOnceThatIsReported) {
    const auto backlogs = std::make_unique<Backlogs>();
    const std::size_t before = test::heap_bytes();
    constexpr std::uint64_t kFlows = std::uint64_t{1} << bp::kFlowBits;
    for (std::uint64_t flow = 0; flow < kFlows; ++flow) {
        backlogs->take(flow, flow % 2);
        backlogs->add(flow);
    }
    for (std::uint64_t flow = 0; flow < kFlows; ++flow)
        if (flow != kFlow) backlogs->remove(flow);
    for (int second = 0; second < 8; ++second) EXPECT_EQ(backlogs->free_empty(), 0U);
    std::uint64_t reported = 0;
    while (backlogs->poll()) ++reported;
    EXPECT_EQ(reported, kFlows - 1);
    for (int second = 0; second < 8; ++second) (void)backlogs->free_empty();
    EXPECT_LT(test::heap_bytes(), before + kFlows / 2);
    const auto held = backlogs->report_held();
    ASSERT_EQ(held.size(), 1U);
    EXPECT_EQ(held[0].flow, kFlow);
    EXPECT_EQ(held[0].waiting, 1U);
    EXPECT_EQ(held[0].taken[1], 1U);
    EXPECT_EQ(backlogs->report_held()[0].taken[1], 0U) << "it was reported";
}

TEST(Backlogs, SomeFlowsDoNotOccupyThePagesOfAll) {
    auto backlogs = std::make_unique<Backlogs>();
    const std::size_t before = test::heap_bytes();
    constexpr std::uint64_t kFlows = 1000;
    for (std::uint64_t node = 1; node <= kFlows; ++node)
        backlogs->take(bp::flow_key(bp::ipn_eid(node, 1), Priority::kNormal), 0);
    EXPECT_LT(test::heap_bytes() - before, kFlows * 400);
}

TEST(Backlogs, AnInstanceThatBeginsAnewIsCountedAnew) {
    Backlogs backlogs;
    backlogs.take(kFlow, 0);
    backlogs.take(kFlow, 1);
    backlogs.add(kFlow);
    backlogs.count_anew(1);
    const auto held = backlogs.report_held();
    ASSERT_EQ(held.size(), 1U);
    EXPECT_EQ(held[0].taken, (std::array<std::uint64_t, kMostInstances>{1, 0, 0, 0}));
}

}  // namespace
}  // namespace farlink::storage::backlogs_test
