// SPDX-License-Identifier: Apache-2.0
#include "cla/ltp/core/session/interval_list.hpp"

#include <gtest/gtest.h>

#include "common/base/random.hpp"

namespace farlink::cla::ltp::interval_list_test {
namespace {

struct IntervalListTest : testing::Test {
    ~IntervalListTest() override {
        list.clear(pool);
        EXPECT_EQ(pool.used(), 0U);
    }
    IntervalPool pool;
    IntervalList list;
};

TEST_F(IntervalListTest, OctetsInOrderAreOneInterval) {
    for (std::uint64_t at = 0; at < 1000; at += 10) ASSERT_TRUE(list.add(pool, at, at + 10));
    EXPECT_EQ(list.count(), 1U);
    EXPECT_EQ(pool.used(), 1U);
    EXPECT_TRUE(list.contains(pool, 0, 1000));
    EXPECT_FALSE(list.contains(pool, 0, 1001));
    EXPECT_EQ(list.last_end(pool), 1000U);
}

TEST_F(IntervalListTest, TheLimitHoldsForNewIntervalsOnly) {
    ASSERT_TRUE(list.add(pool, 0, 10, 2));
    ASSERT_TRUE(list.add(pool, 20, 30, 2));
    EXPECT_FALSE(list.add(pool, 40, 50, 2));
    EXPECT_TRUE(list.add(pool, 30, 50, 2));
    EXPECT_TRUE(list.add(pool, 10, 20, 2));
    EXPECT_EQ(list.count(), 1U);
}

TEST_F(IntervalListTest, AgreesWithAMapOfOctets) {
    constexpr std::uint64_t kOctets = 300;
    for (std::uint64_t seed = 1; seed <= 300; ++seed) {
        Random random(seed);
        std::vector<bool> here(kOctets);
        for (int step = 0; step < 60; ++step) {
            const std::uint64_t begin = random.below(kOctets);
            const std::uint64_t end = begin + random.below(kOctets - begin + 1) % 25;
            ASSERT_TRUE(list.add(pool, begin, end));
            for (std::uint64_t at = begin; at < end; ++at) here[at] = true;
            const std::uint64_t from = random.below(kOctets);
            const std::uint64_t to = from + random.below(kOctets - from + 1);
            const auto run = [&](bool wanted) -> std::optional<Interval> {
                std::uint64_t first = from;
                while (first < to && here[first] != wanted) ++first;
                std::uint64_t last = first;
                while (last < to && here[last] == wanted) ++last;
                return first < to ? std::optional(Interval{first, last}) : std::nullopt;
            };
            ASSERT_EQ(list.next_part(pool, from, to), run(true)) << "seed " << seed;
            ASSERT_EQ(list.next_gap(pool, from, to), run(false)) << "seed " << seed;
            ASSERT_EQ(list.contains(pool, from, to), !run(false)) << "seed " << seed;
        }
        list.clear(pool);
    }
}

}  // namespace
}  // namespace farlink::cla::ltp::interval_list_test
