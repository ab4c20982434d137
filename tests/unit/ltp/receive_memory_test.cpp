// SPDX-License-Identifier: Apache-2.0
#include "cla/ltp/core/receive_memory.hpp"

#include <gtest/gtest.h>

#include <array>

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

// A slab of 64 kB is small: each block has a few segments, and the first lacks one of them.
TEST_F(ReceiveMemoryTest, ASmallBlockThatWaitsForRepairsHoldsNoSlab) {
    const Bytes block = test::numbered_block(1, 4000);
    std::array<ChunkList, 40> chunks;
    for (std::uint32_t slot = 0; slot < chunks.size(); ++slot) {
        ASSERT_TRUE(memory.reach(slot, chunks[slot], pool, block.size()));
        ReceiveMemory::write(chunks[slot], pool, 0, ByteView(block).first(slot == 0 ? 3000 : 4000));
        if (slot > 0) {
            memory.finish(slot, chunks[slot], pool, block.size());
            chunks[slot].clear(pool);
        }
        memory.for_each_left(
            [&](std::uint32_t left) { memory.move_out(left, chunks[left], pool); });
        EXPECT_FALSE(memory.filled());
    }
    // That of the last block, and what the first one needs.
    EXPECT_EQ(slabs.pinned_bytes(), 64 * 1024 + block.size());
    EXPECT_EQ(memory.held_bytes(), block.size());
    ReceiveMemory::write(chunks[0], pool, 3000, ByteView(block).subspan(3000));
    memory.finish(0, chunks[0], pool, block.size());
    EXPECT_EQ(octets_of(chunks[0]), block);
    EXPECT_EQ(memory.held_bytes(), 0U);
    chunks[0].clear(pool);
    memory.rest();
    EXPECT_EQ(slabs.pinned_bytes(), 0U);
}

TEST_F(ReceiveMemoryTest, ALargeBlockAndOneThatGrowsStayWhereTheyAre) {
    ChunkList large;
    ASSERT_TRUE(memory.reach(1, large, pool, 40'000));
    ChunkList grows;
    ASSERT_TRUE(memory.reach(2, grows, pool, 40'000));
    EXPECT_TRUE(memory.filled());
    memory.for_each_left(
        [&](std::uint32_t slot) { memory.move_out(slot, slot == 1 ? large : grows, pool); });
    EXPECT_EQ(slabs.pinned_bytes(), 2 * 64 * 1024U);
    memory.discard(1, large, pool);
    memory.discard(2, grows, pool);
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
