// SPDX-License-Identifier: Apache-2.0
// A bundle that comes back although this node has passed it on by a static route or its gateway.
#include "common/buffer/hop_limit_request.hpp"
#include "common/buffer/rest_request.hpp"
#include "tests/support/custody_bundle.hpp"
#include "tests/unit/module/ingress/core/ingress_fixture.hpp"

namespace farlink::ingress {
namespace {

class IngressCircle : public IngressFixture {
protected:
    /// Node 2 is the default gateway, by link A.
    void gateway_up() {
        config.routing.default_gateway = NodeNumber{2};
        bus::RouteUpdate update;
        update.neighbours = {{NodeNumber{2}, kLinkA, true}};
        update.routes.push_back({NodeNumber{20}, {{NodeNumber{2}, kLinkA, 0}}});
        core().handle(update, now);
        link_up(kLinkA);
    }
    [[nodiscard]] bool rests() const {
        return at_storage.size() == 1 && at_storage.front()->bundles.size() == 1 &&
               (at_storage.front()->bundles.front().requests & kRequestRest) != 0;
    }
};

TEST_F(IngressCircle, WhatComesBackByTheGatewayRests) {
    gateway_up();
    const Bytes octets = bundle(99).octets();
    receive({octets});
    EXPECT_EQ(at_egress.size(), 1U);
    EXPECT_TRUE(at_storage.empty());
    receive({octets});
    EXPECT_EQ(at_egress.size(), 1U);
    EXPECT_TRUE(rests());
}

TEST_F(IngressCircle, WhatStorageRefusesIsOfferedAsBefore) {
    gateway_up();
    const Bytes octets = bundle(99).octets();
    receive({octets});
    receive({octets});
    storage_answers(Outcome::kNoSpace);
    advance(milliseconds(100));
    EXPECT_TRUE(rests());
}

TEST_F(IngressCircle, OtherBundlesDoNot) {
    gateway_up();
    receive(bundles(3, 99));
    EXPECT_TRUE(at_storage.empty());
}

TEST_F(IngressCircle, ByAWayOfThePlanNothingRests) {
    gateway_up();
    const Bytes octets = bundle(20).octets();
    receive({octets});
    receive({octets});
    EXPECT_EQ(at_egress.size(), 2U);
    EXPECT_TRUE(at_storage.empty());
}

TEST_F(IngressCircle, ByTheGatewayABundleGetsAHopLimit) {
    gateway_up();
    receive({bundle(99).octets(), bundle(20).octets()});
    ASSERT_EQ(at_egress.size(), 1U);
    ASSERT_EQ(at_egress.front()->bundles.size(), 2U);
    EXPECT_NE(at_egress.front()->bundles[0].requests & kRequestHopLimit, 0);
    EXPECT_EQ(at_egress.front()->bundles[1].requests & kRequestHopLimit, 0) << "by the plan";
}

TEST_F(IngressCircle, UnlessTheOperatorWantsNone) {
    config.routing.add_hop_limit = 0;
    gateway_up();
    receive({bundle(99).octets()});
    ASSERT_EQ(at_egress.size(), 1U);
    EXPECT_EQ(at_egress.front()->bundles[0].requests & kRequestHopLimit, 0);
}

TEST_F(IngressCircle, BundlesThatAskForCustodyDoAsWell) {
    gateway_up();
    test::CustodyBundle made;
    made.to = bp::ipn_eid(99, 1);
    made.created_s = test::kStart / 1000;
    receive({made.octets()});
    EXPECT_FALSE(rests());
    storage_answers(Outcome::kStored);
    receive({made.octets()});
    EXPECT_TRUE(rests());
}

}  // namespace
}  // namespace farlink::ingress
