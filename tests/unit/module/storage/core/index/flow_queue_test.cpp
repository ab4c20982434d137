// SPDX-License-Identifier: Apache-2.0
#include "module/storage/core/index/flow_queue.hpp"

#include <gtest/gtest.h>

#include <map>

#include "common/base/random.hpp"

namespace farlink::storage::flow_queue_test {
namespace {

/// Against a model: a sorted list in which some are taken.
TEST(FlowQueue, AlwaysGivesTheOldestThatWaits) {
    for (std::uint64_t seed = 1; seed <= 50; ++seed) {
        Random random(seed);
        EntryTable entries;
        FlowQueue queue;
        std::multimap<std::uint64_t, EntryIndex> waiting, taken;
        for (int turn = 0; turn < 2000; ++turn) {
            switch (random.below(4)) {
                case 0: {
                    const EntryIndex index = entries.allocate();
                    entries[index].arrival = random.below(1000) + static_cast<unsigned>(turn) / 2;
                    entries[index].transition(EntryState::kWriting);
                    queue.insert(entries, index);
                    waiting.emplace(entries[index].arrival, index);
                    break;
                }
                case 1: {
                    const EntryIndex first = queue.first_waiting(entries);
                    ASSERT_EQ(first == kNoEntry, waiting.empty());
                    if (first == kNoEntry) break;
                    ASSERT_EQ(entries[first].arrival, waiting.begin()->first);
                    queue.take(entries, first);
                    std::erase_if(waiting, [&](const auto &at) { return at.second == first; });
                    taken.emplace(entries[first].arrival, first);
                    break;
                }
                default: {
                    auto &from = random.chance(1, 3) ? waiting : taken;
                    if (from.empty()) break;
                    const auto any = std::next(
                        from.begin(), static_cast<std::ptrdiff_t>(random.below(from.size())));
                    const EntryIndex index = any->second;
                    from.erase(any);
                    if (&from == &taken && random.chance(1, 2)) {
                        queue.give_back(entries, index);
                        waiting.emplace(entries[index].arrival, index);
                    } else {
                        queue.remove(entries, index);
                        entries.release(index);
                    }
                    break;
                }
            }
            ASSERT_EQ(queue.waiting(), waiting.size()) << seed;
        }
    }
}

}  // namespace
}  // namespace farlink::storage::flow_queue_test
