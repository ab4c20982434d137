// SPDX-License-Identifier: Apache-2.0
#include "module/storage/core/identity_index.hpp"

#include <gtest/gtest.h>

#include <map>

#include "common/base/random.hpp"

namespace farlink::storage {
namespace {

TEST(IdentityIndex, AgreesWithAMapOverManyChanges) {
    EntryTable entries;
    IdentityIndex index(entries);
    std::map<Hash128, EntryIndex> model;
    Random random(7);
    for (int turn = 0; turn < 100'000; ++turn) {
        // Few different low bits: long runs of neighbours, which is where removal is hard.
        const Hash128 identity{random.below(400), random.below(16)};
        const EntryIndex found = index.find(identity);
        const auto expected = model.find(identity);
        ASSERT_EQ(found, expected == model.end() ? kNoEntry : expected->second);
        if (found == kNoEntry) {
            const EntryIndex added = entries.allocate();
            entries[added].identity = identity;
            entries[added].state = EntryState::kWaiting;
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

TEST(EntryTable, RecognisesAStaleHandle) {
    EntryTable entries;
    const EntryIndex first = entries.allocate();
    entries[first].state = EntryState::kWaiting;
    const std::uint64_t handle = entries.handle_of(first);
    EXPECT_NE(handle, 0U);
    EXPECT_EQ(entries.find(handle), first);
    entries.release(first);
    EXPECT_FALSE(entries.find(handle).has_value());
    EXPECT_EQ(entries.allocate(), first);
    entries[first].state = EntryState::kWaiting;
    EXPECT_FALSE(entries.find(handle).has_value());
    EXPECT_FALSE(entries.find(0xffff'ffff'ffffULL).has_value());
}

}  // namespace
}  // namespace farlink::storage
