// SPDX-License-Identifier: Apache-2.0
#include "cla/ltp/core/memory/node_pool.hpp"

#include <gtest/gtest.h>

namespace farlink::cla::ltp::node_pool_test {
namespace {

TEST(LtpNodePool, ListsShareNodesAndGiveThemBack) {
    NodePool<int> pool;
    PoolList<int> list;
    PoolList<int> other;
    for (int i = 0; i < 10; ++i) {
        list.push_back(pool, i);
        other.push_back(pool, -i);
    }
    list.remove_if(pool, [](int value) { return value % 2 == 0 || value == 9; });
    EXPECT_EQ(*list.find(pool, [](int value) { return value > 3; }), 5);
    EXPECT_EQ(list.find(pool, [](int value) { return value > 7; }), nullptr);
    list.push_back(pool, 11);
    int sum = 0;
    list.for_each(pool, [&sum](int value) { sum += value; });
    EXPECT_EQ(sum, 1 + 3 + 5 + 7 + 11);
    list.clear(pool);
    other.clear(pool);
    EXPECT_EQ(pool.used(), 0U);
    const std::size_t bytes = pool.bytes();
    for (int i = 0; i < 20; ++i) list.push_back(pool, i);
    EXPECT_EQ(pool.bytes(), bytes);
}

}  // namespace
}  // namespace farlink::cla::ltp::node_pool_test
