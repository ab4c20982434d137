// SPDX-License-Identifier: Apache-2.0
#include "module/ingress/core/state/flow_table.hpp"

#include <gtest/gtest.h>

#include <memory>

#include "tests/support/heap_bytes.hpp"

namespace farlink::ingress::flow_table_test {
namespace {

constexpr std::uint64_t kFlow = 5;
constexpr std::uint64_t kOther = 6;

bus::Backlog backlog(std::uint64_t waiting, std::uint64_t taken) {
    return {kFlow, waiting, {taken}};
}

TEST(FlowTable, AFlowIsFreeUntilABundleLeavesForStorage) {
    FlowTable flows;
    EXPECT_FALSE(flows.backlogged(kFlow));
    flows.sent(kFlow);
    EXPECT_TRUE(flows.backlogged(kFlow));
    EXPECT_FALSE(flows.backlogged(kOther));
    EXPECT_EQ(flows.backlogged_flows(), 1U);
}

TEST(FlowTable, AFlowIsFreeWhenStorageKeptNothing) {
    FlowTable flows;
    flows.sent(kFlow);
    flows.sent(kFlow);
    flows.answered(kFlow, false);
    EXPECT_TRUE(flows.backlogged(kFlow));
    flows.answered(kFlow, false);
    EXPECT_FALSE(flows.backlogged(kFlow));
    EXPECT_EQ(flows.backlogged_flows(), 0U);
}

TEST(FlowTable, AFlowIsFreeWhenStorageHasSentAllThatItWasEverGiven) {
    FlowTable flows;
    for (int i = 0; i < 3; ++i) flows.sent(kFlow);
    flows.answered(kFlow, true);
    flows.answered(kFlow, false);
    flows.handle(backlog(0, 2));
    EXPECT_TRUE(flows.backlogged(kFlow)) << "the third is not counted in";
    flows.answered(kFlow, true);
    EXPECT_TRUE(flows.backlogged(kFlow));
    flows.handle(backlog(1, 1));
    EXPECT_TRUE(flows.backlogged(kFlow));
    flows.handle(backlog(0, 0));
    EXPECT_FALSE(flows.backlogged(kFlow));
}

TEST(FlowTable, AnEarlyBacklogDoesNotFreeWhatIsOnItsWay) {
    FlowTable flows;
    flows.sent(kFlow);
    flows.answered(kFlow, true);
    flows.sent(kFlow);
    flows.handle(backlog(0, 2));
    EXPECT_TRUE(flows.backlogged(kFlow)) << "its answer has not come";
    flows.answered(kFlow, false);
    EXPECT_FALSE(flows.backlogged(kFlow));
}

TEST(FlowTable, KnowsWhatStorageHadAtTheStart) {
    FlowTable flows;
    flows.handle(backlog(12, 0));
    EXPECT_TRUE(flows.backlogged(kFlow));
    flows.handle(backlog(0, 0));
    EXPECT_FALSE(flows.backlogged(kFlow));
}

TEST(FlowTable, AHeldBundleBlocksItsFlow) {
    FlowTable flows;
    flows.hold(kFlow);
    flows.hold(kFlow);
    flows.let_go(kFlow);
    EXPECT_TRUE(flows.backlogged(kFlow));
    flows.let_go(kFlow);
    EXPECT_FALSE(flows.backlogged(kFlow));
}

// It counts from 0 what it is given, and names what it has kept before it says that it is ready.
TEST(FlowTable, AStorageThatHasBegunAnewNamesWhatItKeeps) {
    FlowTable flows;
    for (const std::uint64_t flow : {kFlow, kOther}) {
        flows.sent(flow);
        flows.answered(flow, true);
    }
    flows.count_anew();
    EXPECT_TRUE(flows.backlogged(kOther)) << "until it has told";
    flows.handle(backlog(3, 0));
    flows.drop_unconfirmed();
    EXPECT_TRUE(flows.backlogged(kFlow));
    EXPECT_FALSE(flows.backlogged(kOther));
    EXPECT_EQ(flows.backlogged_flows(), 1U);
    flows.sent(kFlow);
    flows.answered(kFlow, true);
    flows.handle(backlog(0, 1));
    EXPECT_FALSE(flows.backlogged(kFlow));
}

TEST(FlowTable, WhatAStorageHasTakenSinceItBeganIsConfirmed) {
    FlowTable flows;
    flows.sent(kFlow);
    flows.answered(kFlow, true);
    flows.count_anew();
    flows.sent(kFlow);
    flows.answered(kFlow, true);
    flows.drop_unconfirmed();
    EXPECT_TRUE(flows.backlogged(kFlow));
}

TEST(FlowTable, AReportOfBundlesFromBeforeARestartDoesNotBlockTheFlow) {
    FlowTable flows;
    flows.handle(backlog(0, 2));
    flows.sent(kFlow);
    flows.answered(kFlow, true);
    EXPECT_TRUE(flows.backlogged(kFlow));
    flows.handle(backlog(0, 1));
    EXPECT_FALSE(flows.backlogged(kFlow));
}

TEST(FlowTable, AnInstanceOfSeveralHearsWhatAnotherHasStored) {
    FlowTable second(1);
    second.handle({kFlow, 1, {1, 0}});
    EXPECT_TRUE(second.backlogged(kFlow)) << "it would overtake what the first one has stored";
    second.handle({kFlow, 0, {0, 0}});
    EXPECT_FALSE(second.backlogged(kFlow));
    second.sent(kFlow);
    second.answered(kFlow, true);
    second.handle({kFlow, 0, {1, 0}});
    EXPECT_TRUE(second.backlogged(kFlow)) << "its own is not counted in";
    second.handle({kFlow, 0, {0, 1}});
    EXPECT_FALSE(second.backlogged(kFlow));
}

// Both sides begin again with the next bundle.
TEST(FlowTable, AFlowWithoutBundlesIsForgotten) {
    const auto flows = std::make_unique<FlowTable>();
    const std::size_t before = test::heap_bytes();
    constexpr std::uint64_t kFlows = std::uint64_t{1} << bp::kFlowBits;
    for (std::uint64_t flow = 0; flow < kFlows; ++flow) {
        flows->sent(flow);
        flows->answered(flow, true);
        if (flow != kFlow) flows->handle({flow, 0, {1}});
    }
    for (int second = 0; second < 8; ++second) (void)flows->free_empty();
    EXPECT_LT(test::heap_bytes(), before + kFlows / 8);
    EXPECT_TRUE(flows->backlogged(kFlow));
    flows->sent(kFlows - 1);
    flows->answered(kFlows - 1, true);
    EXPECT_TRUE(flows->backlogged(kFlows - 1));
    flows->handle({kFlows - 1, 0, {1}});
    flows->handle(backlog(0, 1));
    EXPECT_EQ(flows->backlogged_flows(), 0U);
}

}  // namespace
}  // namespace farlink::ingress::flow_table_test
