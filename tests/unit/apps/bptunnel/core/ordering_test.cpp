// SPDX-License-Identifier: Apache-2.0
#include "apps/bptunnel/core/ordering.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "apps/bptunnel/core/batch.hpp"
#include "apps/bptunnel/core/lru_table.hpp"

namespace farlink::bptunnel::ordering_test {
namespace {

using Numbers = std::vector<int>;

constexpr TimePoint kBegin{};
constexpr OrderLimits kLimits{.wait = milliseconds(100), .bytes = 1000};

class OrderingTest : public ::testing::Test {
protected:
    void put(int number, TimePoint now = kBegin, std::size_t size = 1) {
        Bytes adu(size);
        adu[0] = static_cast<std::uint8_t>(number);
        ordering_.put(static_cast<std::uint64_t>(number), std::move(adu), now);
    }
    Numbers next(TimePoint now = kBegin) {
        Numbers numbers;
        while (const auto adu = ordering_.next(now)) numbers.push_back(adu->front());
        return numbers;
    }

    Ordering ordering_{kLimits};
};

TEST_F(OrderingTest, WhatIsInOrderDoesNotWait) {
    put(0);
    EXPECT_EQ(next(), Numbers{0});
    put(1);
    EXPECT_EQ(next(), Numbers{1});
    EXPECT_FALSE(ordering_.due());
}

TEST_F(OrderingTest, TheOrderIsThatOfTheNumbers) {
    put(2);
    put(1);
    EXPECT_EQ(next(), Numbers{});
    put(0);
    EXPECT_EQ(next(), (Numbers{0, 1, 2}));
}

TEST_F(OrderingTest, AMissingOneIsWaitedForInATime) {
    put(0);
    put(2);
    put(4, kBegin + milliseconds(50));
    EXPECT_EQ(next(), Numbers{0});
    ASSERT_TRUE(ordering_.due());
    EXPECT_EQ(*ordering_.due(), kBegin + milliseconds(100));
    EXPECT_EQ(next(kBegin + milliseconds(100)), Numbers{2});
    EXPECT_EQ(next(kBegin + milliseconds(150)), Numbers{4});
    EXPECT_EQ(ordering_.skipped(), 2U);
    put(1);
    EXPECT_EQ(next(), Numbers{1});
    EXPECT_EQ(ordering_.late(), 1U);
}

TEST_F(OrderingTest, LateOnesAreDroppedWhereThatIsAsked) {
    ordering_ = Ordering({.wait = milliseconds(0), .bytes = 1000, .drop_late = true});
    put(1);
    EXPECT_EQ(next(), Numbers{1});
    put(0);
    EXPECT_EQ(next(), Numbers{});
    EXPECT_EQ(ordering_.late(), 1U);
}

TEST_F(OrderingTest, WhatIsHeldIsBounded) {
    put(0);
    EXPECT_EQ(next(), Numbers{0});
    put(2, kBegin, 600);
    EXPECT_EQ(next(), Numbers{});
    put(4, kBegin, 600);
    EXPECT_EQ(next(), Numbers{2});
}

TEST_F(OrderingTest, ANewSessionBeginsAgain) {
    put(0);
    put(2);
    EXPECT_EQ(next(), Numbers{0});
    ordering_.restart();
    put(0);
    EXPECT_EQ(next(), (Numbers{2, 0}));
    EXPECT_EQ(ordering_.skipped(), 0U);
}

TEST(Batch, IsDueByTimeOrFullBySize) {
    Batch batch({.bytes = kHeadBytes + 100, .wait = milliseconds(1)});
    EXPECT_FALSE(batch.due());
    append_datagram(batch.octets(), {1, as_bytes("one")});
    batch.noted(kBegin);
    append_datagram(batch.octets(), {1, as_bytes("two")});
    batch.noted(kBegin + seconds(1));
    EXPECT_EQ(batch.due(), kBegin + milliseconds(1));
    EXPECT_FALSE(batch.full());
    batch.octets().resize(kHeadBytes + 100);
    EXPECT_TRUE(batch.full());
    const Bytes adu = batch.take({Kind::kDatagrams, 1, 2, 3});
    EXPECT_EQ(adu.size(), kHeadBytes + 100);
    EXPECT_EQ(read_head(adu)->number, 3U);
    EXPECT_TRUE(batch.empty());
    EXPECT_FALSE(batch.due());
}

TEST(LruTable, TheOneThatIsNotUsedGivesWay) {
    LruTable<int, char> table(2);
    EXPECT_FALSE(table.add(1, 'a'));
    EXPECT_FALSE(table.add(2, 'b'));
    ASSERT_NE(table.find(1), nullptr);
    const auto gone = table.add(3, 'c');
    ASSERT_TRUE(gone);
    EXPECT_EQ(gone->first, 2);
    EXPECT_EQ(table.find(2), nullptr);
    EXPECT_EQ(*table.find(1), 'a');
    EXPECT_EQ(table.size(), 2U);
}

}  // namespace
}  // namespace farlink::bptunnel::ordering_test
