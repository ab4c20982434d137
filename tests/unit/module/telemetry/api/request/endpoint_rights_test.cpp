// SPDX-License-Identifier: Apache-2.0
#include "module/telemetry/api/request/endpoint_rights.hpp"

#include <gtest/gtest.h>

namespace farlink::telemetry::endpoint_rights_test {
namespace {

bp::EidView ipn(std::uint64_t node, std::uint64_t service) {
    return bp::ipn_eid(node, service);
}

TEST(EndpointRights, AreThoseOfTheLists) {
    const auto rights = EndpointRights::parse({{"ipn:10.42"}, {"ipn:10.50"}, {"ipn:20.*"}});
    ASSERT_TRUE(rights);
    EXPECT_TRUE(rights->may_receive(ipn(10, 42)));
    EXPECT_FALSE(rights->may_receive(ipn(10, 50)));
    EXPECT_TRUE(rights->may_send_as(ipn(10, 42))) << "who receives there may send from there";
    EXPECT_TRUE(rights->may_send_as(ipn(10, 50)));
    EXPECT_FALSE(rights->may_send_as(ipn(10, 51)));
    EXPECT_TRUE(rights->may_send_to(ipn(20, 7)));
    EXPECT_FALSE(rights->may_send_to(ipn(21, 7)));
}

TEST(EndpointRights, WithoutDestinationsAllAreAllowed) {
    const auto rights = EndpointRights::parse({{}, {"ipn:10.*"}, {}});
    ASSERT_TRUE(rights);
    EXPECT_TRUE(rights->may_send_to(ipn(99, 1)));
    EXPECT_FALSE(rights->may_receive(ipn(10, 1)));
    EXPECT_TRUE(EndpointRights::all().may_receive(ipn(1, 1)));
}

TEST(EndpointRights, AWrongTextIsNamed) {
    const auto rights = EndpointRights::parse({{"ipn:10.42"}, {"nothing"}, {}});
    ASSERT_FALSE(rights);
    EXPECT_EQ(rights.error(), "nothing");
    EXPECT_FALSE(EndpointRights::parse({{""}, {}, {}}));
}

}  // namespace
}  // namespace farlink::telemetry::endpoint_rights_test
