// SPDX-License-Identifier: Apache-2.0
#include "cla/tcpcl/v4/core/deviations.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace farlink::cla::tcpclv4 {
namespace {

std::vector<Departure> drained(Departures &departures) {
    std::vector<Departure> all;
    departures.drain([&all](Departure departure) { all.push_back(departure); });
    return all;
}

TEST(Tcpclv4Departures, AreToldOnceForEachDrain) {
    Departures departures(false);
    EXPECT_TRUE(departures.allow(Departure::kAckFlagsDiffer));
    EXPECT_TRUE(departures.allow(Departure::kAckFlagsDiffer));
    departures.note(Departure::kReservedFlags);
    EXPECT_EQ(drained(departures),
              (std::vector{Departure::kAckFlagsDiffer, Departure::kReservedFlags}));
    EXPECT_TRUE(drained(departures).empty());
}

TEST(Tcpclv4Departures, EndAStrictSessionOnlyWhereTheStandardIsBroken) {
    Departures departures(true);
    EXPECT_FALSE(departures.allow(Departure::kAckFlagsDiffer));
    EXPECT_FALSE(departures.allow(Departure::kSegmentAboveMru));
    EXPECT_FALSE(departures.allow(Departure::kNodeIdWithService));
    EXPECT_TRUE(departures.allow(Departure::kUnwantedTransferLength));
    EXPECT_TRUE(departures.allow(Departure::kUnknownRefusalReason));
    EXPECT_EQ(drained(departures).size(), 5U);
}

}  // namespace
}  // namespace farlink::cla::tcpclv4
