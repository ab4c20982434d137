// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "cla/ltp/core/memory/memory_pool.hpp"
#include "cla/ltp/core/memory/node_pool.hpp"
#include "cla/ltp/core/memory/slot_pool.hpp"

namespace farlink::cla::ltp {
namespace {

TEST(LtpSlotPool, AnOldHandleFindsNothing) {
    SlotPool<int> pool;
    const std::uint32_t slot = pool.acquire();
    const SessionHandle handle = pool.handle(slot);
    pool[slot] = 5;
    EXPECT_EQ(*pool.find(handle), 5);
    pool.release(slot);
    EXPECT_EQ(pool.find(handle), nullptr);
    EXPECT_EQ(pool.acquire(), slot);
    EXPECT_EQ(pool[slot], 0);
    EXPECT_EQ(pool.find(handle), nullptr);
    EXPECT_EQ(pool.find({9999, 0}), nullptr);
    EXPECT_EQ(pool.used(), 1U);
}

TEST(LtpSlotPool, ValuesStayWhereTheyAre) {
    SlotPool<int> pool;
    const std::uint32_t slot = pool.acquire();
    int *const value = &pool[slot];
    for (int i = 0; i < 1000; ++i) static_cast<void>(pool.acquire());
    EXPECT_EQ(value, &pool[slot]);
    std::size_t count = 0;
    pool.for_each([&count](std::uint32_t, int) { ++count; });
    EXPECT_EQ(count, 1001U);
}

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

TEST(LtpMemoryPool, FreedMemoryIsUsedAgain) {
    MemoryPool pool;
    for (const std::size_t size : {0, 1, 64, 65, 5000, 65'536, 65'537, 1'000'000}) {
        std::uint8_t *const memory = pool.acquire(size);
        std::fill(memory, memory + size, std::uint8_t{1});
        pool.release(memory, size);
        if (size > 0 && size <= MemoryPool::kChunkBytes) {
            EXPECT_EQ(pool.acquire(size), memory) << size;
            pool.release(memory, size);
        }
    }
    EXPECT_EQ(pool.used_bytes(), 0U);
}

}  // namespace
}  // namespace farlink::cla::ltp
