// SPDX-License-Identifier: Apache-2.0
#include "cla/tcpcl/v4/core/deviations.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace farlink::cla::tcpclv4::deviations_test {
namespace {

std::vector<ProtocolDeviation> drained(ProtocolDeviations &deviations) {
    std::vector<ProtocolDeviation> all;
    deviations.drain([&all](ProtocolDeviation deviation) { all.push_back(deviation); });
    return all;
}

TEST(Tcpclv4Departures, AreToldOnceForEachDrain) {
    ProtocolDeviations deviations(false);
    EXPECT_TRUE(deviations.allow(ProtocolDeviation::kAckFlagsDiffer));
    EXPECT_TRUE(deviations.allow(ProtocolDeviation::kAckFlagsDiffer));
    deviations.note(ProtocolDeviation::kReservedFlags);
    EXPECT_EQ(drained(deviations),
              (std::vector{ProtocolDeviation::kAckFlagsDiffer, ProtocolDeviation::kReservedFlags}));
    EXPECT_TRUE(drained(deviations).empty());
}

TEST(Tcpclv4Departures, EndAStrictSessionOnlyWhereTheStandardIsBroken) {
    ProtocolDeviations deviations(true);
    EXPECT_FALSE(deviations.allow(ProtocolDeviation::kAckFlagsDiffer));
    EXPECT_FALSE(deviations.allow(ProtocolDeviation::kSegmentAboveMru));
    EXPECT_FALSE(deviations.allow(ProtocolDeviation::kNodeIdWithService));
    EXPECT_TRUE(deviations.allow(ProtocolDeviation::kUnwantedTransferLength));
    EXPECT_TRUE(deviations.allow(ProtocolDeviation::kUnknownRefusalReason));
    EXPECT_EQ(drained(deviations).size(), 5U);
}

}  // namespace
}  // namespace farlink::cla::tcpclv4::deviations_test
