// SPDX-License-Identifier: Apache-2.0
#include "module/storage/core/index/quotas.hpp"

#include <gtest/gtest.h>

namespace farlink::storage::quotas_test {
namespace {

TEST(Quotas, ABundleCountsInEveryQuotaThatFits) {
    const config::StorageQuota all[] = {
        {.source = "ipn:7.*", .destination = {}, .capacity_bytes = 100},
        {.source = {}, .destination = "ipn:20.1", .capacity_bytes = 50},
        {.source = {}, .destination = "ipn:20.*", .capacity_bytes = 70}};
    Quotas quotas(all);
    EXPECT_TRUE(quotas.by_source());
    EXPECT_EQ(quotas.of(bp::ipn_eid(7, 3), bp::ipn_eid(20, 1)), 7U);
    EXPECT_EQ(quotas.of(bp::EidView{}, bp::ipn_eid(20, 2)), 4U);
    EXPECT_EQ(quotas.of(bp::ipn_eid(8, 1), bp::ipn_eid(30, 1)), 0U);
    quotas.count(7, 40, true);
    EXPECT_EQ(quotas.exceeded(7, 10), 0U);
    EXPECT_EQ(quotas.exceeded(7, 11), 2U);
    EXPECT_EQ(quotas.exceeded(7, 61), 7U);
    EXPECT_EQ(quotas.exceeded(4, 30), 0U);
    EXPECT_FALSE(quotas.never_fits(7, 50));
    EXPECT_TRUE(quotas.never_fits(7, 51));
    quotas.count(7, 40, false);
    EXPECT_EQ(quotas.exceeded(7, 50), 0U);
}

}  // namespace
}  // namespace farlink::storage::quotas_test
