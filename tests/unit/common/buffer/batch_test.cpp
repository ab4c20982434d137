// SPDX-License-Identifier: Apache-2.0
#include "common/buffer/batch.hpp"

#include <gtest/gtest.h>

#include <thread>

namespace farlink::batch_test {
namespace {

BatchedBundle bundle_of(std::uint64_t size, std::uint32_t first_slice = 0,
                        std::uint32_t slice_count = 1) {
    BatchedBundle bundle;
    bundle.size = size;
    bundle.first_slice = first_slice;
    bundle.slice_count = slice_count;
    return bundle;
}

TEST(Batch, IsFullAtItsBytesOrItsBundles) {
    Batch batch;
    batch.bytes = kBatchBytes - 1;
    EXPECT_FALSE(batch.full());
    batch.bytes = kBatchBytes;
    EXPECT_TRUE(batch.full());
    batch.bytes = 0;
    batch.bundles.resize(kBatchBundles - 1);
    EXPECT_FALSE(batch.full());
    batch.bundles.resize(kBatchBundles);
    EXPECT_TRUE(batch.full());
}

TEST(Batch, FindsTheSlicesOfABundle) {
    const Bytes octets{1, 2, 3, 4};
    Batch batch;
    for (std::size_t i = 0; i < octets.size(); ++i)
        batch.slices.push_back(ByteView(octets).subspan(i, 1));
    const auto slices = batch.slices_of(bundle_of(2, 1, 2));
    ASSERT_EQ(slices.size(), 2U);
    EXPECT_EQ(slices[0][0], 2);
    EXPECT_EQ(slices[1][0], 3);
}

TEST(Batch, AUniformOutcomeIsThatOfEveryBundle) {
    Batch batch;
    batch.bundles = {bundle_of(1), bundle_of(2)};
    batch.bundles[0].outcome = Outcome::kStored;
    EXPECT_EQ(batch.outcome_of(batch.bundles[0]), Outcome::kStored);
    EXPECT_EQ(batch.outcome_of(batch.bundles[1]), Outcome::kPending);
    batch.uniform = Outcome::kSent;
    EXPECT_EQ(batch.outcome_of(batch.bundles[0]), Outcome::kSent);
    EXPECT_EQ(batch.outcome_of(batch.bundles[1]), Outcome::kSent);
}

TEST(Batch, PinsARunOfBundlesOfOneSlabOnce) {
    SlabPool pool(4096, 2 * 4096);
    const SlabRef one = pool.acquire();
    const SlabRef two = pool.acquire();
    Batch batch;
    for (const SlabRef &slab : {one, one, two, two}) batch.pin(slab);
    EXPECT_EQ(batch.slabs, (std::vector<SlabRef>{one, two}));
}

TEST(BatchPool, RecyclesTheArraysAndLetsGoOfTheSlabs) {
    SlabPool slabs(4096, 4096);
    BatchPool pool(BatchOwner::kStorage);
    BatchPtr batch = pool.acquire();
    EXPECT_EQ(batch->owner, BatchOwner::kStorage);
    batch->pin(slabs.acquire());
    batch->bundles.resize(kBatchBundles);
    batch->slices.resize(kBatchBundles);
    batch->link = LinkId{3};
    batch->next_hop = NodeNumber{4};
    batch->sequence = batch->bytes = 5;
    batch->done = 6;
    batch->requests = kReportDeletion;
    batch->uniform = Outcome::kSent;
    const Batch *const same = batch.get();
    pool.recycle(std::move(batch));
    EXPECT_EQ(slabs.pinned_bytes(), 0U);

    const BatchPtr again = pool.acquire();
    EXPECT_EQ(again.get(), same);
    EXPECT_EQ(again->owner, BatchOwner::kStorage);
    EXPECT_GE(again->bundles.capacity(), kBatchBundles);
    EXPECT_TRUE(again->bundles.empty() && again->slices.empty() && again->slabs.empty());
    EXPECT_EQ(again->link, kNoLink);
    EXPECT_EQ(again->next_hop, NodeNumber{});
    EXPECT_EQ(again->sequence + again->bytes + again->done + again->requests, 0U);
    EXPECT_EQ(again->uniform, Outcome::kPending);
}

// The address crosses without any order of its own, as it does inside the bus; what orders the
// batch's content is give() and take(), which the thread sanitizer checks here.
TEST(Batch, WhatWasWrittenBeforeGiveIsReadAfterTake) {
    Batch batch;
    std::atomic<Batch *> address{nullptr};
    std::thread giver([&] {
        batch.bundles.resize(100, bundle_of(7));
        batch.bytes = 700;
        batch.give();
        address.store(&batch, std::memory_order_relaxed);
    });
    Batch *taken = nullptr;
    while (taken == nullptr) {
        taken = address.load(std::memory_order_relaxed);
        std::this_thread::yield();
    }
    taken->take();
    EXPECT_EQ(taken->bytes, 700U);
    EXPECT_EQ(taken->bundles.size(), 100U);
    giver.join();
}

}  // namespace
}  // namespace farlink::batch_test
