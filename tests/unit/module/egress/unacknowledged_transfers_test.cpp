// SPDX-License-Identifier: Apache-2.0
#include "module/egress/unacknowledged_transfers.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace farlink::egress::unacknowledged_transfers_test {
namespace {

using Numbers = std::vector<std::uint64_t>;

Numbers take(UnacknowledgedTransfers &transfers) {
    Numbers numbers;
    transfers.take_all([&](std::uint64_t number) { numbers.push_back(number); });
    return numbers;
}

TEST(UnacknowledgedTransfers, AreThoseThatHaveArrivedAndAreNotSettled) {
    UnacknowledgedTransfers transfers;
    transfers.arrived(5);
    transfers.acknowledged(0, 2);
    transfers.acknowledged(3, 1);
    EXPECT_EQ(transfers.next(), 5U);
    EXPECT_EQ(take(transfers), (Numbers{2, 4}));
    EXPECT_EQ(take(transfers), Numbers{});
    transfers.arrived(2);
    EXPECT_EQ(transfers.next(), 7U);
    EXPECT_EQ(take(transfers), (Numbers{5, 6}));
}

TEST(UnacknowledgedTransfers, PassOverWhatIsNotKnown) {
    UnacknowledgedTransfers transfers;
    transfers.arrived(3);
    EXPECT_EQ(take(transfers), (Numbers{0, 1, 2}));
    transfers.arrived(1);
    transfers.acknowledged(0, 3);  // from before
    transfers.acknowledged(100, 2);
    EXPECT_EQ(take(transfers), Numbers{3});
}

}  // namespace
}  // namespace farlink::egress::unacknowledged_transfers_test
