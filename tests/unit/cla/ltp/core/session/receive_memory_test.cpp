// SPDX-License-Identifier: Apache-2.0
#include "cla/ltp/core/session/receive_memory.hpp"

#include <gtest/gtest.h>

#include <array>

#include "common/base/random.hpp"
#include "tests/support/ltp_pair.hpp"

namespace farlink::cla::ltp::receive_memory_test {
namespace {

struct ReceiveMemoryTest : testing::Test {
    Bytes octets_of(const BlockMemory &block) {
        Bytes octets;
        block.chunks.for_each(pool, [&octets](const Chunk &chunk) {
            EXPECT_EQ(chunk.begin, octets.size());
            append(octets, {chunk.data, chunk.size});
        });
        return octets;
    }
    std::size_t count(const BlockMemory &block) {
        std::size_t chunks_count = 0;
        block.chunks.for_each(pool, [&chunks_count](const Chunk &) { ++chunks_count; });
        return chunks_count;
    }
    /// Octets [begin, end) of `octets` arrive.
    void arrive(std::uint32_t slot, BlockMemory &block, ByteView octets, std::uint64_t begin,
                std::uint64_t end) {
        ASSERT_TRUE(memory.reach(slot, block, pool, begin, end));
        ReceiveMemory::write(block, pool, begin, octets.subspan(begin, end - begin));
    }
    SlabPool slabs{64 * 1024, 1U << 20U};
    ChunkPool pool;
    ReceiveRoom room;
    ReceiveMemory memory{slabs, room};
};

TEST_F(ReceiveMemoryTest, ABlockInOrderLiesInOnePiece) {
    BlockMemory chunks;
    const Bytes block = test::numbered_block(1, 20'000);
    for (std::size_t at = 0; at < block.size(); at += 1000) {
        ASSERT_TRUE(memory.reach(3, chunks, pool, at, at + 1000));
        ReceiveMemory::write(chunks, pool, at, ByteView(block).subspan(at, 1000));
    }
    EXPECT_EQ(memory.held_bytes(), 20'000U);
    memory.finish(3, chunks, pool, block.size());
    EXPECT_EQ(count(chunks), 1U);
    EXPECT_EQ(octets_of(chunks), block);
    EXPECT_EQ(memory.held_bytes(), 0U);
    chunks.chunks.clear(pool);
    memory.rest();
    EXPECT_EQ(slabs.pinned_bytes(), 0U);
}

TEST_F(ReceiveMemoryTest, BlocksThatAlternateHaveFewPieces) {
    BlockMemory one;
    BlockMemory two;
    const Bytes block = test::numbered_block(1, 60'000);
    for (std::size_t at = 0; at < block.size(); at += 1000) {
        for (BlockMemory *const chunks : {&one, &two}) {
            ASSERT_TRUE(memory.reach(chunks == &one ? 1 : 2, *chunks, pool, at, at + 1000));
            ReceiveMemory::write(*chunks, pool, at, ByteView(block).subspan(at, 1000));
        }
    }
    EXPECT_LE(count(one), 12U);
    memory.finish(1, one, pool, block.size());
    EXPECT_EQ(octets_of(one), block);
    EXPECT_EQ(memory.held_bytes(), 64'000U) << "what the other one has, and has reserved";
    memory.finish(2, two, pool, block.size());
    EXPECT_EQ(octets_of(two), block);
    one.chunks.clear(pool);
    two.chunks.clear(pool);
    memory.rest();
    EXPECT_EQ(slabs.pinned_bytes(), 0U);
}

// A slab of 64 kB is small: each block has a few segments, and the first lacks one of them.
TEST_F(ReceiveMemoryTest, ASmallBlockThatWaitsForRepairsHoldsNoSlab) {
    const Bytes block = test::numbered_block(1, 4000);
    std::array<BlockMemory, 40> chunks;
    for (std::uint32_t slot = 0; slot < chunks.size(); ++slot) {
        ASSERT_TRUE(memory.reach(slot, chunks[slot], pool, 0, block.size()));
        ReceiveMemory::write(chunks[slot], pool, 0, ByteView(block).first(slot == 0 ? 3000 : 4000));
        if (slot > 0) {
            memory.finish(slot, chunks[slot], pool, block.size());
            chunks[slot].chunks.clear(pool);
        }
        memory.for_each_left(
            [&](std::uint32_t left) { memory.move_out(left, chunks[left], pool); });
        EXPECT_FALSE(memory.filled());
    }
    // The slab of the last block, and the memory of the first one.
    EXPECT_EQ(slabs.pinned_bytes(), 64 * 1024 + block.size());
    EXPECT_EQ(memory.held_bytes(), block.size());
    ReceiveMemory::write(chunks[0], pool, 3000, ByteView(block).subspan(3000));
    memory.finish(0, chunks[0], pool, block.size());
    EXPECT_EQ(octets_of(chunks[0]), block);
    EXPECT_EQ(memory.held_bytes(), 0U);
    chunks[0].chunks.clear(pool);
    memory.rest();
    EXPECT_EQ(slabs.pinned_bytes(), 0U);
}

TEST_F(ReceiveMemoryTest, ALargeBlockAndOneThatGrowsStayWhereTheyAre) {
    BlockMemory large;
    ASSERT_TRUE(memory.reach(1, large, pool, 0, 40'000));
    BlockMemory grows;
    ASSERT_TRUE(memory.reach(2, grows, pool, 0, 40'000));
    EXPECT_TRUE(memory.filled());
    memory.for_each_left(
        [&](std::uint32_t slot) { memory.move_out(slot, slot == 1 ? large : grows, pool); });
    EXPECT_EQ(slabs.pinned_bytes(), 2 * 64 * 1024U);
    memory.discard(1, large, pool);
    memory.discard(2, grows, pool);
    EXPECT_EQ(slabs.pinned_bytes(), 0U);
}

TEST_F(ReceiveMemoryTest, HeldMemoryIsInProportionToReceivedOctets) {
    const Bytes block = test::numbered_block(1, 600'000);
    BlockMemory far;
    arrive(1, far, block, 599'999, 600'000);
    EXPECT_LE(memory.held_bytes(), 4U);
    for (std::uint64_t at = 100'000; at < 600'000; at += 100'000) arrive(1, far, block, at, at + 1);
    EXPECT_LE(memory.held_bytes(), 6 * 4U);
    EXPECT_EQ(room.held, memory.held_bytes());
    // Gaps are filled in any order until the block is complete.
    Random random(3);
    for (std::uint64_t at : {400'000U, 0U, 200'000U, 500'000U, 100'000U, 300'000U})
        for (std::uint64_t end = at + 100'000; at < end;) {
            const std::uint64_t step = std::min<std::uint64_t>(end - at, 1 + random.below(3000));
            arrive(1, far, block, at, at + step);
            EXPECT_LE(far.held, 4 * far.arrived);
            at += step;
        }
    memory.finish(1, far, pool, block.size());
    EXPECT_EQ(octets_of(far), block);
    EXPECT_LE(count(far), 30U);
    EXPECT_EQ(memory.held_bytes() + room.held, 0U);
    far.chunks.clear(pool);
    memory.rest();
    EXPECT_EQ(slabs.pinned_bytes(), 0U);
}

TEST_F(ReceiveMemoryTest, AFewLostSegmentsLeaveNoHole) {
    const Bytes block = test::numbered_block(1, 20'000);
    BlockMemory chunks;
    for (const std::uint64_t at : {1000U, 4000U, 6000U, 0U, 2000U, 3000U, 5000U})
        arrive(1, chunks, block, at, at + 1000);
    arrive(1, chunks, block, 7000, 20'000);
    memory.finish(1, chunks, pool, block.size());
    EXPECT_EQ(octets_of(chunks), block);
    EXPECT_EQ(count(chunks), 1U);
    chunks.chunks.clear(pool);
    memory.rest();
}

TEST_F(ReceiveMemoryTest, ASmallBlockWithHolesLeavesItsSlabsToo) {
    const Bytes block = test::numbered_block(1, 30'000);
    BlockMemory holes;
    arrive(1, holes, block, 0, 500);
    arrive(1, holes, block, 10'000, 10'500);
    arrive(1, holes, block, 20'000, 20'500);
    BlockMemory other;
    ASSERT_TRUE(memory.reach(2, other, pool, 0, 70'000));
    ASSERT_TRUE(memory.filled());
    memory.for_each_left(
        [&](std::uint32_t slot) { memory.move_out(slot, slot == 1 ? holes : other, pool); });
    memory.discard(2, other, pool);
    EXPECT_LE(slabs.pinned_bytes(), 3000U);
    arrive(1, holes, block, 500, 10'000);
    arrive(1, holes, block, 10'500, 20'000);
    arrive(1, holes, block, 20'500, 30'000);
    memory.finish(1, holes, pool, block.size());
    EXPECT_EQ(octets_of(holes), block);
    holes.chunks.clear(pool);
    memory.rest();
    EXPECT_EQ(slabs.pinned_bytes(), 0U);
}

TEST_F(ReceiveMemoryTest, AllPeersShareOneLimit) {
    room.limit = 10'000;
    ReceiveMemory neighbour(slabs, room);
    BlockMemory one;
    BlockMemory two;
    EXPECT_TRUE(memory.reach(1, one, pool, 0, 8000));
    EXPECT_FALSE(neighbour.reach(2, two, pool, 0, 8000));
    memory.discard(1, one, pool);
    EXPECT_TRUE(neighbour.reach(2, two, pool, 0, 8000));
    neighbour.discard(2, two, pool);
    EXPECT_EQ(slabs.pinned_bytes(), 0U);
}

TEST_F(ReceiveMemoryTest, WithoutMemoryReceivedOctetsStay) {
    BlockMemory chunks;
    EXPECT_FALSE(memory.reach(1, chunks, pool, 0, 2U << 20U));
    EXPECT_EQ(memory.held_bytes(), 1U << 20U);
    memory.discard(1, chunks, pool);
    EXPECT_EQ(memory.held_bytes(), 0U);
    EXPECT_EQ(slabs.pinned_bytes(), 0U);
}

TEST_F(ReceiveMemoryTest, OctetsBeyondTheEndAreLeftOut) {
    BlockMemory chunks;
    ASSERT_TRUE(memory.reach(1, chunks, pool, 0, 200'000));
    memory.finish(1, chunks, pool, 70'000);
    EXPECT_EQ(octets_of(chunks).size(), 70'000U);
    EXPECT_EQ(memory.held_bytes(), 0U);
    chunks.chunks.clear(pool);
    memory.rest();
}

TEST_F(ReceiveMemoryTest, OctetsAtTheFrontLeaveWhileTheBlockGrows) {
    BlockMemory block;
    const Bytes octets = test::numbered_block(1, 300'000);
    Bytes left;
    std::uint64_t end = 0;
    for (std::size_t at = 0; at < octets.size(); at += 1000) {
        arrive(3, block, octets, at, at + 1000);
        if (at % 20'000 != 7'000) continue;
        ChunkList front = memory.take_front(3, block, pool, at + 500);
        front.for_each(pool, [&](const Chunk &chunk) {
            EXPECT_EQ(chunk.begin, left.size());
            append(left, {chunk.data, chunk.size});
        });
        front.clear(pool);
        end = at + 500;
        EXPECT_EQ(left.size(), end);
        EXPECT_LT(memory.held_bytes(), 100'000U);
        EXPECT_EQ(room.held, memory.held_bytes());
    }
    memory.finish(3, block, pool, octets.size());
    block.chunks.for_each(pool,
                          [&left](const Chunk &chunk) { append(left, {chunk.data, chunk.size}); });
    EXPECT_EQ(left, octets);
    EXPECT_EQ(memory.held_bytes(), 0U);
    block.chunks.clear(pool);
    memory.rest();
    EXPECT_EQ(slabs.pinned_bytes(), 0U);
}

TEST_F(ReceiveMemoryTest, WhatIsLeftOfABlockLeavesItsSlabsToo) {
    const Bytes octets = test::numbered_block(1, 30'000);
    Bytes passed;
    const auto pass = [&](BlockMemory &block, std::uint64_t end) {
        ChunkList front = memory.take_front(1, block, pool, end);
        front.for_each(pool, [&passed](const Chunk &chunk) {
            EXPECT_EQ(chunk.begin, passed.size());
            append(passed, {chunk.data, chunk.size});
        });
        front.clear(pool);
    };
    BlockMemory block;
    arrive(1, block, octets, 0, 20'000);
    pass(block, 15'000);
    arrive(1, block, octets, 22'000, 22'500);
    BlockMemory other;
    ASSERT_TRUE(memory.reach(2, other, pool, 0, 70'000));
    ASSERT_TRUE(memory.filled());
    memory.for_each_left(
        [&](std::uint32_t slot) { memory.move_out(slot, slot == 1 ? block : other, pool); });
    memory.discard(2, other, pool);
    EXPECT_EQ(slabs.pinned_bytes(), block.held) << "in memory of its size";
    EXPECT_EQ(memory.held_bytes(), block.held);
    EXPECT_EQ(block.passed, 15'000U);
    arrive(1, block, octets, 20'000, 22'000);
    arrive(1, block, octets, 22'500, 30'000);
    pass(block, 25'000);
    EXPECT_EQ(memory.held_bytes(), block.held);
    memory.finish(1, block, pool, octets.size());
    block.chunks.for_each(
        pool, [&passed](const Chunk &chunk) { append(passed, {chunk.data, chunk.size}); });
    EXPECT_EQ(passed, octets);
    EXPECT_EQ(memory.held_bytes() + room.held, 0U);
    block.chunks.clear(pool);
    memory.rest();
    EXPECT_EQ(slabs.pinned_bytes(), 0U);
}

TEST_F(ReceiveMemoryTest, WhatHasLeftTakesNoMemoryAgain) {
    BlockMemory block;
    const Bytes octets = test::numbered_block(1, 20'000);
    arrive(3, block, octets, 0, 10'000);
    memory.take_front(3, block, pool, 9'000).clear(pool);
    const std::uint64_t held = memory.held_bytes();
    ASSERT_TRUE(memory.reach(3, block, pool, 8'000, 9'500));
    EXPECT_EQ(memory.held_bytes(), held) << "a repeat";
    arrive(3, block, octets, 12'000, 13'000);
    EXPECT_LT(memory.held_bytes(), 8'000U) << "nothing in place of what has left";
    memory.discard(3, block, pool);
    EXPECT_EQ(room.held, 0U);
}

TEST_F(ReceiveMemoryTest, ABlockSparesRoomForOthers) {
    room.limit = 10'000;
    BlockMemory block;
    const Bytes octets = test::numbered_block(1, 20'000);
    block.spared = 6'000;
    arrive(3, block, octets, 0, 4'000);
    EXPECT_FALSE(memory.reach(3, block, pool, 4'000, 5'000));
    block.spared = 0;
    EXPECT_TRUE(memory.reach(3, block, pool, 4'000, 5'000));
    memory.discard(3, block, pool);
}

}  // namespace
}  // namespace farlink::cla::ltp::receive_memory_test
