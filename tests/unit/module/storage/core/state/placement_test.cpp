// SPDX-License-Identifier: Apache-2.0
#include "module/storage/core/state/placement.hpp"

#include <gtest/gtest.h>

namespace farlink::storage::placement_test {
namespace {

constexpr TimePoint kNow{seconds(10)};

config::StorageConfig disks(const std::vector<std::uint64_t> &capacities, std::uint64_t total) {
    config::StorageConfig config;
    for (const std::uint64_t capacity : capacities)
        config.disks.push_back({.name = {}, .directory = {}, .capacity_bytes = capacity});
    config.capacity_bytes = total;
    return config;
}

TEST(Placement, WithoutAListThereIsOneDisk) {
    Inventory inventory;
    const Placement placement(disks({}, 1000), inventory);
    EXPECT_EQ(placement.volumes().size(), 1U);
    EXPECT_EQ(placement.choose(1000, Priority::kNormal, {}, kNow), DiskIndex{0});
    EXPECT_EQ(placement.choose(1001, Priority::kNormal, {}, kNow), std::nullopt);
}

TEST(Placement, ADiskTakesWhatItHasRoomFor) {
    Inventory inventory;
    const Placement placement(disks({100, 300}, 10'000), inventory);
    EXPECT_EQ(placement.choose(100, Priority::kNormal, {}, kNow), DiskIndex{0});
    EXPECT_EQ(placement.choose(101, Priority::kNormal, {}, kNow), DiskIndex{1});
    EXPECT_EQ(placement.choose(101, Priority::kNormal, DiskIndex{0}, kNow), DiskIndex{1});
    EXPECT_EQ(placement.choose(100, Priority::kNormal, DiskIndex{1}, kNow), DiskIndex{1})
        << "stays where it is";
    EXPECT_FALSE(placement.never_fits(300));
    EXPECT_TRUE(placement.never_fits(301));
}

TEST(Placement, TheDiskThatWillBeDoneFirst) {
    Inventory inventory;
    Placement placement(disks({0, 0}, 1 << 30), inventory);
    placement.volume(0).add_load(1000);
    EXPECT_EQ(placement.choose(10, Priority::kNormal, {}, kNow), DiskIndex{1});
    placement.volume(1).add_load(2000);
    EXPECT_EQ(placement.choose(10, Priority::kNormal, {}, kNow), DiskIndex{0});
    // The second one turns out to be ten times as fast.
    for (const DiskIndex disk : {0, 1}) {
        Volume &volume = placement.volume(disk);
        volume.add_load(1'000'000);
        volume.handle_append(kNow);
        volume.handle_written(1'000'000, kNow + (disk == 0 ? seconds(1) : milliseconds(100)));
    }
    EXPECT_EQ(placement.choose(10, Priority::kNormal, {}, kNow), DiskIndex{1});
}

TEST(Placement, ADiskThatHasJustFailedComesLast) {
    Inventory inventory;
    Placement placement(disks({0, 0}, 1 << 30), inventory);
    EXPECT_FALSE(placement.volume(0).handle_failure(kNow));
    placement.volume(1).add_load(1 << 20);
    EXPECT_EQ(placement.choose(10, Priority::kNormal, {}, kNow), DiskIndex{1});
    EXPECT_EQ(placement.choose(10, Priority::kNormal, {}, kNow + seconds(2)), DiskIndex{0});
}

TEST(Placement, OneDiskIsAlwaysLeft) {
    Inventory inventory;
    Placement placement(disks({0, 0}, 1 << 30), inventory);
    EXPECT_TRUE(placement.set_aside(0));
    EXPECT_FALSE(placement.set_aside(0));
    EXPECT_FALSE(placement.set_aside(1));
    EXPECT_EQ(placement.choose(10, Priority::kNormal, DiskIndex{0}, kNow), DiskIndex{1});
}

}  // namespace
}  // namespace farlink::storage::placement_test
