// SPDX-License-Identifier: Apache-2.0
#include "module/storage/core/state/refused_table.hpp"

#include <gtest/gtest.h>

namespace farlink::storage::refused_table_test {
namespace {

constexpr NodeNumber kNear{2};
constexpr NodeNumber kOther{3};
constexpr std::uint64_t kBundle = 0x8000'0000'0000'0001ULL;
const TimePoint kNow{seconds(1000)};

TEST(RefusedTable, PausesGrowUpToALimitAndCountForOneNeighbour) {
    RefusedTable table;
    Duration before{};
    TimePoint now = kNow;
    for (int times = 0; times < 15; ++times) {
        table.refuse(kBundle, kNear, false, now);
        EXPECT_TRUE(table.keeps_from(kBundle, kNear, now));
        EXPECT_FALSE(table.keeps_from(kBundle, kOther, now));
        const TimePoint next = table.next_try(kBundle, now);
        EXPECT_GE(next - now, before);
        EXPECT_LE(next - now, RefusedTable::kLongestPause * 5 / 4);
        before = next - now;
        now = next;
        EXPECT_FALSE(table.keeps_from(kBundle, kNear, now));
        EXPECT_EQ(table.next_try(kBundle, now), kNever);
    }
    EXPECT_GE(before, RefusedTable::kLongestPause);
}

TEST(RefusedTable, ARestDoesNotGrow) {
    RefusedTable table;
    table.refuse(kBundle, kNear, false, kNow);
    const TimePoint later = kNow + seconds(100);
    for (int times = 0; times < 3; ++times) table.rest(kBundle, kNear, later);
    EXPECT_EQ(table.next_try(kBundle, later), later + RefusedTable::kFirstPause);
}

TEST(RefusedTable, WhatIsTooLargeCountsApart) {
    RefusedTable table;
    table.refuse(kBundle, kNear, true, kNow);
    table.refuse(kBundle + 1, kOther, false, kNow);
    EXPECT_EQ(table.size(), 2U);
    EXPECT_EQ(table.too_large(), 1U);
    EXPECT_TRUE(table.is_too_large(kBundle));
    EXPECT_FALSE(table.is_too_large(kBundle + 1));
    EXPECT_EQ(table.last_refuser(true), kNear);
    EXPECT_EQ(table.last_refuser(false), kOther);
    table.refuse(kBundle, kOther, false, kNow);
    EXPECT_EQ(table.too_large(), 0U) << "the last reason counts";
    table.refuse(kBundle, kNear, true, kNow);
    table.refuse(kBundle, kNear, true, kNow);
    EXPECT_EQ(table.too_large(), 1U);
    table.forget(kBundle);
    EXPECT_EQ(table.too_large(), 0U);
}

TEST(RefusedTable, WhatWaitsIsDueOnceAndWhatGoesIsNot) {
    RefusedTable table;
    table.wait(kBundle, kNow);
    EXPECT_EQ(table.next_timeout(), kNever) << "nobody has refused it";
    table.refuse(kBundle, kNear, false, kNow);
    table.wait(kBundle, kNow + seconds(5));
    EXPECT_EQ(table.next_timeout(), kNow + seconds(5));
    EXPECT_EQ(table.poll_due(kNow), 0U);
    EXPECT_EQ(table.poll_due(kNow + seconds(5)), kBundle);
    EXPECT_EQ(table.poll_due(kNow + seconds(5)), 0U);

    table.wait(kBundle, kNow + seconds(9));
    table.send_by(kBundle, LinkId{4}, kOther);
    EXPECT_TRUE(table.goes_by(kBundle, LinkId{4}, kOther));
    EXPECT_FALSE(table.goes_by(kBundle, LinkId{4}, kNear));
    table.look_at_all();
    EXPECT_EQ(table.next_timeout(), kNever);
    table.wait(kBundle, kNow + seconds(9));
    EXPECT_FALSE(table.goes_by(kBundle, LinkId{4}, kOther));
    table.look_at_all();
    EXPECT_EQ(table.poll_due(kNow), kBundle);
}

TEST(RefusedTable, ForgetsWhatIsGone) {
    RefusedTable table;
    table.refuse(kBundle, kNear, false, kNow);
    table.wait(kBundle, kNow);
    EXPECT_TRUE(table.knows(kBundle));
    table.forget(kBundle);
    table.forget(kBundle);
    EXPECT_FALSE(table.knows(kBundle));
    EXPECT_EQ(table.size(), 0U);
    EXPECT_EQ(table.next_timeout(), kNever);
}

}  // namespace
}  // namespace farlink::storage::refused_table_test
