// SPDX-License-Identifier: Apache-2.0
#include "cla/ltp/core/session/block_parts.hpp"

#include <gtest/gtest.h>

namespace farlink::cla::ltp::block_parts_test {
namespace {

constexpr std::uint64_t kMost = 10'000;

struct BlockPartsTest : testing::Test {
    DataVerdict add(SegmentType type, std::uint64_t offset, std::size_t size) {
        const Bytes octets(size, 1);
        Segment segment;
        segment.type = type;
        segment.data = {1, offset, 0, 0, octets};
        const DataVerdict verdict = parts.judge(segment, kMost);
        if (verdict == DataVerdict::kTaken) parts.add(segment);
        return verdict;
    }

    BlockParts parts;
};

TEST_F(BlockPartsTest, NothingIsKnownAtFirst) {
    EXPECT_FALSE(parts.has_red());
    EXPECT_FALSE(parts.red_size_known());
    EXPECT_EQ(parts.size(), BlockParts::kUnknown);
    EXPECT_EQ(parts.delivered_size(), 0U);
}

TEST_F(BlockPartsTest, TheRedPartGrowsUntilItsEndIsKnown) {
    EXPECT_EQ(add(SegmentType::kRed, 100, 100), DataVerdict::kTaken);
    EXPECT_EQ(parts.red_size(), 200U);
    EXPECT_FALSE(parts.red_size_known());
    EXPECT_EQ(add(SegmentType::kEndOfRedBlock, 400, 100), DataVerdict::kTaken);
    EXPECT_TRUE(parts.red_size_known());
    EXPECT_EQ(parts.red_size(), 500U);
    EXPECT_TRUE(parts.all_red());
}

TEST_F(BlockPartsTest, AGreenPartFollowsTheRedOne) {
    EXPECT_EQ(add(SegmentType::kEndOfRed, 0, 100), DataVerdict::kTaken);
    EXPECT_EQ(add(SegmentType::kGreen, 99, 10), DataVerdict::kMiscoloured);
    EXPECT_EQ(add(SegmentType::kEndOfGreenBlock, 100, 50), DataVerdict::kTaken);
    EXPECT_EQ(parts.size(), 150U);
    EXPECT_FALSE(parts.all_red());
    EXPECT_EQ(parts.delivered_size(), 100U) << "the red part alone";
    parts.deliver_whole();
    EXPECT_EQ(parts.delivered_size(), 150U);
}

TEST_F(BlockPartsTest, ASegmentThatContradictsAnEndIsRejected) {
    EXPECT_EQ(add(SegmentType::kEndOfRedBlock, 0, 300), DataVerdict::kTaken);
    EXPECT_EQ(add(SegmentType::kRed, 250, 100), DataVerdict::kContradictory);
    EXPECT_EQ(add(SegmentType::kEndOfRedBlock, 0, 200), DataVerdict::kContradictory);
    EXPECT_EQ(add(SegmentType::kRed, 0, kMost + 1), DataVerdict::kTooLarge);
    EXPECT_EQ(parts.size(), 300U);
}

}  // namespace
}  // namespace farlink::cla::ltp::block_parts_test
