// SPDX-License-Identifier: Apache-2.0
#include "common/base/peer_limiter.hpp"

#include <gtest/gtest.h>

#include <string>

namespace farlink::peer_limiter_test {
namespace {

TimePoint at(int second) {
    return TimePoint{} + seconds(second);
}

TEST(PeerLimiter, EachPeerIsReportedOnceInAnInterval) {
    PeerLimiter limiter{seconds(10)};
    EXPECT_TRUE(limiter.admit("192.0.2.1", "node 7", at(0)));
    EXPECT_TRUE(limiter.admit("192.0.2.2", "node 7", at(0))) << "another peer";
    EXPECT_TRUE(limiter.admit("192.0.2.1", "node 8", at(1))) << "another name";
    EXPECT_FALSE(limiter.admit("192.0.2.1", "node 7", at(9)));
    EXPECT_TRUE(limiter.admit("192.0.2.1", "node 7", at(10)));
    EXPECT_FALSE(limiter.admit("192.0.2.1", "node 7", at(19)));
}

TEST(PeerLimiter, AnAddressWithManyNamesIsLimited) {
    PeerLimiter limiter{seconds(10)};
    std::size_t admitted = 0;
    for (int name = 0; name < 100; ++name)
        admitted += limiter.admit("192.0.2.1", std::to_string(name), at(name / 10)) ? 1 : 0;
    EXPECT_EQ(admitted, PeerLimiter::kMostTexts);
    EXPECT_TRUE(limiter.admit("192.0.2.2", "node 7", at(9)));
}

TEST(PeerLimiter, ItRemembersAFewAddresses) {
    PeerLimiter limiter{seconds(10)};
    std::size_t admitted = 0;
    for (int host = 0; host < 200; ++host)
        admitted += limiter.admit(std::to_string(host), "node 7", at(0)) ? 1 : 0;
    EXPECT_EQ(admitted, PeerLimiter::kMostAddresses);
    EXPECT_TRUE(limiter.admit("200", "node 7", at(10))) << "the others are forgotten";
}

}  // namespace
}  // namespace farlink::peer_limiter_test
