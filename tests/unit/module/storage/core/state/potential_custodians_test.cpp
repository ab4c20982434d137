// SPDX-License-Identifier: Apache-2.0
#include "module/storage/core/state/potential_custodians.hpp"

#include <gtest/gtest.h>

namespace farlink::storage::potential_custodians_test {
namespace {

constexpr NodeNumber kOne{1};
constexpr NodeNumber kTwo{2};
constexpr NodeNumber kThree{3};

TEST(PotentialCustodiansTest, NoNodeAnswersForABundleThatWasNotGiven) {
    const PotentialCustodians custodians;
    EXPECT_FALSE(custodians.covers(0, kOne));
    EXPECT_FALSE(custodians.any_covers(kOne));
}

TEST(PotentialCustodiansTest, BundlesOfOneWayShareASet) {
    PotentialCustodians custodians;
    const CustodianSet first = custodians.extend(0, std::vector{kTwo, kOne, kTwo});
    EXPECT_EQ(custodians.extend(0, std::vector{kOne, kTwo}), first);
    EXPECT_EQ(custodians.size(), 1U);
    EXPECT_TRUE(custodians.covers(first, kOne));
    EXPECT_FALSE(custodians.covers(first, kThree));
    EXPECT_FALSE(custodians.covers_only(first, kOne));
    EXPECT_EQ(custodians.extend(first, std::vector{kOne}), first) << "sent again the same way";
}

TEST(PotentialCustodiansTest, AnotherWayAddsItsNodes) {
    PotentialCustodians custodians;
    const CustodianSet before = custodians.extend(0, std::vector{kOne});
    EXPECT_TRUE(custodians.covers_only(before, kOne));
    EXPECT_FALSE(custodians.covers_only(before, kTwo));
    EXPECT_FALSE(custodians.covers_only(0, kOne));
    const CustodianSet after = custodians.extend(before, std::vector{kThree});
    EXPECT_TRUE(custodians.covers(after, kOne));
    EXPECT_TRUE(custodians.covers(after, kThree));
    EXPECT_EQ(custodians.size(), 1U) << "no bundle names the first any more";
}

TEST(PotentialCustodiansTest, WhatNoBundleNamesIsForgotten) {
    PotentialCustodians custodians;
    const CustodianSet one = custodians.extend(0, std::vector{kOne, kTwo});
    const CustodianSet other = custodians.extend(0, std::vector{kTwo});
    (void)custodians.extend(0, std::vector{kTwo});
    custodians.let_go(one);
    EXPECT_FALSE(custodians.any_covers(kOne));
    custodians.let_go(other);
    EXPECT_TRUE(custodians.any_covers(kTwo));
    custodians.let_go(other);
    EXPECT_FALSE(custodians.any_covers(kTwo));
    EXPECT_EQ(custodians.size(), 0U);
    EXPECT_TRUE(custodians.covers(custodians.extend(0, std::vector{kThree}), kThree));
}

}  // namespace
}  // namespace farlink::storage::potential_custodians_test
