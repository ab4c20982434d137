// SPDX-License-Identifier: Apache-2.0
#include "apps/shared/emulation/delay_line.hpp"

#include <gtest/gtest.h>

namespace farlink::emulation::delay_line_test {
namespace {

constexpr TimePoint kStart{};

Bytes piece(std::size_t size, std::uint8_t value) {
    return Bytes(size, value);
}

/// Takes everything that is due and returns the first octet of each piece.
std::vector<int> arrivals(DelayLine &line, TimePoint now) {
    std::vector<int> first;
    while (true) {
        const auto pieces = line.due(now);
        if (pieces.empty()) return first;
        for (const ByteView &octets : pieces) first.push_back(octets.empty() ? -1 : octets[0]);
        line.sent(pieces.size());
    }
}

TEST(DelayLineTest, HoldsPiecesUntilTheirTime) {
    DelayLine line(DelayLine::kBlockBytes);
    EXPECT_EQ(line.next_due(), kNever);
    ASSERT_TRUE(line.append(piece(100, 1), kStart + seconds(1)));
    ASSERT_TRUE(line.append(piece(100, 2), kStart + seconds(2)));
    EXPECT_EQ(line.next_due(), kStart + seconds(1));
    EXPECT_EQ(arrivals(line, kStart + milliseconds(999)), std::vector<int>{});
    EXPECT_EQ(arrivals(line, kStart + seconds(1)), std::vector<int>{1});
    EXPECT_EQ(line.next_due(), kStart + seconds(2));
    EXPECT_EQ(line.waiting_bytes(), 100U);
    EXPECT_EQ(arrivals(line, kStart + seconds(9)), std::vector<int>{2});
    EXPECT_EQ(line.memory_bytes(), 0U);
}

TEST(DelayLineTest, WhatIsInOrderNeverOvertakes) {
    DelayLine line(DelayLine::kBlockBytes);
    ASSERT_TRUE(line.append(piece(1, 1), kStart + seconds(5)));
    ASSERT_TRUE(line.append(piece(1, 2), kStart + seconds(1)));
    EXPECT_EQ(arrivals(line, kStart + seconds(4)), std::vector<int>{});
    EXPECT_EQ(arrivals(line, kStart + seconds(5)), (std::vector<int>{1, 2}));
}

TEST(DelayLineTest, WhatLiesApartArrivesAtItsOwnTime) {
    DelayLine line(2 * DelayLine::kBlockBytes);
    ASSERT_TRUE(line.append(piece(1, 1), kStart + seconds(1)));
    ASSERT_TRUE(line.insert(piece(1, 9), kStart + seconds(2)));
    ASSERT_TRUE(line.append(piece(1, 3), kStart + seconds(3)));
    ASSERT_TRUE(line.insert(piece(1, 0), kStart));
    EXPECT_EQ(line.next_due(), kStart);
    EXPECT_EQ(arrivals(line, kStart + seconds(3)), (std::vector<int>{0, 1, 9, 3}));
}

TEST(DelayLineTest, WhatWasNotSentIsToldAgain) {
    DelayLine line(DelayLine::kBlockBytes);
    for (std::uint8_t i = 0; i < 3; ++i) ASSERT_TRUE(line.append(piece(7, i), kStart));
    ASSERT_EQ(line.due(kStart).size(), 3U);
    line.sent(1);
    EXPECT_EQ(arrivals(line, kStart), (std::vector<int>{1, 2}));
}

TEST(DelayLineTest, APieceMayBeEmpty) {
    DelayLine line(DelayLine::kBlockBytes);
    ASSERT_TRUE(line.append({}, kStart));
    ASSERT_TRUE(line.append(piece(1, 4), kStart));
    EXPECT_EQ(arrivals(line, kStart), (std::vector<int>{-1, 4}));
}

TEST(DelayLineTest, MemoryIsBoundedAndGivenBack) {
    DelayLine line(3 * DelayLine::kBlockBytes);
    std::size_t held = 0;
    while (line.append(piece(DelayLine::kMaxPieceBytes, 5), kStart)) ++held;
    EXPECT_EQ(held, 45U) << "15 of the largest pieces, with their records, in each block";
    EXPECT_EQ(line.memory_bytes(), 3 * DelayLine::kBlockBytes);
    EXPECT_FALSE(line.insert(piece(1, 5), kStart));
    EXPECT_EQ(arrivals(line, kStart).size(), held);
    EXPECT_EQ(line.memory_bytes(), 0U);
    EXPECT_TRUE(line.insert(piece(1, 5), kStart));
    EXPECT_TRUE(line.append(piece(1, 6), kStart + seconds(1)));
}

TEST(DelayLineTest, ManyBlocksKeepTheirContent) {
    DelayLine line(64 * DelayLine::kBlockBytes);
    for (int round = 0; round < 3; ++round) {
        for (int i = 0; i < 10'000; ++i)
            ASSERT_TRUE(line.append(piece(1360, static_cast<std::uint8_t>(i)), kStart));
        const std::vector<int> got = arrivals(line, kStart);
        ASSERT_EQ(got.size(), 10'000U);
        for (std::size_t i = 0; i < got.size(); ++i) ASSERT_EQ(got[i], static_cast<int>(i % 256));
    }
}

}  // namespace
}  // namespace farlink::emulation::delay_line_test
