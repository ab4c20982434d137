// SPDX-License-Identifier: Apache-2.0
#include "module/applications/core/leases/delivery_queue.hpp"

#include <gtest/gtest.h>

#include "tests/support/test_batch.hpp"

namespace farlink::applications::delivery_queue_test {
namespace {

class DeliveryQueueTest : public testing::Test {
protected:
    void push(std::size_t bundles) {
        std::vector<Bytes> octets;
        for (; bundles > 0; --bundles) {
            test::TestBundle bundle;
            bundle.sequence = sequence_++;
            octets.push_back(bundle.octets());
        }
        queue.push(maker_.make(BatchOwner::kStorage, LinkId{1}, octets));
    }
    DeliveryQueue::Lease take() {
        const auto lease = queue.take();
        EXPECT_TRUE(lease);
        return lease.value_or(DeliveryQueue::Lease{});
    }

    DeliveryQueue queue;

private:
    test::BatchMaker maker_;
    std::uint64_t sequence_ = 0;
};

TEST_F(DeliveryQueueTest, GivesInOrderAndReturnsABatchWhenAllIsDecided) {
    push(2);
    push(1);
    const auto a = take();
    const auto b = take();
    const auto c = take();
    EXPECT_EQ(a.bundle().arrival + 1, b.bundle().arrival);
    EXPECT_EQ(b.bundle().arrival + 1, c.bundle().arrival);
    EXPECT_FALSE(queue.take());
    EXPECT_EQ(queue.leased(), 3U);
    queue.decide(b, Outcome::kSent);
    EXPECT_FALSE(queue.poll_finished());
    queue.decide(a, Outcome::kSent);
    const BatchPtr first = queue.poll_finished();
    ASSERT_TRUE(first);
    EXPECT_EQ(first->uniform, Outcome::kSent);
    queue.decide(c, Outcome::kExpired);
    EXPECT_EQ(queue.poll_finished()->uniform, Outcome::kExpired);
    EXPECT_EQ(queue.bundles(), 0U);
    EXPECT_EQ(queue.bytes(), 0U);
}

TEST_F(DeliveryQueueTest, WhatIsGivenBackIsGivenFirst) {
    push(3);
    const auto a = take();
    const auto b = take();
    queue.give_back(a);
    EXPECT_EQ(take().bundle().arrival, a.bundle().arrival);
    queue.decide(a, Outcome::kSent);
    queue.decide(b, Outcome::kSent);
    queue.decide(take(), Outcome::kExpired);
    const BatchPtr batch = queue.poll_finished();
    ASSERT_TRUE(batch);
    EXPECT_EQ(batch->uniform, Outcome::kPending) << "they differ";
    EXPECT_EQ(batch->bundles[2].outcome, Outcome::kExpired);
}

TEST_F(DeliveryQueueTest, WhatWaitsReturnsAsNotSent) {
    push(3);
    push(2);
    queue.give_back(take());
    const auto leased = take();
    queue.return_waiting();
    EXPECT_EQ(queue.bundles(), 1U) << "the lease";
    EXPECT_EQ(queue.poll_finished()->uniform, Outcome::kNotSent) << "the second batch";
    EXPECT_FALSE(queue.poll_finished());
    queue.decide(leased, Outcome::kSent);
    const BatchPtr first = queue.poll_finished();
    ASSERT_TRUE(first);
    EXPECT_EQ(first->bundles[0].outcome, Outcome::kSent);
    EXPECT_EQ(first->bundles[2].outcome, Outcome::kNotSent);
}

}  // namespace
}  // namespace farlink::applications::delivery_queue_test
