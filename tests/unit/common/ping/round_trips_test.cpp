// SPDX-License-Identifier: Apache-2.0
#include "common/ping/round_trips.hpp"

#include <gtest/gtest.h>

namespace farlink::ping::round_trips_test {
namespace {

constexpr TimePoint kStart{seconds(3)};
constexpr Duration kTimeout = seconds(1);

TEST(RoundTrips, MeasureEachReply) {
    RoundTrips trips(kTimeout);
    EXPECT_EQ(trips.handle_sent(kStart), 0U);
    EXPECT_EQ(trips.handle_sent(kStart + milliseconds(10)), 1U);
    EXPECT_FALSE(trips.acknowledged());
    EXPECT_EQ(trips.handle_reply(1, kStart + milliseconds(15)), milliseconds(5));
    EXPECT_EQ(trips.handle_reply(0, kStart + milliseconds(20)), milliseconds(20));
    EXPECT_TRUE(trips.acknowledged());
    EXPECT_EQ(trips.received(), 2U);
    EXPECT_EQ(trips.lost(), 0U);
    EXPECT_EQ(trips.times().smallest(), 5'000'000U);
    EXPECT_EQ(trips.times().largest(), 20'000'000U);
    EXPECT_EQ(trips.next_timeout(), kNever);
}

TEST(RoundTrips, TakeNoReplyTwice) {
    RoundTrips trips(kTimeout);
    trips.handle_sent(kStart);
    trips.handle_sent(kStart);
    EXPECT_TRUE(trips.handle_reply(1, kStart));
    EXPECT_FALSE(trips.handle_reply(1, kStart));
    EXPECT_TRUE(trips.handle_reply(0, kStart));
    EXPECT_FALSE(trips.handle_reply(0, kStart));
    EXPECT_EQ(trips.unexpected(), 2U);
    EXPECT_EQ(trips.received(), 2U);
}

TEST(RoundTrips, TakeNoReplyToWhatWasNotAsked) {
    RoundTrips trips(kTimeout);
    EXPECT_FALSE(trips.handle_reply(0, kStart));
    trips.handle_sent(kStart);
    EXPECT_FALSE(trips.handle_reply(1, kStart));
    EXPECT_EQ(trips.unexpected(), 2U);
    EXPECT_FALSE(trips.acknowledged());
}

TEST(RoundTrips, GiveUpAfterTheTimeout) {
    RoundTrips trips(kTimeout);
    trips.handle_sent(kStart);
    trips.handle_sent(kStart + milliseconds(1));
    EXPECT_EQ(trips.next_timeout(), kStart + kTimeout);
    trips.handle_timeout(kStart + kTimeout - nanoseconds(1));
    EXPECT_EQ(trips.next_timeout(), kStart + kTimeout);
    trips.handle_timeout(kStart + kTimeout);
    EXPECT_EQ(trips.next_timeout(), kStart + kTimeout + milliseconds(1));
    EXPECT_FALSE(trips.handle_reply(0, kStart + kTimeout));
    EXPECT_FALSE(trips.acknowledged());
    trips.handle_timeout(kStart + 2 * kTimeout);
    EXPECT_TRUE(trips.acknowledged());
    EXPECT_EQ(trips.sent(), 2U);
    EXPECT_EQ(trips.lost(), 2U);
}

TEST(RoundTrips, CountALostRequestBetweenAnsweredOnes) {
    RoundTrips trips(kTimeout);
    for (int i = 0; i < 3; ++i) trips.handle_sent(kStart);
    EXPECT_TRUE(trips.handle_reply(0, kStart));
    EXPECT_TRUE(trips.handle_reply(2, kStart));
    EXPECT_FALSE(trips.acknowledged());
    trips.handle_timeout(kStart + kTimeout);
    EXPECT_TRUE(trips.acknowledged());
    EXPECT_EQ(trips.sent(), 3U);
    EXPECT_EQ(trips.lost(), 1U);
    EXPECT_EQ(trips.poll_lost(), 1U);
    EXPECT_FALSE(trips.poll_lost());
}

TEST(RoundTrips, LateRepliesAreUnexpectedAndStayLost) {
    RoundTrips trips(kTimeout);
    trips.handle_sent(kStart);
    EXPECT_FALSE(trips.handle_reply(0, kStart + kTimeout)) << "at the timeout it is too late";
    EXPECT_FALSE(trips.handle_reply(0, kStart + 2 * kTimeout));
    EXPECT_EQ(trips.unexpected(), 2U);
    EXPECT_EQ(trips.lost(), 1U);
    EXPECT_EQ(trips.poll_lost(), 0U);
    EXPECT_EQ(trips.received(), 0U);
}

TEST(RoundTrips, CountWhatAnotherProgramHasMeasured) {
    RoundTrips trips(kTimeout);
    EXPECT_EQ(trips.lost_percent(), 0);
    EXPECT_EQ(trips.add_measured(milliseconds(5)), 0U);
    EXPECT_EQ(trips.add_measured(std::nullopt), 1U);
    EXPECT_EQ(trips.add_measured(milliseconds(8)), 2U);
    EXPECT_EQ(trips.add_measured(milliseconds(2)), 3U);
    EXPECT_TRUE(trips.acknowledged());
    EXPECT_EQ(trips.next_timeout(), kNever);
    EXPECT_EQ(trips.sent(), 4U);
    EXPECT_EQ(trips.received(), 3U);
    EXPECT_EQ(trips.lost(), 1U);
    EXPECT_EQ(trips.lost_percent(), 25);
    EXPECT_EQ(trips.times().smallest(), 2'000'000U);
    EXPECT_EQ(trips.times().mean(), 5'000'000U);
    EXPECT_EQ(trips.times().percentile(99), 8'000'000U);
    EXPECT_FALSE(trips.poll_lost()) << "the other program has told";
}

}  // namespace
}  // namespace farlink::ping::round_trips_test
