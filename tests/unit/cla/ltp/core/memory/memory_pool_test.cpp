// SPDX-License-Identifier: Apache-2.0
#include "cla/ltp/core/memory/memory_pool.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace farlink::cla::ltp::memory_pool_test {
namespace {

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
}  // namespace farlink::cla::ltp::memory_pool_test
