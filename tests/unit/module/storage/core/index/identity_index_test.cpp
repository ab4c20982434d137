// SPDX-License-Identifier: Apache-2.0
#include "module/storage/core/index/identity_index.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "common/base/random.hpp"

namespace farlink::storage::identity_index_test {
namespace {

TEST(IdentityIndex, AgreesWithAMapOverManyChanges) {
    EntryTable entries;
    IdentityIndex index(entries);
    std::map<Hash128, EntryIndex> model;
    Random random(7);
    for (int turn = 0; turn < 100'000; ++turn) {
        // Few different low bits: long runs of neighbours, which is where removal is hard.
        const Hash128 identity{random.below(100), random.below(16)};
        const EntryIndex found = index.find(identity);
        const auto expected = model.find(identity);
        ASSERT_EQ(found, expected == model.end() ? kNoEntry : expected->second);
        if (found == kNoEntry) {
            const EntryIndex added = entries.allocate();
            entries[added].identity = identity;
            entries[added].transition(EntryState::kWriting);
            index.insert(added);
            model[identity] = added;
        } else if (random.chance(3, 4)) {
            EXPECT_TRUE(index.erase(found));
            EXPECT_FALSE(index.erase(found));
            entries.release(found);
            model.erase(expected);
        }
    }
}

TEST(IdentityIndex, GrowsAndKeepsWhatIsInIt) {
    EntryTable entries;
    IdentityIndex index(entries);
    Random random(5);
    constexpr std::size_t kMany = 50'000;
    const auto at_random = [&] { return Hash128{random.next(), random.next()}; };
    std::vector<EntryIndex> all;
    for (std::size_t i = 0; i < kMany; ++i) {
        all.push_back(entries.allocate());
        entries[all.back()].identity = at_random();
        index.insert(all.back());
    }
    EXPECT_LE(index.memory_bytes(), kMany * 15);
    for (const EntryIndex one : all) ASSERT_EQ(index.find(entries[one].identity), one);
    for (std::size_t i = 0; i < kMany; ++i) ASSERT_EQ(index.find(at_random()), kNoEntry);
    for (const EntryIndex one : all) ASSERT_TRUE(index.erase(one));
    for (const EntryIndex one : all) ASSERT_EQ(index.find(entries[one].identity), kNoEntry);
}

// Ten million bundles that are placed anew at once stop a store for half a second.
TEST(IdentityIndex, GrowsInSmallSteps) {
    EntryTable entries;
    IdentityIndex index(entries);
    Random random(6);
    std::size_t memory = index.memory_bytes();
    std::size_t largest_step = 0;
    for (int i = 0; i < 200'000; ++i) {
        const EntryIndex added = entries.allocate();
        entries[added].identity = {random.next(), random.next()};
        index.insert(added);
        largest_step = std::max(largest_step, index.memory_bytes() - memory);
        memory = index.memory_bytes();
    }
    EXPECT_LE(largest_step, memory / 500);
}

}  // namespace
}  // namespace farlink::storage::identity_index_test
