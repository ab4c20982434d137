// SPDX-License-Identifier: Apache-2.0
#include "module/router/core/volume_booking.hpp"

#include <gtest/gtest.h>

namespace farlink::router::volume_booking_test {
namespace {

constexpr auto kBulk = Priority::kBulk;
constexpr auto kNormal = Priority::kNormal;
constexpr auto kExpedited = Priority::kExpedited;

/// Times in seconds, rates in bytes a second, a second of light time.
bus::Contact contact(std::uint64_t id, std::uint64_t from, std::uint64_t to, DtnTime start,
                     DtnTime end, std::uint64_t rate) {
    return {id,         NodeNumber{from},  NodeNumber{to}, start * 1000,
            end * 1000, BitRate{rate * 8}, seconds(1)};
}

/// Node 1 to node 4: by node 2 with 10,000 bytes, by node 3 later with 40,000 bytes.
class VolumeBookingTest : public testing::Test {
protected:
    const std::vector<bus::Contact> plan{
        contact(0, 1, 2, 0, 10, 1000), contact(1, 1, 3, 20, 60, 1000),
        contact(2, 2, 4, 0, 200, 10'000), contact(3, 3, 4, 0, 200, 10'000)};
    const ContactGraph graph{plan};
    const FoundRoute by_2{2000, 10'000, 1, {0, 2}};
    const FoundRoute by_3{22'000, 60'000, 2, {1, 3}};

    VolumeBooking booking(DtnTime time_s = 0) const { return {graph, 0, time_s * 1000}; }
    static std::uint64_t room(const VolumeBooking &booked, const FoundRoute &route,
                              Priority priority = kNormal) {
        return booked.room(route.contacts, priority);
    }
};

TEST_F(VolumeBookingTest, AnEmptyBacklogLeavesWhatTheContactsCarry) {
    EXPECT_EQ(room(booking(), by_2), 10'000U);
    EXPECT_EQ(room(booking(4), by_2), 6000U) << "four seconds have gone by";
    EXPECT_EQ(room(booking(10), by_2), 0U);
    EXPECT_EQ(room(booking(4), by_3), 40'000U);
}

TEST_F(VolumeBookingTest, WhatIsFullSpillsOverToTheNextRoute) {
    VolumeBooking booked = booking();
    const std::vector<FoundRoute> routes{by_2, by_3};
    const Shares shares = booked.book(routes, 3, kNormal, {12'000});
    EXPECT_EQ(shares.bytes, (std::vector<std::uint64_t>{10'000, 2000}));
    EXPECT_TRUE(shares.others.empty());
    EXPECT_EQ(room(booked, by_2), 0U);
    EXPECT_EQ(room(booked, by_3), 38'000U);
    EXPECT_EQ(booked.delay_ms(by_2.contacts, kNormal), kDtnNever);
    EXPECT_EQ(booked.delay_ms(by_3.contacts, kNormal), 2000U);
}

TEST_F(VolumeBookingTest, ALowerPriorityTakesNothingFromAHigherOne) {
    VolumeBooking booked = booking();
    const std::vector<FoundRoute> routes{by_2};
    (void)booked.book(routes, 3, kNormal, {7000});
    EXPECT_EQ(room(booked, by_2, kExpedited), 10'000U);
    EXPECT_EQ(room(booked, by_2, kNormal), 3000U);
    EXPECT_EQ(room(booked, by_2, kBulk), 3000U);
    EXPECT_EQ(booked.delay_ms(by_2.contacts, kExpedited), 0U);
}

TEST_F(VolumeBookingTest, RoutesThatTheTableDoesNotHaveAreFound) {
    VolumeBooking booked = booking();
    const std::vector<FoundRoute> routes{by_2};
    const auto others = booked.book(routes, 3, kNormal, {60'000}).others;
    ASSERT_EQ(others.size(), 1U) << "10,000 bytes find no room at all";
    EXPECT_EQ(others[0].route.contacts, by_3.contacts);
    EXPECT_EQ(others[0].bytes, 40'000U);
    EXPECT_EQ(room(booked, by_3), 0U);
}

TEST_F(VolumeBookingTest, AContactWithoutRoomForTheNextBundleIsLeftOut) {
    VolumeBooking booked = booking();
    const std::vector<FoundRoute> routes{by_2, by_3};
    EXPECT_EQ(booked.book(routes, 3, kNormal, {30'000, 10'001}).bytes,
              (std::vector<std::uint64_t>{0, 30'000}));
    const Shares known = booked.book(std::vector{by_2}, 3, kNormal, {10'000, 10'001});
    EXPECT_EQ(known.bytes[0], 10'000U) << "what is left is smaller than that";
}

TEST_F(VolumeBookingTest, ABundleThatIsCutIsBookedPartByPart) {
    VolumeBooking booked(graph, 0, 0, {}, {true, false, false, false});
    const std::vector<FoundRoute> routes{by_2, by_3};
    const Shares shares = booked.book(routes, 3, kNormal, {30'000, 30'000});
    EXPECT_EQ(shares.bytes, (std::vector<std::uint64_t>{10'000, 20'000}));
    EXPECT_TRUE(shares.others.empty());
    EXPECT_EQ(room(booked, by_2), 0U);
    EXPECT_EQ(room(booked, by_3), 20'000U) << "the rest is booked once";
    VolumeBooking late(graph, 0, 9'500, {}, {true, false, false, false});
    EXPECT_EQ(late.book(routes, 3, kNormal, {30'000, 30'000}).bytes,
              (std::vector<std::uint64_t>{0, 30'000}))
        << "500 bytes are no part";
}

// The last hop is the short one, and its node is not known to cut.
TEST_F(VolumeBookingTest, OnlyTheFirstHopCuts) {
    const std::vector<bus::Contact> narrow{contact(0, 1, 2, 0, 100, 1000),
                                           contact(1, 2, 3, 20, 25, 1000)};
    const ContactGraph two(narrow);
    VolumeBooking booked(two, 0, 0, {}, {true, true});
    const std::vector<FoundRoute> routes{{21'000, 25'000, 1, {0, 1}}};
    EXPECT_EQ(booked.book(routes, 2, kNormal, {30'000, 30'000}).bytes[0], 0U);
}

TEST_F(VolumeBookingTest, NothingIsCutWhereTheWholeArrivesFirst) {
    const std::vector<bus::Contact> open{
        contact(0, 1, 2, 0, 10, 1000), contact(1, 1, 3, 1, 60, 100'000),
        contact(2, 2, 4, 0, 200, 10'000), contact(3, 3, 4, 0, 200, 100'000)};
    const ContactGraph graph_of_both(open);
    VolumeBooking booked(graph_of_both, 0, 0, {}, {true, true, false, false});
    const std::vector<FoundRoute> routes{{2000, 10'000, 1, {0, 2}}, {3000, 60'000, 2, {1, 3}}};
    EXPECT_EQ(booked.book(routes, 3, kNormal, {30'000, 30'000}).bytes,
              (std::vector<std::uint64_t>{0, 30'000}));
}

TEST_F(VolumeBookingTest, PartsSpillOverToLaterContacts) {
    const std::vector<bus::Contact> brief{contact(0, 1, 2, 0, 10, 1000),
                                          contact(1, 1, 2, 20, 30, 1000),
                                          contact(2, 1, 2, 40, 50, 1000)};
    const ContactGraph one(brief);
    VolumeBooking booked(one, 0, 0, {}, {true, true, true});
    const Shares shares =
        booked.book(std::vector<FoundRoute>{{1000, 10'000, 1, {0}}}, 1, kNormal, {25'000, 25'000});
    EXPECT_EQ(shares.bytes[0], 10'000U);
    ASSERT_EQ(shares.others.size(), 2U);
    EXPECT_EQ(shares.others[0].bytes, 10'000U);
    EXPECT_EQ(shares.others[1].bytes, 5000U);
}

// Two open contacts, one three times as fast as the other.
TEST_F(VolumeBookingTest, WhatWaitsIsSpreadOverOpenContacts) {
    const std::vector<bus::Contact> open{
        contact(0, 1, 2, 0, 1000, 3000), contact(1, 1, 3, 0, 1000, 1000),
        contact(2, 2, 4, 0, 1000, 0), contact(3, 3, 4, 0, 1000, 0)};
    const ContactGraph graph_of_both(open);
    VolumeBooking booked(graph_of_both, 0, 0);
    const std::vector<FoundRoute> routes{{2000, 1'000'000, 1, {0, 2}},
                                         {2000, 1'000'000, 2, {1, 3}}};
    const Shares shares = booked.book(routes, 3, kNormal, {400'000, 1000});
    EXPECT_NEAR(static_cast<double>(shares.bytes[0]), 300'000, 25'000);
    EXPECT_EQ(shares.bytes[0] + shares.bytes[1], 400'000U);
    const Shares few = booked.book(routes, 3, kExpedited, {3000, 3000});
    EXPECT_EQ(few.bytes, (std::vector<std::uint64_t>{3000, 0}));
}

// The second way arrives ten seconds later: only what would wait longer for the first takes it.
TEST_F(VolumeBookingTest, ASlowerWayTakesWhatWouldWaitLonger) {
    const std::vector<bus::Contact> open{
        contact(0, 1, 2, 0, 1000, 1000), contact(1, 1, 3, 10, 1000, 1000),
        contact(2, 2, 4, 0, 1000, 0), contact(3, 3, 4, 0, 1000, 0)};
    const ContactGraph graph_of_both(open);
    const std::vector<FoundRoute> routes{{2000, 1'000'000, 1, {0, 2}},
                                         {12'000, 1'000'000, 2, {1, 3}}};
    VolumeBooking little(graph_of_both, 0, 0);
    EXPECT_EQ(little.book(routes, 3, kNormal, {9000, 1000}).bytes,
              (std::vector<std::uint64_t>{9000, 0}));
    VolumeBooking much(graph_of_both, 0, 0);
    const Shares shares = much.book(routes, 3, kNormal, {30'000, 1000});
    EXPECT_NEAR(static_cast<double>(shares.bytes[0]), 20'000, 2000);
    EXPECT_NEAR(static_cast<double>(shares.bytes[1]), 10'000, 2000);
}

TEST_F(VolumeBookingTest, ClosedContactsCarryNothing) {
    VolumeBooking booked(graph, 0, 0, {false, true, false, false});
    EXPECT_TRUE(booked.book(std::vector<FoundRoute>{by_2}, 3, kNormal, {60'000}).others.empty());
}

TEST_F(VolumeBookingTest, WhatEgressHoldsTakesTheNextContacts) {
    VolumeBooking booked = booking(5);
    booked.book_next_hop(1, kNormal, 3000);
    EXPECT_EQ(room(booked, by_2), 2000U);
    EXPECT_EQ(booked.delay_ms(by_2.contacts, kNormal), 3000U);
}

TEST_F(VolumeBookingTest, TheEarliestEndBehindAHopStopsIt) {
    const std::vector<bus::Contact> narrow{contact(0, 1, 2, 0, 100, 1000),
                                           contact(1, 2, 3, 0, 11, 5000)};
    const ContactGraph two(narrow);
    const VolumeBooking booked(two, 0, 0);
    // The first hop sends for 11 s, the second one from 1 s to 11 s.
    EXPECT_EQ(booked.room(std::vector<ContactIndex>{0, 1}, kNormal), 11'000U);
}

TEST_F(VolumeBookingTest, ARateWithoutALimitHasRoomForEverything) {
    const std::vector<bus::Contact> wide{contact(0, 1, 2, 0, 100, 0)};
    const ContactGraph one(wide);
    VolumeBooking booked(one, 0, 0);
    (void)booked.book(std::vector<FoundRoute>{{1000, 100'000, 1, {0}}}, 1, kBulk, {1'000'000});
    EXPECT_EQ(booked.room(std::vector<ContactIndex>{0}, kBulk), kUnlimitedBytes);
    EXPECT_EQ(booked.delay_ms(std::vector<ContactIndex>{0}, kBulk), 0U);
}

}  // namespace
}  // namespace farlink::router::volume_booking_test
