// SPDX-License-Identifier: Apache-2.0
#include "cla/ltp/core/session/out_block.hpp"

#include <gtest/gtest.h>

#include <numeric>

#include "common/base/random.hpp"

namespace farlink::cla::ltp::out_block_test {
namespace {

TEST(LtpOutBlock, AnyPartCanBeGathered) {
    MemoryPool pool;
    Random random(3);
    for (int round = 0; round < 200; ++round) {
        Bytes whole(1 + random.below(500));
        for (std::uint8_t &octet : whole) octet = static_cast<std::uint8_t>(random.next());
        std::vector<BlockPiece> pieces;
        Bytes transient(whole);
        std::size_t at = 0;
        while (at < whole.size()) {
            const std::size_t size = random.below(std::min<std::size_t>(whole.size() - at, 60) + 1);
            const bool copied = random.chance(1, 2);
            pieces.push_back({ByteView(copied ? transient : whole).subspan(at, size), copied});
            at += size;
        }
        OutBlock block = OutBlock::make(pool, pieces);
        std::ranges::fill(transient, 0);
        ASSERT_EQ(block.size(), whole.size());
        for (int part = 0; part < 20; ++part) {
            const std::size_t offset = random.below(whole.size());
            const std::size_t size = random.below(whole.size() - offset + 1);
            Bytes gathered;
            block.gather(offset, size, [&gathered](ByteView piece) { append(gathered, piece); });
            ASSERT_TRUE(std::ranges::equal(gathered, ByteView(whole).subspan(offset, size)));
        }
        block.release(pool);
    }
    EXPECT_EQ(pool.used_bytes(), 0U);
}

TEST(LtpOutBlock, APartHasItsPlaceInTheBlock) {
    MemoryPool pool;
    Bytes octets(100);
    std::iota(octets.begin(), octets.end(), std::uint8_t{0});
    const BlockPiece pieces[] = {{ByteView(octets).first(30), false},
                                 {ByteView(octets).subspan(30), false}};
    OutBlock part = OutBlock::make(pool, pieces, 1000);
    EXPECT_EQ(part.size(), 100U);
    EXPECT_EQ(part.end(), 1100U);
    Bytes gathered;
    part.gather(1020, 40, [&gathered](ByteView piece) { append(gathered, piece); });
    EXPECT_TRUE(std::ranges::equal(gathered, ByteView(octets).subspan(20, 40)));
    part.release(pool);
}

}  // namespace
}  // namespace farlink::cla::ltp::out_block_test
