// SPDX-License-Identifier: Apache-2.0
#include "module/applications/core/leases/key_set.hpp"

#include <gtest/gtest.h>

#include <random>
#include <unordered_set>

namespace farlink::applications::key_set_test {
namespace {

TEST(KeySet, HasWhatWasInserted) {
    KeySet set;
    EXPECT_FALSE(set.contains(7));
    EXPECT_TRUE(set.insert(7));
    EXPECT_FALSE(set.insert(7));
    EXPECT_TRUE(set.contains(7));
    set.erase(7);
    set.erase(7);
    EXPECT_FALSE(set.contains(7));
}

// Keys of few places, so that they lie in each other's way and around the end of the table.
TEST(KeySet, FindsAllKeysWhateverIsErased) {
    std::mt19937_64 random(1);
    KeySet set;
    std::unordered_set<std::uint64_t> expected;
    for (int turn = 0; turn < 20'000; ++turn) {
        const std::uint64_t key = (random() % 200) << 32 | (60 + random() % 8);
        if (random() % 2 == 0) {
            EXPECT_EQ(set.insert(key), expected.insert(key).second);
        } else {
            set.erase(key);
            expected.erase(key);
        }
        const std::uint64_t other = (random() % 200) << 32 | (60 + random() % 8);
        ASSERT_EQ(set.contains(other), expected.contains(other)) << turn;
    }
    for (const std::uint64_t key : expected) EXPECT_TRUE(set.contains(key));
}

}  // namespace
}  // namespace farlink::applications::key_set_test
