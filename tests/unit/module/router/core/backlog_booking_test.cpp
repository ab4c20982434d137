// SPDX-License-Identifier: Apache-2.0
#include "module/router/core/backlog_booking.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace farlink::router::backlog_booking_test {
namespace {

constexpr std::size_t kBulk = 0;
constexpr std::size_t kNormal = 1;
constexpr std::size_t kExpedited = 2;

bus::Contact contact(std::uint64_t id, std::uint64_t from, std::uint64_t to, DtnTime start,
                     DtnTime end, std::uint64_t rate) {
    return {id, NodeNumber{from}, NodeNumber{to}, start * 1000, end * 1000, BitRate{rate * 8}, {}};
}

/// Node 1 has links to 2 and 3; node 4 lies behind both. By node 2 again later.
class BacklogBookingTest : public testing::Test {
protected:
    BacklogBookingTest() {
        planner.set_plan({contact(0, 1, 2, 0, 10, 1000), contact(1, 1, 3, 20, 30, 1000),
                          contact(2, 2, 4, 0, 200, 10'000), contact(3, 3, 4, 0, 200, 10'000),
                          contact(4, 1, 2, 50, 70, 1000), contact(5, 1, 9, 0, 70, 1000),
                          contact(6, 9, 4, 0, 70, 1000)});
    }
    RouteTable table(const WaitingBundles &waiting) {
        RouteTable made = planner.table(hops, 0);
        book_backlog(planner, hops, waiting, 0, made);
        return made;
    }
    static const TableRow &row_to(const RouteTable &table, std::uint64_t node) {
        return *std::ranges::find(table.rows, NodeNumber{node}, &TableRow::destination);
    }

    NextHopPlanner planner{NodeNumber{1}};
    const std::vector<NextHop> hops{{NodeNumber{2}, LinkId{12}, false},
                                    {NodeNumber{3}, LinkId{13}, false}};
};

TEST_F(BacklogBookingTest, WithoutABacklogEverythingIsFree) {
    const RouteTable made = table({});
    const TableRow &row = row_to(made, 4);
    ASSERT_EQ(row.candidates.size(), 2U);
    EXPECT_EQ(row.candidates[0].candidate.room_bytes[kBulk], 10'000U);
    EXPECT_EQ(row.candidates[0].candidate.delay_ms[kBulk], 0U);
    EXPECT_EQ(row.candidates[1].candidate.room_bytes[kBulk], 10'000U);
}

TEST_F(BacklogBookingTest, WhatWaitsForOneDestinationTakesRoomFromAnother) {
    const RouteTable made = table({{{NodeNumber{4}, Priority::kNormal, 6000}}, {}});
    const bus::RouteCandidate &way = row_to(made, 2).candidates[0].candidate;
    EXPECT_EQ(way.room_bytes[kBulk], 4000U);
    EXPECT_EQ(way.delay_ms[kBulk], 6000U);
    EXPECT_EQ(way.room_bytes[kExpedited], 10'000U);
    EXPECT_EQ(way.delay_ms[kExpedited], 0U);
}

TEST_F(BacklogBookingTest, TheLaterContactOfANeighbourBecomesACandidate) {
    const RouteTable made = table({{{NodeNumber{4}, Priority::kNormal, 25'000}}, {}});
    const TableRow &row = row_to(made, 4);
    ASSERT_EQ(row.candidates.size(), 3U) << "node 9 has no link";
    EXPECT_EQ(row.candidates[2].contacts, (std::vector<std::uint64_t>{4, 2}));
    EXPECT_EQ(row.candidates[2].candidate.link, LinkId{12});
    EXPECT_EQ(row.candidates[2].candidate.arrival, 50'000U);
    EXPECT_EQ(row.candidates[2].candidate.room_bytes[kBulk], 15'000U);
    EXPECT_EQ(row.candidates[0].candidate.room_bytes[kBulk], 0U);
}

TEST_F(BacklogBookingTest, AHigherPriorityIsLaidFirst) {
    const RouteTable made = table(
        {{{NodeNumber{4}, Priority::kBulk, 10'000}, {NodeNumber{2}, Priority::kExpedited, 10'000}},
         {{NodeNumber{3}, Priority::kNormal, 1000}}});
    const TableRow &row = row_to(made, 4);
    EXPECT_EQ(row.candidates[0].candidate.room_bytes[kExpedited], 0U);
    EXPECT_EQ(row.candidates[1].candidate.room_bytes[kBulk], 0U) << "there the bulk went";
    EXPECT_EQ(row.candidates[1].candidate.room_bytes[kExpedited], 10'000U);
}

TEST_F(BacklogBookingTest, ALinkThatCutsCarriesAPart) {
    const std::vector<NextHop> cutting{{NodeNumber{2}, LinkId{12}, false, true},
                                       {NodeNumber{3}, LinkId{13}, false}};
    RouteTable made = planner.table(cutting, 0);
    book_backlog(planner, cutting, {{{NodeNumber{4}, Priority::kNormal, 15'000, 15'000}}, {}}, 0,
                 made);
    const auto &ways = row_to(made, 4).candidates;
    ASSERT_EQ(ways.size(), 2U);
    EXPECT_TRUE(ways[0].candidate.cuts_to_contact);
    EXPECT_FALSE(ways[1].candidate.cuts_to_contact);
    EXPECT_EQ(ways[0].candidate.booked_bytes[kNormal], 10'000U);
    EXPECT_EQ(ways[1].candidate.booked_bytes[kNormal], 5000U);
    EXPECT_EQ(ways[1].candidate.room_bytes[kNormal], 5000U);
}

TEST_F(BacklogBookingTest, RoomsAreCompared) {
    const RouteTable none = table({});
    EXPECT_TRUE(equal_rooms(none, table({})));
    EXPECT_FALSE(equal_rooms(none, table({{{NodeNumber{4}, Priority::kBulk, 1}}, {}})));
}

}  // namespace
}  // namespace farlink::router::backlog_booking_test
