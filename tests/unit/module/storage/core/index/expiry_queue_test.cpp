// SPDX-License-Identifier: Apache-2.0
#include "module/storage/core/index/expiry_queue.hpp"

#include <gtest/gtest.h>

#include <set>

#include "common/base/random.hpp"

namespace farlink::storage::expiry_queue_test {
namespace {

TEST(ExpiryQueue, GivesEveryExpiredEntryOnceAndNoneThatIsGone) {
    EntryTable entries;
    ExpiryQueue queue(entries);
    Random random(3);
    std::set<std::pair<DtnTime, EntryIndex>> model;
    DtnTime now = 0;
    for (int turn = 0; turn < 50'000; ++turn) {
        const std::uint64_t what = random.below(100);
        if (what < 60) {
            const EntryIndex index = entries.allocate();
            entries[index].expiry = what == 0 ? kDtnNever : now + random.below(5000);
            entries[index].transition(EntryState::kWriting);
            queue.insert(index);
            if (what != 0) model.emplace(entries[index].expiry, index);
        } else if (what < 99 && !model.empty()) {
            const auto gone = random.chance(1, 2) ? model.begin() : std::prev(model.end());
            queue.remove(gone->second);
            entries.release(gone->second);
            model.erase(gone);
        } else {
            now += 100;
            while (!model.empty() && model.begin()->first <= now) {
                const EntryIndex expired = queue.pop(now);
                ASSERT_NE(expired, kNoEntry);
                ASSERT_EQ(model.erase({entries[expired].expiry, expired}), 1U);
                entries.release(expired);
            }
            ASSERT_EQ(queue.pop(now), kNoEntry);
            if (!model.empty()) {
                ASSERT_LE(queue.next(), model.begin()->first);
            }
        }
    }
}

EntryIndex add(EntryTable &entries, ExpiryQueue &queue, DtnTime expiry) {
    const EntryIndex index = entries.allocate();
    entries[index].expiry = expiry;
    entries[index].transition(EntryState::kWriting);
    queue.insert(index);
    return index;
}

TEST(ExpiryQueue, ALookThatFindsNothingIsRare) {
    EntryTable entries;
    ExpiryQueue queue(entries);
    constexpr DtnTime kBegin = 800'000'000'000;
    ASSERT_EQ(queue.pop(kBegin), kNoEntry);
    constexpr DtnTime kEnd = kBegin + 365ULL * 24 * 3600 * 1000;
    const EntryIndex one = add(entries, queue, kEnd);
    int looks = 0;
    for (;; ++looks) {
        const DtnTime next = queue.next();
        ASSERT_LE(next, kEnd);
        if (queue.pop(next) == one) break;
    }
    EXPECT_LE(looks, 40);
    EXPECT_EQ(queue.next(), kDtnNever);
}

TEST(ExpiryQueue, AClockThatIsSetBack) {
    EntryTable entries;
    ExpiryQueue queue(entries);
    const EntryIndex late = add(entries, queue, 900'000);
    ASSERT_EQ(queue.pop(800'000), kNoEntry);
    const EntryIndex early = add(entries, queue, 100'000);
    EXPECT_EQ(queue.pop(50'000), kNoEntry) << "it lies ahead again";
    EXPECT_EQ(queue.pop(99'999), kNoEntry);
    EXPECT_EQ(queue.pop(100'000), early);
    EXPECT_EQ(queue.pop(899'999), kNoEntry);
    EXPECT_EQ(queue.pop(900'000), late);
}

TEST(ExpiryQueue, AClockThatTremblesChangesNothing) {
    EntryTable entries;
    ExpiryQueue queue(entries);
    const EntryIndex one = add(entries, queue, 10'000);
    EXPECT_EQ(queue.pop(9'999), kNoEntry);
    EXPECT_EQ(queue.pop(9'500), kNoEntry);
    EXPECT_EQ(queue.pop(10'000), one);
}

TEST(ExpiryQueue, ManyThatEndTogetherAreFoundStepByStep) {
    EntryTable entries;
    ExpiryQueue queue(entries);
    constexpr std::size_t kMany = 20'000;
    for (std::size_t i = 0; i < kMany; ++i) add(entries, queue, 1'000'000 + i % 2);
    std::size_t found = 0, calls = 0;
    while (queue.next() <= 1'000'001) {
        found += queue.pop(1'000'001) != kNoEntry ? 1 : 0;
        ASSERT_LT(++calls, 2 * kMany);
    }
    EXPECT_EQ(found, kMany);
}

}  // namespace
}  // namespace farlink::storage::expiry_queue_test
