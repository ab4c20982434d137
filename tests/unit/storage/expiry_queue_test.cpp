// SPDX-License-Identifier: Apache-2.0
#include "module/storage/core/expiry_queue.hpp"

#include <gtest/gtest.h>

#include <set>

#include "common/base/random.hpp"

namespace farlink::storage {
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
            entries[index].state = EntryState::kWaiting;
            queue.insert(index);
            if (what != 0) model.emplace(entries[index].expiry, index);
        } else if (what < 99 && !model.empty()) {
            const auto gone = random.chance(1, 2) ? model.begin() : std::prev(model.end());
            queue.forget(gone->second);
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

}  // namespace
}  // namespace farlink::storage
