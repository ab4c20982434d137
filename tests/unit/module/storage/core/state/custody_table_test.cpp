// SPDX-License-Identifier: Apache-2.0
#include "module/storage/core/state/custody_table.hpp"

#include <gtest/gtest.h>

namespace farlink::storage::custody_table_test {
namespace {

constexpr TimePoint at(int s) {
    return TimePoint{} + seconds(s);
}

std::vector<EntryIndex> in_range(const CustodyTable &table, std::uint64_t first,
                                 std::uint64_t last) {
    std::vector<EntryIndex> found;
    table.collect(first, last, found);
    return found;
}

TEST(CustodyTable, FindsByEntryAndById) {
    CustodyTable table;
    EXPECT_EQ(table.find(3), nullptr);
    table.lend(3, 100, {});
    table.lend(5, 102, {});
    table.lend(7, std::nullopt, {});
    ASSERT_NE(table.find(7), nullptr);
    EXPECT_EQ(in_range(table, 0, ~0ULL), (std::vector<EntryIndex>{3, 5}));
    EXPECT_EQ(in_range(table, 101, 102), std::vector<EntryIndex>{5});
    table.forget(3);
    EXPECT_EQ(table.find(3), nullptr);
    EXPECT_EQ(in_range(table, 0, ~0ULL), std::vector<EntryIndex>{5});
    table.forget(3);
}

TEST(CustodyTable, TimersGoOffOnceAndInOrder) {
    CustodyTable table;
    EXPECT_EQ(table.next_timeout(), kNever);
    for (const EntryIndex index : {1, 2, 3, 4}) table.lend(index, index, {});
    table.await(2, at(20));
    table.await(1, at(10));
    table.await(3, at(30));
    table.await(4, at(5));
    table.await(4, at(40));  // later than it was to be
    table.forget(1);
    EXPECT_EQ(table.pop_due(at(19)), kNoEntry);
    EXPECT_EQ(table.next_timeout(), at(20));
    EXPECT_EQ(table.pop_due(at(30)), 2U);
    EXPECT_EQ(table.pop_due(at(30)), 3U);
    EXPECT_EQ(table.pop_due(at(30)), kNoEntry);
    EXPECT_EQ(table.next_timeout(), at(40));
    table.forget(4);
    EXPECT_EQ(table.next_timeout(), kNever);
}

TEST(CustodyTable, ATenureIsForgottenWithItsEntry) {
    CustodyTable table;
    EXPECT_EQ(table.tenure(1000), 0U);
    table.set_tenure(1000, 77);
    EXPECT_EQ(table.tenure(1000), 77U);
    EXPECT_EQ(table.tenure(999), 0U);
    table.forget(1000);
    EXPECT_EQ(table.tenure(1000), 0U);
}

}  // namespace
}  // namespace farlink::storage::custody_table_test
