// SPDX-License-Identifier: Apache-2.0
#include "module/egress/core/refusals.hpp"

#include <gtest/gtest.h>

namespace farlink::egress::refusals_test {
namespace {

TEST(RefusalBudget, EndsWithTheLastAttempt) {
    RefusalBudget budget;
    for (std::uint32_t attempt = 1; attempt < RefusalBudget::kAttempts; ++attempt) {
        EXPECT_FALSE(budget.spend(7));
        EXPECT_FALSE(budget.spend(100 + attempt)) << "each bundle has a budget of its own";
    }
    EXPECT_TRUE(budget.spend(7));
    EXPECT_FALSE(budget.spend(7)) << "it begins anew";
}

TEST(RefusalBudget, EndsWithTheSecondSilence) {
    RefusalBudget budget;
    EXPECT_FALSE(budget.spend(7, RefusalBudget::kCostOfSilence));
    EXPECT_TRUE(budget.spend(7, RefusalBudget::kCostOfSilence));
}

TEST(RefusalBudget, ForgetsTheOldest) {
    RefusalBudget budget;
    for (std::uint32_t attempt = 1; attempt < RefusalBudget::kAttempts; ++attempt)
        EXPECT_FALSE(budget.spend(1));
    for (std::uint64_t other = 1000; other < 7000; ++other) EXPECT_FALSE(budget.spend(other));
    EXPECT_FALSE(budget.spend(1));
}

}  // namespace
}  // namespace farlink::egress::refusals_test
