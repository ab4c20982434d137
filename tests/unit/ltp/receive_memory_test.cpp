// SPDX-License-Identifier: Apache-2.0
#include "cla/ltp/core/receive_memory.hpp"

#include <gtest/gtest.h>

#include "common/base/random.hpp"
#include "tests/support/ltp_pair.hpp"

namespace farlink::cla::ltp {
namespace {

struct ReceiveMemoryTest : testing::Test {
    Bytes octets_of(const ChunkList &chunks) {
        Bytes octets;
        chunks.for_each(pool, [&octets](const Chunk &chunk) {
            EXPECT_EQ(chunk.begin, octets.size());
            append(octets, {chunk.data, chunk.size});
        });
        return octets;
    }
    std::size_t count(const ChunkList &chunks) {
        std::size_t chunks_count = 0;
        chunks.for_each(pool, [&chunks_count](const Chunk &) { ++chunks_count; });
        return chunks_count;
    }
    SlabPool slabs{64 * 1024, 1U << 20U};
    ChunkPool pool;
    ReceiveMemory memory{slabs};
};

TEST_F(ReceiveMemoryTest, ABlockInOrderLiesInOnePiece) {
    ChunkList chunks;
    const Bytes block = test::numbered_block(1, 20'000);
    for (std::size_t at = 0; at < block.size(); at += 1000) {
        ASSERT_TRUE(memory.reach(3, chunks, pool, at + 1000));
        ReceiveMemory::write(chunks, pool, at, ByteView(block).subspan(at, 1000));
    }
    EXPECT_EQ(memory.held_bytes(), 20'000U);
    memory.finish(3, chunks, pool, block.size());
    EXPECT_EQ(count(chunks), 1U);
    EXPECT_EQ(octets_of(chunks), block);
    EXPECT_EQ(memory.held_bytes(), 0U);
    chunks.clear(pool);
    memory.rest();
    EXPECT_EQ(slabs.pinned_bytes(), 0U);
}

TEST_F(ReceiveMemoryTest, BlocksThatTakeTurnsHaveFewPieces) {
    ChunkList one;
    ChunkList two;
    const Bytes block = test::numbered_block(1, 60'000);
    for (std::size_t at = 0; at < block.size(); at += 1000) {
        for (ChunkList *const chunks : {&one, &two}) {
            ASSERT_TRUE(memory.reach(chunks == &one ? 1 : 2, *chunks, pool, at + 1000));
            ReceiveMemory::write(*chunks, pool, at, ByteView(block).subspan(at, 1000));
        }
    }
    EXPECT_LE(count(one), 12U);
    memory.finish(1, one, pool, block.size());
    EXPECT_EQ(octets_of(one), block);
    EXPECT_EQ(memory.held_bytes(), 64'000U) << "what the other one has, and has reserved";
    memory.finish(2, two, pool, block.size());
    EXPECT_EQ(octets_of(two), block);
    one.clear(pool);
    two.clear(pool);
    memory.rest();
    EXPECT_EQ(slabs.pinned_bytes(), 0U);
}

TEST_F(ReceiveMemoryTest, WithoutMemoryWhatIsHereStays) {
    ChunkList chunks;
    EXPECT_FALSE(memory.reach(1, chunks, pool, 2U << 20U));
    EXPECT_EQ(memory.held_bytes(), 1U << 20U);
    memory.discard(1, chunks, pool);
    EXPECT_EQ(memory.held_bytes(), 0U);
    EXPECT_EQ(slabs.pinned_bytes(), 0U);
}

TEST_F(ReceiveMemoryTest, WhatLiesBeyondTheEndIsLeftOut) {
    ChunkList chunks;
    ASSERT_TRUE(memory.reach(1, chunks, pool, 200'000));
    memory.finish(1, chunks, pool, 70'000);
    EXPECT_EQ(octets_of(chunks).size(), 70'000U);
    EXPECT_EQ(memory.held_bytes(), 0U);
    chunks.clear(pool);
    memory.rest();
}

}  // namespace
}  // namespace farlink::cla::ltp
