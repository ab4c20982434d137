// SPDX-License-Identifier: Apache-2.0
#include "cla/tls/record_block.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace farlink::cla::record_block_test {
namespace {

void put(RecordBlock &block, std::string_view text) {
    std::ranges::copy(as_bytes(text), block.room().begin());
    block.filled(text.size());
}

TEST(RecordBlock, GivesBackWhatWasPutIn) {
    RecordBlock block;
    EXPECT_TRUE(block.waiting().empty());
    put(block, "one");
    put(block, "two");
    EXPECT_EQ(as_text(block.waiting()), "onetwo");
    block.emptied(4);
    EXPECT_EQ(as_text(block.waiting()), "wo");
    block.emptied(2);
    EXPECT_TRUE(block.waiting().empty());
    EXPECT_EQ(block.room_bytes(), RecordBlock::kBytes);
}

TEST(RecordBlock, FillsUp) {
    RecordBlock block;
    EXPECT_EQ(block.room().size(), RecordBlock::kBytes);
    block.filled(RecordBlock::kBytes - 1);
    EXPECT_EQ(block.room_bytes(), 1U);
    block.filled(1);
    EXPECT_EQ(block.room().size(), 0U);
}

TEST(RecordBlock, LendsItsMemoryAgain) {
    RecordBlock first;
    const std::uint8_t *const memory = first.room().data();
    put(first, "x");
    first.emptied(1);
    RecordBlock second;
    EXPECT_EQ(second.room().data(), memory);
}

}  // namespace
}  // namespace farlink::cla::record_block_test
