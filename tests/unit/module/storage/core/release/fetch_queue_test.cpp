// SPDX-License-Identifier: Apache-2.0
#include "module/storage/core/release/fetch_queue.hpp"

#include <gtest/gtest.h>

namespace farlink::storage::fetch_queue_test {
namespace {

using Places = std::vector<std::uint32_t>;

/// A fetch whose record at place i lies on disk `disks[i]`, and its parts as they come back.
Fetch fetch_of(const std::vector<DiskIndex> &disks, std::array<DiskRequestPtr, kMaxDisks> &parts) {
    Fetch fetch;
    for (const DiskIndex disk : disks) {
        if (parts[disk] == nullptr) {
            parts[disk] = std::make_unique<DiskRequest>();
            ++fetch.missing;
        }
        DiskRecord record;
        record.place = fetch.records++;
        parts[disk]->records.push_back(record);
    }
    return fetch;
}

Places places_of(Fetch &fetch) {
    Places places;
    fetch.for_each(
        [&](const DiskRequest &, const DiskRecord &record) { places.push_back(record.place); });
    return places;
}

TEST(FetchQueue, RecordsOfAFetchComeInOrderWhateverDiskTheyLieOn) {
    std::array<DiskRequestPtr, kMaxDisks> parts;
    FetchQueue lane;
    const std::uint32_t number = lane.add(fetch_of({3, 3, 0, 15, 0, 3, 15}, parts));
    for (const DiskIndex disk : {15, 0, 3}) {
        EXPECT_FALSE(lane.poll().has_value());
        lane.put(number, disk, std::move(parts[disk]));
    }
    auto fetch = lane.poll();
    ASSERT_TRUE(fetch.has_value());
    EXPECT_EQ(places_of(*fetch), (Places{0, 1, 2, 3, 4, 5, 6}));
    EXPECT_FALSE(lane.poll().has_value());
}

TEST(FetchQueue, AFetchWaitsForThoseBeforeIt) {
    std::array<DiskRequestPtr, kMaxDisks> first, second;
    FetchQueue lane;
    const std::uint32_t one = lane.add(fetch_of({0}, first));
    const std::uint32_t two = lane.add(fetch_of({1, 1}, second));
    lane.put(two, 1, std::move(second[1]));
    EXPECT_FALSE(lane.poll().has_value());
    lane.put(one, 0, std::move(first[0]));
    EXPECT_EQ(lane.poll()->records, 1U);
    EXPECT_EQ(lane.poll()->records, 2U);
}

}  // namespace
}  // namespace farlink::storage::fetch_queue_test
