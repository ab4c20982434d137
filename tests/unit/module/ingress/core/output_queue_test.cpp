// SPDX-License-Identifier: Apache-2.0
#include "module/ingress/core/output_queue.hpp"

#include <gtest/gtest.h>

namespace farlink::ingress {
namespace {

BatchPtr batch_of(Priority priority, std::uint64_t arrival) {
    auto batch = std::make_unique<Batch>();
    batch->bundles.resize(1);
    batch->bundles[0].priority = priority;
    batch->bundles[0].arrival = arrival;
    return batch;
}

std::vector<std::uint64_t> order_of(Lane &lane) {
    lane.wait(batch_of(Priority::kNormal, 1));
    lane.wait(batch_of(Priority::kBulk, 2));
    lane.wait(batch_of(Priority::kExpedited, 3));
    lane.wait(batch_of(Priority::kNormal, 4));
    lane.wait(batch_of(Priority::kExpedited, 5));
    std::vector<std::uint64_t> order;
    while (!lane.waiting.empty())
        order.push_back(lane.waiting.pop_front()->bundles.front().arrival);
    return order;
}

TEST(Lane, WhatWaitsForALinkGoesByPriorityAndThenInOrder) {
    Lane lane;
    lane.link = LinkId{3};
    EXPECT_EQ(order_of(lane), (std::vector<std::uint64_t>{3, 5, 1, 4, 2}));
}

TEST(Lane, WhatWaitsForStorageKeepsItsOrder) {
    Lane lane;
    EXPECT_EQ(order_of(lane), (std::vector<std::uint64_t>{1, 2, 3, 4, 5}));
}

TEST(Lane, PrioritiesTravelInBatchesOfTheirOwnButToStorage) {
    Lane link;
    link.link = LinkId{3};
    EXPECT_NE(&link.open_for(Priority::kBulk), &link.open_for(Priority::kExpedited));
    Lane storage;
    EXPECT_EQ(&storage.open_for(Priority::kBulk), &storage.open_for(Priority::kExpedited));
}

}  // namespace
}  // namespace farlink::ingress
