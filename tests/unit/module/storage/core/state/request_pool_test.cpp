// SPDX-License-Identifier: Apache-2.0
#include "module/storage/core/state/request_pool.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace farlink::storage::request_pool_test {
namespace {

TEST(RequestPool, ARequestKeepsItsArrays) {
    RequestPool pool;
    DiskRequestPtr request = pool.acquire(DiskVerb::kRead);
    request->records.resize(100);
    pool.recycle(std::move(request));
    EXPECT_EQ(pool.bytes(), 100 * sizeof(DiskRecord));
    request = pool.acquire(DiskVerb::kErase);
    EXPECT_EQ(request->verb, DiskVerb::kErase);
    EXPECT_EQ(request->records.capacity(), 100U);
    EXPECT_EQ(pool.bytes(), 0U);
}

TEST(RequestPool, OfManyLargeRequestsOnlySomeAreKept) {
    RequestPool pool;
    std::vector<DiskRequestPtr> requests;
    for (int many = 0; many < 10'000; ++many) {
        requests.push_back(pool.acquire(DiskVerb::kErase));
        requests.back()->erased.reserve(4096);
    }
    while (!requests.empty()) {
        pool.recycle(std::move(requests.back()));
        requests.pop_back();
    }
    EXPECT_LE(pool.bytes(), RequestPool::kMostBytes);
    EXPECT_GT(pool.bytes(), RequestPool::kMostBytes / 2);
}

TEST(RequestPool, WhatIsNotUsedIsFreedInTime) {
    RequestPool pool;
    std::vector<DiskRequestPtr> requests;
    const auto use = [&](std::size_t many) {
        for (std::size_t at = 0; at < many; ++at) {
            requests.push_back(pool.acquire(DiskVerb::kErase));
            requests.back()->erased.reserve(4096);
        }
        for (DiskRequestPtr &request : requests) pool.recycle(std::move(request));
        requests.clear();
    };
    use(400);
    const std::size_t all = pool.bytes();
    ASSERT_GT(all, 8 * RequestPool::kKeptBytes);
    pool.free_unused();
    EXPECT_EQ(pool.bytes(), all) << "they were in use until now";
    for (int second = 0; second < 20; ++second) {
        use(300);
        pool.free_unused();
    }
    EXPECT_GE(pool.bytes(), all / 4 * 3) << "so many are used again and again";
    EXPECT_LT(pool.bytes(), all);
    for (int second = 0; second < 20; ++second) pool.free_unused();
    EXPECT_LE(pool.bytes(), RequestPool::kKeptBytes + all / 100);
}

}  // namespace
}  // namespace farlink::storage::request_pool_test
