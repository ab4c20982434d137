// SPDX-License-Identifier: Apache-2.0
#include "cla/ltp/core/waiting_blocks.hpp"

#include <gtest/gtest.h>

namespace farlink::cla::ltp::waiting_blocks_test {
namespace {

struct WaitingBlocksTest : testing::Test {
    /// A block with one slice, whose bundles at `refused` found no room.
    std::unique_ptr<KeptBlock> block(std::uint32_t session, std::vector<std::uint32_t> refused) {
        auto kept = waiting.acquire({session, 0}, kBundleService, 100);
        const SlabRef slab = slabs.acquire();
        const ByteView slice{slab->data, 100};
        kept->append({&slice, 1}, {&slab, 1});
        kept->refused = std::move(refused);
        return kept;
    }
    SlabPool slabs{4096, 1U << 20U};
    WaitingBlocks waiting;
    TimePoint now{seconds(1000)};
};

TEST_F(WaitingBlocksTest, NothingIsDueWhileNothingWaits) {
    EXPECT_EQ(waiting.next_due(), kNever);
    EXPECT_EQ(waiting.poll_due(now), nullptr);
}

TEST_F(WaitingBlocksTest, RefusedBundlesAreDueInTheOrderOfTheBlock) {
    waiting.wait(block(7, {5, 2, 3}), true, now);
    EXPECT_EQ(waiting.next_due(), now + WaitingBlocks::kShortestPause);
    EXPECT_EQ(waiting.poll_due(now), nullptr);
    now = waiting.next_due();
    const auto due = waiting.poll_due(now);
    ASSERT_NE(due, nullptr);
    EXPECT_EQ(due->session, (SessionHandle{7, 0}));
    EXPECT_EQ(due->places, (std::vector<std::uint32_t>{2, 3, 5}));
    EXPECT_TRUE(due->refused.empty());
    EXPECT_EQ(waiting.next_due(), kNever);
}

TEST_F(WaitingBlocksTest, ThePauseIsShortAgainAfterProgress) {
    waiting.wait(block(7, {0}), true, now);
    for (const Duration pause : {milliseconds(200), milliseconds(400), milliseconds(800)}) {
        now = waiting.next_due();
        waiting.wait(waiting.poll_due(now), false, now);
        EXPECT_EQ(waiting.next_due() - now, pause);
    }
    now = waiting.next_due();
    waiting.wait(waiting.poll_due(now), true, now);
    EXPECT_EQ(waiting.next_due() - now, WaitingBlocks::kShortestPause);
}

TEST_F(WaitingBlocksTest, TheEarliestBlockIsFirst) {
    waiting.wait(block(1, {0}), true, now);
    waiting.wait_for_turn(block(2, {}), now);
    EXPECT_EQ(waiting.next_due(), now);
    EXPECT_EQ(waiting.poll_due(now)->session.slot, 2U);
    EXPECT_EQ(waiting.poll_due(now + seconds(1))->session.slot, 1U);
}

TEST_F(WaitingBlocksTest, AReleasedBlockIsUsedAgainWithoutItsOctets) {
    auto first = block(1, {0});
    first->follows = first->taken = true;
    first->pause = seconds(1);
    const KeptBlock *const place = first.get();
    waiting.release(std::move(first));
    const auto second = waiting.acquire({2, 0}, kAggregationService, 50);
    EXPECT_EQ(second.get(), place);
    EXPECT_EQ(second->size, 50U);
    EXPECT_TRUE(second->slices.empty());
    EXPECT_TRUE(second->slabs.empty());
    EXPECT_TRUE(second->refused.empty());
    EXPECT_FALSE(second->follows);
    EXPECT_FALSE(second->taken);
    EXPECT_EQ(second->pause, Duration{});
}

TEST_F(WaitingBlocksTest, ClearedItHasNone) {
    waiting.wait(block(1, {0}), true, now);
    waiting.clear();
    EXPECT_EQ(waiting.next_due(), kNever);
}

}  // namespace
}  // namespace farlink::cla::ltp::waiting_blocks_test
