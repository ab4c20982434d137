// SPDX-License-Identifier: Apache-2.0
#include "common/buffer/ring.hpp"

#include <gtest/gtest.h>

#include <deque>
#include <memory>

#include "common/base/random.hpp"

namespace farlink::ring_test {
namespace {

TEST(Ring, GivesBackInOrderAcrossItsEndAndGrowth) {
    Ring<int> ring;
    int next = 0;
    int expected = 0;
    for (int round = 0; round < 10; ++round) {
        for (int i = 0; i < 11; ++i) ring.push_back(next++);
        for (int i = 0; i < 7; ++i) EXPECT_EQ(ring.pop_front(), expected++);
    }
    while (!ring.empty()) EXPECT_EQ(ring.pop_front(), expected++);
    EXPECT_EQ(expected, next);
}

TEST(Ring, DoesWhatADequeDoes) {
    Random random(1);
    Ring<int> ring;
    std::deque<int> model;
    for (int step = 0; step < 20'000; ++step) {
        // Growing and shrinking in turns, so that every fill level is met.
        const bool grow = random.below(100) < (step / 1000 % 2 == 0 ? 60U : 40U);
        if (grow || model.empty()) {
            if (random.chance(1, 2)) {
                ring.push_back(step);
                model.push_back(step);
            } else {
                ring.push_front(step);
                model.push_front(step);
            }
        } else if (random.chance(1, 2)) {
            ASSERT_EQ(ring.pop_front(), model.front());
            model.pop_front();
        } else {
            ASSERT_EQ(ring.pop_back(), model.back());
            model.pop_back();
        }
        ASSERT_EQ(ring.size(), model.size());
        if (model.empty()) continue;
        const std::size_t index = random.below(model.size());
        ASSERT_EQ(ring[index], model[index]);
        ASSERT_EQ(ring.front(), model.front());
        ASSERT_EQ(ring.back(), model.back());
    }
}

TEST(Ring, HoldsNothingOfWhatWasTaken) {
    const auto token = std::make_shared<int>(1);
    Ring<std::shared_ptr<int>> ring;
    for (int i = 0; i < 3; ++i) ring.push_back(token);
    (void)ring.pop_front();
    (void)ring.pop_back();
    EXPECT_EQ(token.use_count(), 2);
    ring.clear();
    EXPECT_EQ(token.use_count(), 1);
}

TEST(Ring, CarriesMoveOnlyValues) {
    Ring<std::unique_ptr<int>> ring;
    for (int i = 0; i < 40; ++i) ring.push_back(std::make_unique<int>(i));
    for (int i = 0; i < 40; ++i) EXPECT_EQ(*ring.pop_front(), i);
}

using RingDeathTest = testing::Test;

TEST(RingDeathTest, HasNothingToGiveWhenEmpty) {
    Ring<int> ring;
    EXPECT_DEATH((void)ring.pop_front(), "broken invariant");
    EXPECT_DEATH((void)ring.pop_back(), "broken invariant");
}

}  // namespace
}  // namespace farlink::ring_test
