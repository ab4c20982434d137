// SPDX-License-Identifier: Apache-2.0
#include "module/telemetry/core/access/connection_seats.hpp"

#include <gtest/gtest.h>

#include <set>

namespace farlink::telemetry::connection_seats_test {
namespace {

class ConnectionSeatsTest : public testing::Test {
protected:
    bool come(const std::string &address) {
        const auto answer =
            seats.ask(address, [this](std::uint64_t number) { return !busy.contains(number); });
        left = answer.leaves;
        if (left) seats.leave(*left);
        if (answer.admitted) seats.enter(next++, address);
        return answer.admitted;
    }

    ConnectionSeats seats{64};
    std::set<std::uint64_t> busy;
    std::uint64_t next = 0;
    std::optional<std::uint64_t> left;
};

TEST_F(ConnectionSeatsTest, TheOldestOfAnAddressThatWaitsForItsClientGivesWay) {
    busy = {0};
    for (int i = 0; i < 16; ++i) EXPECT_TRUE(come("192.0.2.1"));
    EXPECT_TRUE(come("192.0.2.1"));
    EXPECT_EQ(left, 1U);
    EXPECT_EQ(seats.size(), 16U);
    EXPECT_TRUE(come("192.0.2.2"));
    EXPECT_FALSE(left);
}

TEST_F(ConnectionSeatsTest, WhoIsServedStays) {
    for (std::uint64_t i = 0; i < 16; ++i) {
        busy.insert(i);
        EXPECT_TRUE(come("127.0.0.1"));
    }
    EXPECT_FALSE(come("127.0.0.1"));
    EXPECT_TRUE(come("::1"));
}

TEST_F(ConnectionSeatsTest, OtherMachinesLeaveAnEighthToThisOne) {
    for (std::uint64_t i = 0; i < 56; ++i) {
        busy.insert(i);
        EXPECT_TRUE(come("192.0.2." + std::to_string(i)));
    }
    EXPECT_FALSE(come("198.51.100.1"));
    for (int i = 0; i < 8; ++i) EXPECT_TRUE(come("127.0.0.1"));
    EXPECT_TRUE(come("127.0.0.1"));
    EXPECT_EQ(left, 56U);
}

}  // namespace
}  // namespace farlink::telemetry::connection_seats_test
