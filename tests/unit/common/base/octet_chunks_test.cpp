// SPDX-License-Identifier: Apache-2.0
#include "common/base/octet_chunks.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <utility>

#include "common/base/random.hpp"

namespace farlink::octet_chunks_test {
namespace {

constexpr std::size_t kChunk = OctetChunks::kChunkBytes;

Bytes all(const OctetChunks &chunks) {
    Bytes out;
    chunks.append_to(out);
    return out;
}

TEST(OctetChunks, WhatWasAppendedIsFoundAtItsPlaceInOnePiece) {
    Random random(3);
    OctetChunks chunks;
    std::vector<std::pair<std::uint64_t, Bytes>> appended;
    Bytes expected;
    for (int turn = 0; turn < 200; ++turn) {
        Bytes octets(random.below(kChunk / 8));
        for (std::uint8_t &octet : octets) octet = static_cast<std::uint8_t>(random.next());
        appended.emplace_back(chunks.append(octets), octets);
        append(expected, octets);
    }
    for (const auto &[place, octets] : appended)
        EXPECT_TRUE(std::ranges::equal(chunks.from(place).first(octets.size()), octets));
    EXPECT_EQ(chunks.size(), expected.size());
    EXPECT_EQ(all(chunks), expected);
}

TEST(OctetChunks, AChunkIsFilledToItsEnd) {
    OctetChunks chunks;
    EXPECT_EQ(chunks.append(Bytes(kChunk - 1, 1)), 0U);
    EXPECT_EQ(chunks.append(Bytes(1, 2)), kChunk - 1);
    EXPECT_EQ(chunks.append(Bytes(kChunk, 3)), kChunk);
    EXPECT_EQ(chunks.append(Bytes(1, 4)), 2 * kChunk);
    EXPECT_EQ(chunks.from(kChunk - 1).size(), 1U);
}

TEST(OctetChunks, OnesThatWereClearedAreUsedAgain) {
    OctetChunks chunks;
    EXPECT_EQ(chunks.append({}), 0U);
    for (int i = 0; i < 3; ++i) (void)chunks.append(Bytes(kChunk, 1));
    const std::uint8_t *memory = chunks.from(kChunk).data();
    chunks.clear();
    EXPECT_EQ(chunks.size(), 0U);
    EXPECT_TRUE(all(chunks).empty());
    (void)chunks.append(Bytes(kChunk, 2));
    EXPECT_EQ(chunks.append(Bytes(1, 3)), kChunk);
    EXPECT_EQ(chunks.from(kChunk).data(), memory);
    EXPECT_EQ(all(chunks).size(), kChunk + 1);
}

}  // namespace
}  // namespace farlink::octet_chunks_test
