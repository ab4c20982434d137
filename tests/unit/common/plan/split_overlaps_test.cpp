// SPDX-License-Identifier: Apache-2.0
#include "common/plan/split_overlaps.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <unordered_set>

namespace farlink::config::split_overlaps_test {
namespace {

PlanContact make(std::uint64_t id, DtnTime start, DtnTime end, std::uint64_t rate,
                 Duration owlt = {}, std::uint64_t to = 2) {
    return {id, NodeNumber{1}, NodeNumber{to}, start, end, BitRate{rate}, owlt};
}

TEST(SplitOverlaps, LeavesOtherContactsAsTheyAre) {
    const std::vector<PlanContact> contacts{make(5, 10, 20, 1), make(3, 0, 10, 1),
                                            make(4, 0, 30, 1, {}, 3)};
    const SplitPlan made = split_overlaps(contacts);
    EXPECT_EQ(made.contacts, contacts) << "contiguous contacts do not overlap";
    EXPECT_TRUE(made.pieces.empty());
}

TEST(SplitOverlaps, HigherRateAndLongerLightTimeApply) {
    const SplitPlan made =
        split_overlaps({make(0, 0, 20, 100, seconds(2)), make(1, 10, 30, 200, seconds(1))});
    EXPECT_EQ(made.contacts,
              (std::vector{make(0, 0, 10, 100, seconds(2)), make(2, 10, 20, 200, seconds(2)),
                           make(3, 20, 30, 200, seconds(1))}));
    ASSERT_EQ(made.pieces.size(), 3U);
    EXPECT_EQ(made.pieces[1].of, (std::vector<std::uint64_t>{0, 1}));
}

TEST(SplitOverlaps, EqualTermsJoin) {
    EXPECT_EQ(split_overlaps({make(7, 0, 20, 5), make(8, 10, 30, 5), make(9, 12, 14, 3)}).contacts,
              (std::vector{make(7, 0, 30, 5)}));
}

TEST(SplitOverlaps, NoRateIsTheHighest) {
    EXPECT_EQ(split_overlaps({make(0, 0, 30, 5), make(1, 10, 20, 0)}).contacts,
              (std::vector{make(0, 0, 10, 5), make(2, 10, 20, 0), make(3, 20, 30, 5)}));
}

/// At each moment the result has what the contacts have there.
TEST(SplitOverlaps, HoldsAtEveryMoment) {
    std::mt19937 random(7);
    for (int round = 0; round < 200; ++round) {
        std::vector<PlanContact> contacts;
        for (std::uint64_t i = 0; i < 12; ++i) {
            const DtnTime start = random() % 40;
            contacts.push_back(make(i, start, start + 1 + random() % 20, random() % 3,
                                    Duration{random() % 3}, 2 + random() % 2));
        }
        const SplitPlan made = split_overlaps(contacts);
        std::unordered_set<std::uint64_t> numbers;
        for (const PlanContact &each : made.contacts) EXPECT_TRUE(numbers.insert(each.id).second);
        for (std::uint64_t to = 2; to < 4; ++to)
            for (DtnTime now = 0; now < 64; ++now) {
                const auto holds = [&](const PlanContact &each) {
                    return each.destination == NodeNumber{to} && each.start <= now &&
                           now < each.end;
                };
                std::uint64_t rate = 0;
                bool any = false, unlimited = false;
                Duration owlt{};
                for (const PlanContact &each : contacts) {
                    if (!holds(each)) continue;
                    any = true;
                    unlimited |= each.rate == BitRate{};
                    rate = std::max(rate, each.rate.value());
                    owlt = std::max(owlt, each.owlt);
                }
                const auto count = std::ranges::count_if(made.contacts, holds);
                ASSERT_EQ(count, any ? 1 : 0);
                if (!any) continue;
                const auto found = std::ranges::find_if(made.contacts, holds);
                EXPECT_EQ(found->rate, BitRate{unlimited ? 0 : rate});
                EXPECT_EQ(found->owlt, owlt);
            }
    }
}

TEST(SplitOverlaps, NestedContactsTakeNoQuadraticTime) {
    constexpr std::uint64_t kCount = 100'000;
    std::vector<PlanContact> contacts;
    for (std::uint64_t i = 0; i < kCount; ++i)
        contacts.push_back(make(i, i, 4 * kCount - i, 1 + i));
    const SplitPlan made = split_overlaps(contacts);
    EXPECT_EQ(made.contacts.size(), 2 * kCount - 1);
    EXPECT_EQ(made.pieces.back().of.size(), 1U);
}

}  // namespace
}  // namespace farlink::config::split_overlaps_test
