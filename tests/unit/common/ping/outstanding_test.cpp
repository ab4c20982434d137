// SPDX-License-Identifier: Apache-2.0
#include "common/ping/outstanding.hpp"

#include <gtest/gtest.h>

#include <string>

namespace farlink::ping::outstanding_test {
namespace {

constexpr TimePoint kStart{seconds(3)};

TEST(Outstanding, ARequestEndsOnce) {
    Outstanding<std::string> requests;
    requests.add(7, "seven", kStart, kStart + seconds(1));
    requests.add(5, "five", kStart + milliseconds(1));
    EXPECT_EQ(requests.size(), 2U);
    ASSERT_NE(requests.find(7), nullptr);
    EXPECT_EQ(requests.find(7)->note, "seven");
    EXPECT_EQ(requests.find(6), nullptr);
    const auto taken = requests.take(7);
    ASSERT_TRUE(taken);
    EXPECT_EQ(taken->note, "seven");
    EXPECT_EQ(taken->sent, kStart);
    EXPECT_FALSE(requests.take(7));
    EXPECT_EQ(requests.next_timeout(), kNever);
    EXPECT_EQ(requests.take(5)->sent, kStart + milliseconds(1));
    EXPECT_TRUE(requests.empty());
}

TEST(Outstanding, TheFirstHasTheLowestNumber) {
    Outstanding<int> requests;
    EXPECT_FALSE(requests.first());
    for (const std::uint64_t number : {9U, 4U, 6U}) requests.add(number, 0, kStart);
    EXPECT_EQ(requests.first(), 4U);
    (void)requests.take(4);
    EXPECT_EQ(requests.first(), 6U);
}

TEST(Outstanding, TimeoutsPassInTheirOrder) {
    Outstanding<int> requests;
    EXPECT_FALSE(requests.overdue(kNever));
    requests.add(1, 0, kStart, kStart + seconds(60));
    requests.add(2, 0, kStart, kStart + seconds(1));
    requests.add(3, 0, kStart, kStart + seconds(1));
    requests.add(4, 0, kStart);
    EXPECT_EQ(requests.next_timeout(), kStart + seconds(1));
    EXPECT_FALSE(requests.overdue(kStart + seconds(1) - nanoseconds(1)));
    for (const std::uint64_t expected : {2U, 3U}) {
        EXPECT_EQ(requests.overdue(kStart + seconds(1)), expected);
        EXPECT_TRUE(requests.take(expected));
    }
    EXPECT_FALSE(requests.overdue(kStart + seconds(1)));
    EXPECT_EQ(requests.next_timeout(), kStart + seconds(60));
    EXPECT_EQ(requests.overdue(kStart + seconds(60)), 1U);
    (void)requests.take(1);
    EXPECT_FALSE(requests.overdue(kNever)) << "one without a timeout is left";
    EXPECT_EQ(requests.size(), 1U);
}

}  // namespace
}  // namespace farlink::ping::outstanding_test
