// SPDX-License-Identifier: Apache-2.0
#include "module/router/core/hop_times.hpp"

#include <gtest/gtest.h>

namespace farlink::router::hop_times_test {
namespace {

/// 8,000 bit/s send an octet a millisecond.
GraphContact contact(DtnTime start, DtnTime end, std::uint64_t rate_bps = 8'000) {
    return {.start = start, .end = end, .light_ms = 5, .rate_bps = rate_bps};
}

TEST(HopTimes, ABundleWaitsForTheStartOfTheContact) {
    EXPECT_EQ(arrival_by(contact(100, 200), 0, 10), 115U);
    EXPECT_EQ(arrival_by(contact(100, 200), 150, 10), 165U);
}

TEST(HopTimes, TheLastOctetLeavesBeforeTheContactEnds) {
    EXPECT_EQ(arrival_by(contact(100, 200), 190, 10), 205U);
    EXPECT_EQ(arrival_by(contact(100, 200), 191, 10), kDtnNever);
    EXPECT_EQ(arrival_by(contact(100, 200), 199, 0), 204U);
    EXPECT_EQ(arrival_by(contact(100, 200), 200, 0), kDtnNever);
}

TEST(HopTimes, AnUnlimitedRateTakesNoTime) {
    EXPECT_EQ(arrival_by(contact(100, 200, 0), 150, 1'000'000), 155U);
}

TEST(HopTimes, LatestReadyIsTheInverseOfArrival) {
    const GraphContact open = contact(100, 200);
    const auto ready = latest_ready(open, 165, 10);
    ASSERT_TRUE(ready);
    EXPECT_EQ(*ready, 150U);
    EXPECT_EQ(arrival_by(open, *ready, 10), 165U);
    EXPECT_EQ(latest_ready(open, kDtnNever, 10), 190U) << "limited by the end of the contact";
}

TEST(HopTimes, NoReadyTimeMeetsADeadlineThatIsTooEarlyOrAContactThatIsTooShort) {
    EXPECT_EQ(latest_ready(contact(100, 200), 114, 10), std::nullopt);
    EXPECT_EQ(latest_ready(contact(100, 200), 3, 10), std::nullopt);
    EXPECT_EQ(latest_ready(contact(100, 105), kDtnNever, 10), std::nullopt);
}

class EarliestOver : public testing::Test {
protected:
    static bus::Contact between(std::uint64_t id, DtnTime start, DtnTime end, Duration owlt) {
        return {id, NodeNumber{1}, NodeNumber{2}, start, end, BitRate{8'000}, owlt};
    }
    [[nodiscard]] DtnTime arrival(DtnTime time, const ContactMask *without = nullptr,
                                  DtnTime before = kDtnNever) const {
        const Edge *edge = graph_.edge_between(0, 1);
        return edge == nullptr ? 0 : earliest_over(graph_, *edge, time, 0, without, before);
    }

    std::vector<bus::Contact> plan_{between(1, 100, 200, milliseconds(50)),
                                    between(2, 120, 130, milliseconds(5)),
                                    between(3, 300, 400, milliseconds(5))};
    ContactGraph graph_{plan_};
};

TEST_F(EarliestOver, ALaterContactMayArriveEarlier) {
    EXPECT_EQ(arrival(100), 125U);
    EXPECT_EQ(arrival(130), 180U);
    EXPECT_EQ(arrival(200), 305U);
    EXPECT_EQ(arrival(400), kDtnNever);
}

TEST_F(EarliestOver, MaskedContactsAreAbsent) {
    const ContactMask without{false, true, false};
    EXPECT_EQ(arrival(100, &without), 150U);
    const ContactMask none;
    EXPECT_EQ(arrival(100, &none), 125U);
}

TEST_F(EarliestOver, OnlyAnArrivalBeforeTheLimitIsReturned) {
    EXPECT_EQ(arrival(100, nullptr, 125), kDtnNever);
    EXPECT_EQ(arrival(100, nullptr, 126), 125U);
}

}  // namespace
}  // namespace farlink::router::hop_times_test
