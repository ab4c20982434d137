// SPDX-License-Identifier: Apache-2.0
#include "module/ingress/core/queues/unacked_copies.hpp"

#include <gtest/gtest.h>

namespace farlink::ingress::unacked_copies_test {
namespace {

constexpr UpstreamId kUp{3};
constexpr std::size_t kQueue = 1;

TimePoint at(std::int64_t ms) {
    return TimePoint{} + seconds(1) + milliseconds(ms);
}

struct SafetyCopiesTest : testing::Test {
    SafetyCopiesTest() { upstreams.opened(kUp, true, false); }

    /// A batch of `count` bundles of the upstream that leaves by kLane.
    const Batch &lend(std::uint32_t count, std::int64_t ms, bool at_once = false) {
        Batch &batch = *batches.emplace_back(std::make_unique<Batch>());
        batch.upstream = kUp;
        batch.sequence = batches.size();
        for (std::uint32_t i = 0; i < count; ++i) {
            batch.bundles.emplace_back();
            batch.bundles.back().transfer = transfer++;
        }
        upstreams.arrived(kUp, count, at(ms));
        copies.watch(kQueue, batch, at_once, at(ms));
        return batch;
    }
    const Batch *due(std::int64_t ms) {
        const WatchedBatch *const found = copies.poll_due(upstreams, at(ms));
        return found == nullptr ? nullptr : found->lent;
    }
    /// What storage answers for the copy number `sequence` of a batch.
    static BatchPtr answer(const Batch &original, std::uint64_t sequence, Outcome outcome) {
        auto copy = std::make_unique<Batch>();
        copy->sequence = sequence;
        copy->bundles = original.bundles;
        copy->uniform = outcome;
        return copy;
    }

    Upstreams upstreams;
    UnackedCopies copies{milliseconds(20)};
    std::vector<BatchPtr> batches;
    std::uint32_t transfer = 0;
};

TEST_F(SafetyCopiesTest, ASenderThatStandsStillIsSeenTwice) {
    const Batch &batch = lend(5, 0);
    EXPECT_EQ(due(10), nullptr);
    EXPECT_EQ(copies.next_timeout(), at(15));
    EXPECT_EQ(due(15), nullptr) << "once is no proof";
    EXPECT_EQ(copies.next_timeout(), at(20));
    EXPECT_EQ(due(20), &batch);
    copies.copying(100);
    EXPECT_EQ(due(40), nullptr) << "one copy is enough";
    EXPECT_EQ(copies.next_timeout(), kNever);
}

TEST_F(SafetyCopiesTest, ANextHopThatAlwaysTakesALittleLongerIsWaitedFor) {
    std::int64_t ms = 0;
    std::size_t copied = 0;
    std::size_t copied_late = 0;
    for (std::uint64_t sequence = 1; sequence <= 40; ++sequence) {
        const Batch &batch = lend(1, ms);
        bool copy = false;
        for (const std::int64_t end = ms + 42; ms < end; ++ms) {
            if (due(ms) == nullptr) continue;
            copies.copying(1000 + sequence);
            copy = true;
            (void)copies.answered(*answer(batch, 1000 + sequence, Outcome::kStored));
        }
        copied += copy ? 1 : 0;
        copied_late += copy && sequence > 20 ? 1 : 0;
        EXPECT_TRUE(copies.take(kQueue, sequence, at(ms)));
        upstreams.acknowledge(kUp, batch.bundles.front().transfer, 1, TransferDisposition::kSafe,
                              at(ms));
    }
    EXPECT_GT(copied, 0U) << "until it is known";
    EXPECT_EQ(copied_late, 0U);
    const Batch &lost = lend(1, ms);
    for (const std::int64_t end = ms + 200; ms < end && due(ms) == nullptr; ++ms) {
    }
    EXPECT_EQ(due(ms), &lost) << "but not for ever";
}

TEST_F(SafetyCopiesTest, ANextHopThatTakesMuchLongerIsNotWaitedFor) {
    std::int64_t ms = 0;
    for (std::uint64_t sequence = 1; sequence <= 40; ++sequence) {
        const Batch &batch = lend(1, ms);
        std::int64_t copied_after = -1;
        const std::int64_t begin = ms;
        for (; ms < begin + 150; ++ms) {
            if (due(ms) == nullptr) continue;
            copies.copying(1000 + sequence);
            copied_after = ms - begin;
            (void)copies.answered(*answer(batch, 1000 + sequence, Outcome::kStored));
        }
        EXPECT_GE(copied_after, 0);
        EXPECT_TRUE(sequence <= 20 || copied_after <= 25) << copied_after;
        EXPECT_TRUE(copies.take(kQueue, sequence, at(ms)));
        upstreams.acknowledge(kUp, batch.bundles.front().transfer, 1, TransferDisposition::kSafe,
                              at(ms));
    }
}

TEST_F(SafetyCopiesTest, AFullPipeIsNotCopied) {
    std::uint64_t copy = 1000;
    for (std::int64_t ms = 0; ms < 500; ms += 5) {
        (void)lend(10, ms);
        // Each batch takes 100 ms on its way. Until the first is back nobody knows of that.
        while (due(ms) != nullptr) {
            EXPECT_LE(ms, 100);
            copies.copying(copy++);
        }
        if (ms >= 100) {
            const std::uint64_t sequence = static_cast<std::uint64_t>(ms - 100) / 5 + 1;
            EXPECT_TRUE(copies.take(kQueue, sequence, at(ms)));
            const Batch &done = *batches[sequence - 1];
            upstreams.acknowledge(kUp, done.bundles.front().transfer, 10,
                                  TransferDisposition::kSafe, at(ms));
        }
    }
}

TEST_F(SafetyCopiesTest, ANextHopThatSaysNothingIsNotWaitedFor) {
    bool copied = false;
    for (std::int64_t ms = 0; ms <= 30; ms += 5) {
        (void)lend(10, ms);
        copied = copied || due(ms) != nullptr;
    }
    EXPECT_TRUE(copied) << "although the sender goes on";
}

TEST_F(SafetyCopiesTest, WhatCannotBeInTimeIsCopiedAtOnce) {
    const Batch &batch = lend(1, 0, true);
    EXPECT_LE(copies.next_timeout(), at(0));
    EXPECT_EQ(due(0), &batch);
}

TEST_F(SafetyCopiesTest, ASmallWindowShowsWhenItIsUsedUp) {
    (void)lend(5, 0);
    EXPECT_FALSE(upstreams.half_used(kUp));
    (void)due(15);
    (void)due(20);
    EXPECT_TRUE(upstreams.half_used(kUp));
    upstreams.acknowledge(kUp, 0, 3, TransferDisposition::kSafe, at(21));
    EXPECT_FALSE(upstreams.half_used(kUp));
}

TEST_F(SafetyCopiesTest, TheAnswerSaysWhichBundlesAreKept) {
    const Batch &batch = lend(2, 0, true);
    ASSERT_EQ(due(0), &batch);
    copies.copying(100);
    const BatchPtr copy = answer(batch, 100, Outcome::kStored);
    const auto answered = copies.answered(*copy);
    ASSERT_NE(answered.watched, nullptr);
    EXPECT_FALSE(answered.complete);
    const auto watched = copies.take(kQueue, batch.sequence, at(5));
    ASSERT_TRUE(watched);
    EXPECT_TRUE(watched->is_stored(0));
    EXPECT_TRUE(watched->is_stored(1));
}

TEST_F(SafetyCopiesTest, AnOriginalThatIsBackEarlierWaitsForTheAnswer) {
    const Batch &batch = lend(1, 0, true);
    ASSERT_EQ(due(0), &batch);
    copies.copying(100);
    auto watched = copies.take(kQueue, batch.sequence, at(1));
    ASSERT_TRUE(watched && watched->copy_underway());
    watched->returned = std::move(batches.back());
    copies.wait_for_copy(kQueue, std::move(*watched));
    const BatchPtr copy = answer(batch, 100, Outcome::kNoSpace);
    auto answered = copies.answered(*copy);
    ASSERT_TRUE(answered.complete);
    EXPECT_NE(answered.complete->returned, nullptr);
    EXPECT_FALSE(answered.complete->is_stored(0));
    EXPECT_FALSE(copies.take(kQueue, 1, at(2))) << "nobody watches it any more";
}

TEST_F(SafetyCopiesTest, AnAnswerForWhatIsGoneIsNobodys) {
    const Batch &batch = lend(1, 0, true);
    ASSERT_EQ(due(0), &batch);
    copies.copying(100);
    EXPECT_TRUE(copies.take(kQueue, batch.sequence, at(1)));
    const BatchPtr copy = answer(batch, 100, Outcome::kStored);
    const auto answered = copies.answered(*copy);
    EXPECT_EQ(answered.watched, nullptr);
    EXPECT_FALSE(answered.complete);
}

}  // namespace
}  // namespace farlink::ingress::unacked_copies_test
