// SPDX-License-Identifier: Apache-2.0
#include "module/storage/core/state/critical_table.hpp"

#include <gtest/gtest.h>

namespace farlink::storage::critical_table_test {
namespace {

using State = CriticalCopy::State;
constexpr LinkId kLink{7};

TEST(CriticalTable, NamesEachBundleThatIsToBeLookedAtOnce) {
    CriticalTable table;
    EXPECT_EQ(table.poll_unseen(), kNoEntry);
    table.add(3);
    table.look_at(3);
    table.look_at_all();
    EXPECT_EQ(table.poll_unseen(), 3U);
    EXPECT_EQ(table.poll_unseen(), kNoEntry);
    table.look_at(4);
    EXPECT_EQ(table.poll_unseen(), kNoEntry) << "it is not here";
    table.look_at(3);
    table.forget(3, {1, 1}, NodeNumber{9});
    EXPECT_EQ(table.poll_unseen(), kNoEntry);
}

TEST(CriticalTable, FollowsTheCopies) {
    CriticalTable table;
    table.add(3);
    (void)table.poll_unseen();
    table.copies(3).push_back({NodeNumber{2}, kLink, State::kLent});
    table.copies(3).push_back({NodeNumber{3}, LinkId{8}, State::kSent});
    table.copies(3).push_back({NodeNumber{4}, LinkId{9}, State::kTooLate});
    ASSERT_NE(table.lent_to(kLink, 3), nullptr);
    EXPECT_EQ(table.lent_to(kLink, 3)->neighbour, NodeNumber{2});
    EXPECT_EQ(table.lent_to(LinkId{8}, 3), nullptr);
    table.reopen(LinkId{8});
    EXPECT_EQ(table.copies(3).size(), 3U);
    table.reopen(LinkId{9});
    EXPECT_FALSE(table.any(3, State::kTooLate));
    EXPECT_EQ(table.poll_unseen(), 3U);
    table.send_again(3);
    EXPECT_FALSE(table.any(3, State::kSent));
    table.drop(*table.lent_to(kLink, 3), 3);
    EXPECT_TRUE(table.copies(3).empty());
}

TEST(CriticalTable, RemembersTheLastThatWerePassedOn) {
    constexpr NodeNumber kDestination{9};
    CriticalTable table;
    for (std::uint64_t number = 0; number <= CriticalTable::kRemembered; ++number) {
        table.add(0);
        const NodeNumber neighbour{number % 2 == 0 ? 2U : 9U};
        table.copies(0).push_back({neighbour, kLink, State::kSent});
        table.forget(0, {number, number}, kDestination);
    }
    EXPECT_FALSE(table.passed_on({0, 0})) << "the oldest has made room";
    ASSERT_TRUE(table.passed_on({1, 1}));
    EXPECT_TRUE(table.passed_on({1, 1})->to_destination);
    ASSERT_TRUE(table.passed_on({2, 2}));
    EXPECT_FALSE(table.passed_on({2, 2})->to_destination);
    table.add(0);
    table.forget(0, {77777, 99999}, kDestination);
    EXPECT_FALSE(table.passed_on({77777, 99999})) << "nobody got it";
}

TEST(CriticalTable, KnowsTheTenuresInWhichABundleHasCome) {
    constexpr Tenure kOurs = 0x0800'0001;
    constexpr Tenure kOther = 0x1000'0001;
    constexpr Tenure kLater = 0x1800'0001;
    constexpr Hash128 kIdentity{1, 1};
    CriticalTable table;
    EXPECT_FALSE(table.note_tenure(0, kOther)) << "it is not here";
    table.add(0, kOurs);
    EXPECT_FALSE(table.note_tenure(0, kOurs));
    EXPECT_TRUE(table.note_tenure(0, kOther));
    EXPECT_FALSE(table.note_tenure(0, kOther));
    EXPECT_FALSE(table.note_tenure(kIdentity, kLater)) << "it is not gone";
    table.copies(0).push_back({NodeNumber{2}, kLink, State::kSent});
    table.forget(0, kIdentity, NodeNumber{9});
    EXPECT_FALSE(table.note_tenure(kIdentity, kOurs));
    EXPECT_FALSE(table.note_tenure(kIdentity, kOther));
    EXPECT_TRUE(table.note_tenure(kIdentity, kLater));
    EXPECT_FALSE(table.note_tenure(kIdentity, kLater));
    EXPECT_FALSE(table.note_tenure(kIdentity, 0));
}

}  // namespace
}  // namespace farlink::storage::critical_table_test
