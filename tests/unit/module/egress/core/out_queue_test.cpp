// SPDX-License-Identifier: Apache-2.0
#include "module/egress/core/out_queue.hpp"

#include <gtest/gtest.h>

namespace farlink::egress::out_queue_test {
namespace {

constexpr BatchOwner kIngress = BatchOwner::kIngress;
constexpr BatchOwner kStorage = BatchOwner::kStorage;

BatchPtr batch_of(BatchOwner owner, std::uint64_t arrival, std::uint64_t bytes,
                  Priority priority = Priority::kNormal) {
    auto batch = std::make_unique<Batch>();
    batch->owner = owner;
    batch->bytes = bytes;
    batch->bundles.resize(1);
    batch->bundles[0].arrival = arrival;
    batch->bundles[0].priority = priority;
    return batch;
}

std::vector<std::uint64_t> arrivals(OutQueue &queue) {
    std::vector<std::uint64_t> order;
    while (const BatchPtr batch = queue.pop()) order.push_back(batch->bundles[0].arrival);
    return order;
}

TEST(OutQueue, GivesBackInOrderAndKnowsItsBytes) {
    OutQueue queue;
    EXPECT_EQ(queue.pop(), nullptr);
    for (const std::uint64_t arrival : {3, 1, 2}) queue.push(batch_of(kIngress, arrival, 10));
    EXPECT_EQ(queue.bytes(), 30U);
    EXPECT_EQ(arrivals(queue), (std::vector<std::uint64_t>{3, 1, 2}));
    EXPECT_EQ(queue.bytes(), 0U);
    EXPECT_TRUE(queue.empty());
}

// What was released from storage must not overtake older bundles of its flow.
TEST(OutQueue, OlderCutThroughGoesFirst) {
    OutQueue queue;
    queue.push(batch_of(kStorage, 10, 100));
    queue.push(batch_of(kStorage, 30, 100));
    queue.push(batch_of(kIngress, 8, 10 * kBatchBytes));
    queue.push(batch_of(kIngress, 9, 10 * kBatchBytes));
    const auto order = arrivals(queue);
    EXPECT_EQ(std::vector(order.begin(), order.begin() + 2), (std::vector<std::uint64_t>{8, 9}));
}

/// Bytes that each owner was served, while both always have younger batches waiting.
std::array<std::uint64_t, 2> shares(std::uint64_t ingress_bytes, std::uint64_t storage_bytes) {
    OutQueue queue;
    std::array<std::uint64_t, 2> served{};
    std::uint64_t arrival = 1;
    queue.push(batch_of(kStorage, arrival++, storage_bytes));
    queue.push(batch_of(kIngress, arrival++, ingress_bytes));
    for (int i = 0; i < 20'000; ++i) {
        const BatchPtr batch = queue.pop();
        served[static_cast<std::size_t>(batch->owner)] += batch->bytes;
        // Storage's next is always older than what ingress has, or it would be served for age.
        const std::uint64_t next = batch->owner == kIngress ? (1ULL << 40) + arrival++ : arrival++;
        queue.push(batch_of(batch->owner, next, batch->bytes));
    }
    return served;
}

TEST(OutQueue, SharesALinkFairlyInBytes) {
    for (const auto &[ingress, storage] :
         std::vector<std::pair<std::uint64_t, std::uint64_t>>{{kBatchBytes, kBatchBytes},
                                                              {100, 100},
                                                              {100, kBatchBytes},
                                                              {kBatchBytes, 1000},
                                                              {20 * kBatchBytes, 5000},
                                                              {1, 20 * kBatchBytes}}) {
        const auto served = shares(ingress, storage);
        const std::uint64_t most = std::max(served[0], served[1]);
        const std::uint64_t least = std::min(served[0], served[1]);
        EXPECT_LE(most - least, 2 * std::max({ingress, storage, std::uint64_t{kBatchBytes}}))
            << ingress << ' ' << storage;
    }
}

TEST(OutQueue, SharesALinkAsConfigured) {
    for (const std::uint32_t percent : {1, 10, 25, 75, 99}) {
        OutQueue queue;
        queue.set_stored_share(percent);
        std::array<std::uint64_t, 2> served{};
        std::uint64_t arrival = 1;
        queue.push(batch_of(kStorage, arrival++, 70'000));
        queue.push(batch_of(kIngress, arrival++, kBatchBytes));
        for (int i = 0; i < 20'000; ++i) {
            const BatchPtr batch = queue.pop();
            served[static_cast<std::size_t>(batch->owner)] += batch->bytes;
            const std::uint64_t next =
                batch->owner == kIngress ? (1ULL << 40) + arrival++ : arrival++;
            queue.push(batch_of(batch->owner, next, batch->bytes));
        }
        const auto all = static_cast<double>(served[0] + served[1]);
        EXPECT_NEAR(100.0 * static_cast<double>(served[1]) / all, percent, 0.5);
    }
}

TEST(OutQueue, AHigherPriorityGoesFirst) {
    OutQueue queue;
    queue.push(batch_of(kIngress, 1, 10, Priority::kBulk));
    queue.push(batch_of(kStorage, 2, 10, Priority::kNormal));
    queue.push(batch_of(kIngress, 3, 10, Priority::kExpedited));
    queue.push(batch_of(kStorage, 4, 10, Priority::kExpedited));
    EXPECT_EQ(arrivals(queue), (std::vector<std::uint64_t>{3, 4, 2, 1}));
}

TEST(OutQueue, WhoHadNothingToSendHasSavedNothing) {
    OutQueue queue;
    for (std::uint64_t i = 0; i < 100; ++i) {
        queue.push(batch_of(kIngress, i, kBatchBytes));
        (void)queue.pop();
    }
    // Storage was silent all the time; now it gets no more than its turn.
    for (std::uint64_t i = 0; i < 10; ++i) {
        queue.push(batch_of(kStorage, 1000 + i, kBatchBytes));
        queue.push(batch_of(kIngress, 2000 + i, kBatchBytes));
    }
    int run = 0;
    int longest = 0;
    while (const BatchPtr batch = queue.pop()) {
        run = batch->owner == kStorage ? run + 1 : 0;
        longest = std::max(longest, run);
    }
    EXPECT_LE(longest, 2);
}

TEST(OutQueue, NobodyStarves) {
    for (const BatchOwner slow : {kIngress, kStorage}) {
        const BatchOwner busy = slow == kIngress ? kStorage : kIngress;
        OutQueue queue;
        queue.push(batch_of(slow, 5000, 10));
        int before = 0;
        for (std::uint64_t i = 0; i < 1000; ++i) {
            // As many older ones as one likes: those of ingress may go first, but they end.
            queue.push(batch_of(busy, i < 50 ? i : 6000 + i, kBatchBytes));
            const BatchPtr batch = queue.pop();
            if (batch->owner == slow) break;
            ++before;
        }
        EXPECT_LE(before, 55) << static_cast<int>(slow);
    }
}

}  // namespace
}  // namespace farlink::egress::out_queue_test
