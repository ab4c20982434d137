// SPDX-License-Identifier: Apache-2.0
#include "cla/ltp/core/memory/slot_pool.hpp"

#include <gtest/gtest.h>

namespace farlink::cla::ltp::slot_pool_test {
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

}  // namespace
}  // namespace farlink::cla::ltp::slot_pool_test
