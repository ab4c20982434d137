// SPDX-License-Identifier: Apache-2.0
#include "module/ingress/core/receive/borrowed_slabs.hpp"

#include <gtest/gtest.h>

namespace farlink::ingress::borrowed_slabs_test {
namespace {

struct Lender {
    BatchPtr batch_over(std::size_t slabs) {
        BatchPtr batch = batches.acquire();
        for (std::size_t i = 0; i < slabs; ++i) batch->pin(pool.acquire());
        return batch;
    }
    SlabPool pool{4096, 1 << 20};
    BatchPool batches{BatchOwner::kEgress};
};

TEST(BorrowedSlabs, ABatchComesBackWithTheLastReference) {
    Lender lender;
    BorrowedSlabs borrowed;
    BatchPtr batch = lender.batch_over(2);
    const Batch *lent = batch.get();
    std::vector<SlabRef> kept;
    {
        const auto slabs = borrowed.borrow(std::move(batch));
        ASSERT_EQ(slabs.size(), 2U);
        EXPECT_EQ(slabs[1]->data, lent->slabs[1]->data);
        EXPECT_EQ(slabs[1]->capacity, 4096U);
        kept.push_back(slabs[1]);
        kept.push_back(slabs[1]);
    }
    borrowed.let_go();
    EXPECT_EQ(borrowed.poll_returned(), nullptr);
    kept.pop_back();
    EXPECT_EQ(borrowed.poll_returned(), nullptr);
    kept.pop_back();
    const BatchPtr returned = borrowed.poll_returned();
    ASSERT_EQ(returned.get(), lent);
    EXPECT_TRUE(borrowed.empty());
    EXPECT_EQ(returned->slabs[0]->references, 1U) << "the lender's own count was not touched";
}

TEST(BorrowedSlabs, LoansDoNotMixAndAreUsedAgain) {
    Lender lender;
    BorrowedSlabs borrowed;
    for (int turn = 0; turn < 3; ++turn) {
        BatchPtr first = lender.batch_over(1);
        BatchPtr second = lender.batch_over(3);
        const Batch *second_lent = second.get();
        SlabRef kept = borrowed.borrow(std::move(first)).front();
        borrowed.let_go();
        (void)borrowed.borrow(std::move(second));
        borrowed.let_go();
        BatchPtr returned = borrowed.poll_returned();
        ASSERT_EQ(returned.get(), second_lent);
        EXPECT_FALSE(borrowed.empty());
        lender.batches.recycle(std::move(returned));
        kept.reset();
        returned = borrowed.poll_returned();
        ASSERT_NE(returned, nullptr);
        lender.batches.recycle(std::move(returned));
    }
    while (BatchPtr returned = borrowed.poll_returned())
        lender.batches.recycle(std::move(returned));
    EXPECT_TRUE(borrowed.empty());
}

}  // namespace
}  // namespace farlink::ingress::borrowed_slabs_test
