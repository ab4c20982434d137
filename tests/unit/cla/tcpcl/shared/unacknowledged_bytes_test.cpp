// SPDX-License-Identifier: Apache-2.0
#include "cla/tcpcl/shared/unacknowledged_bytes.hpp"

#include <gtest/gtest.h>

namespace farlink::cla::tcpcl::unacknowledged_bytes_test {
namespace {

TEST(UnacknowledgedBytes, CountsTheCostOfEachBundle) {
    UnacknowledgedBytes<64> bytes;
    bytes.add(0);
    bytes.add(1'000);
    EXPECT_EQ(bytes.total(), 64U + 1'064U);
    EXPECT_EQ(decltype(bytes)::cost(10), 74U);
    bytes.remove(1'000);
    bytes.remove(0);
    EXPECT_EQ(bytes.total(), 0U);
}

}  // namespace
}  // namespace farlink::cla::tcpcl::unacknowledged_bytes_test
