// SPDX-License-Identifier: Apache-2.0
#include "module/ingress/core/queues/output_queue.hpp"

#include <gtest/gtest.h>

namespace farlink::ingress::output_queue_test {
namespace {

BatchPtr batch_of(Priority priority, std::uint64_t arrival) {
    auto batch = std::make_unique<Batch>();
    batch->bundles.resize(1);
    batch->bundles[0].priority = priority;
    batch->bundles[0].arrival = arrival;
    return batch;
}

std::vector<std::uint64_t> order_of(OutputQueue &queue) {
    queue.wait(batch_of(Priority::kNormal, 1));
    queue.wait(batch_of(Priority::kBulk, 2));
    queue.wait(batch_of(Priority::kExpedited, 3));
    queue.wait(batch_of(Priority::kNormal, 4));
    queue.wait(batch_of(Priority::kExpedited, 5));
    std::vector<std::uint64_t> order;
    while (!queue.waiting.empty())
        order.push_back(queue.waiting.pop_front()->bundles.front().arrival);
    return order;
}

TEST(OutputQueue, WhatWaitsForALinkGoesByPriorityAndThenInOrder) {
    OutputQueue queue;
    queue.link = LinkId{3};
    EXPECT_EQ(order_of(queue), (std::vector<std::uint64_t>{3, 5, 1, 4, 2}));
}

TEST(OutputQueue, WhatWaitsForStorageKeepsItsOrder) {
    OutputQueue queue;
    EXPECT_EQ(order_of(queue), (std::vector<std::uint64_t>{1, 2, 3, 4, 5}));
}

TEST(OutputQueue, PrioritiesTravelInBatchesOfTheirOwnButToStorage) {
    OutputQueue link;
    link.link = LinkId{3};
    EXPECT_NE(&link.open_for(Priority::kBulk), &link.open_for(Priority::kExpedited));
    OutputQueue storage;
    EXPECT_EQ(&storage.open_for(Priority::kBulk), &storage.open_for(Priority::kExpedited));
}

}  // namespace
}  // namespace farlink::ingress::output_queue_test
