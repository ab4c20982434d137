// SPDX-License-Identifier: Apache-2.0
#include "module/ingress/core/local/report_limiter.hpp"

#include <gtest/gtest.h>

namespace farlink::ingress::report_limiter_test {
namespace {

constexpr DtnTime kStart = 800'000'000'000;

TEST(ReportLimiter, EachNodeHasItsOwnShareOfEachSecond) {
    ReportLimiter limiter(10);
    const auto admitted = [&](std::uint64_t node, DtnTime now_ms) {
        int count = 0;
        for (int i = 0; i < 100; ++i) count += limiter.admit(bp::ipn_eid(node, 0), now_ms) ? 1 : 0;
        return count;
    };
    EXPECT_EQ(admitted(1, kStart), 10);
    EXPECT_EQ(admitted(2, kStart), 10);
    EXPECT_EQ(limiter.withheld(), 180U);
    EXPECT_EQ(admitted(1, kStart + 999), 0);
    EXPECT_EQ(admitted(1, kStart + 1000), 10);
    EXPECT_EQ(admitted(1, kStart - 86'400'000), 10) << "the clock was set back";
}

TEST(ReportLimiter, TheServicesOfANodeShareItsLimit) {
    ReportLimiter limiter(10);
    int count = 0;
    for (std::uint64_t service = 0; service < 100; ++service)
        count += limiter.admit(bp::ipn_eid(9, service), kStart) ? 1 : 0;
    EXPECT_EQ(count, 10);
    count = 0;
    for (int demux = 0; demux < 100; ++demux) {
        const auto endpoint = bp::Eid::parse("dtn://nine/" + std::to_string(demux));
        ASSERT_TRUE(endpoint);
        count += limiter.admit(endpoint->view(), kStart) ? 1 : 0;
    }
    EXPECT_EQ(count, 10);
    EXPECT_TRUE(limiter.admit(bp::Eid::parse("dtn://ten/0")->view(), kStart));
}

TEST(ReportLimiter, EndpointsThatAreMadeUpCostNoMemory) {
    ReportLimiter limiter(10);
    int count = 0;
    for (std::uint64_t node = 1; node <= 100'000; ++node)
        count += limiter.admit(bp::ipn_eid(node, 0), kStart) ? 1 : 0;
    EXPECT_EQ(count, 4096);
    EXPECT_TRUE(limiter.admit(bp::ipn_eid(1, 0), kStart));
    EXPECT_EQ(limiter.withheld(), 100'000U - 4096U);
    EXPECT_FALSE(limiter.admit(bp::ipn_eid(100'000, 0), kStart + 999));
    EXPECT_TRUE(limiter.admit(bp::ipn_eid(100'000, 0), kStart + 1000)) << "the next second";
}

TEST(ReportLimiter, ZeroIsNoLimit) {
    ReportLimiter limiter(0);
    for (int i = 0; i < 100; ++i) EXPECT_TRUE(limiter.admit(bp::ipn_eid(1, 0), kStart));
    EXPECT_EQ(limiter.withheld(), 0U);
}

}  // namespace
}  // namespace farlink::ingress::report_limiter_test
