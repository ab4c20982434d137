// SPDX-License-Identifier: Apache-2.0
#include "common/routing/endpoint_table.hpp"

#include <gtest/gtest.h>

namespace farlink::routing::endpoint_table_test {
namespace {

constexpr LinkId kFirst{0x60000001};
constexpr LinkId kSecond{0x60000002};

bus::EndpointEntry entry(LinkId link, std::string_view endpoint, bool up, bool removed = false) {
    return {link, {endpoint.begin(), endpoint.end()}, up, removed};
}

config::NodeConfig node() {
    config::NodeConfig config;
    config.node = NodeNumber{10};
    config.applications.socket = "socket";
    config.applications.endpoints = {{"ipn:10.42"}, {"dtn://ten/a"}};
    return config;
}

TEST(EndpointTable, FindsWhatIsAnnounced) {
    EndpointTable table(NodeNumber{10});
    EXPECT_FALSE(table.find(bp::ipn_eid(10, 42)));
    const auto changed = table.handle({false, {entry(kFirst, "ipn:10.42", true)}});
    ASSERT_EQ(changed.size(), 1U);
    EXPECT_TRUE(changed[0].up);
    EXPECT_EQ(table.find(bp::ipn_eid(10, 42)), kFirst);
    EXPECT_EQ(table.find(bp::ipn_eid(bp::kLocalNodeNumber, 42)), kFirst) << "ipn:!.42";
    EXPECT_FALSE(table.find(bp::ipn_eid(10, 43)));
    EXPECT_FALSE(table.handle({false, {entry(kFirst, "ipn:10.42", false, true)}})[0].up);
    EXPECT_FALSE(table.find(bp::ipn_eid(10, 42)));
}

TEST(EndpointTable, UntilAllAreKnownEveryServiceMayHaveAnApplication) {
    EndpointTable table(node());
    EXPECT_EQ(table.find(bp::ipn_eid(10, 42)), kNoLink);
    EXPECT_EQ(table.find(bp::ipn_eid(10, 77)), kNoLink);
    EXPECT_FALSE(table.find(bp::ipn_eid(10, 0)));
    EXPECT_FALSE(table.find(bp::ipn_eid(10, 2047)));
    EXPECT_FALSE(table.find(bp::ipn_eid(11, 77)));
    EXPECT_EQ(table.find(bp::Eid::parse("dtn://ten/a")->view()), kNoLink);
    (void)table.handle({false, {entry(kFirst, "ipn:10.42", true)}});
    EXPECT_EQ(table.find(bp::ipn_eid(10, 77)), kNoLink);
    const auto changed = table.handle({true, {entry(kFirst, "ipn:10.42", true)}});
    EXPECT_EQ(changed.size(), 1U) << "nothing is removed that is still there";
    EXPECT_FALSE(table.find(bp::ipn_eid(10, 77)));
    EXPECT_FALSE(table.find(bp::Eid::parse("dtn://ten/a")->view()));
}

TEST(EndpointTable, TheWholeTableRemovesTheOthers) {
    EndpointTable table(NodeNumber{10});
    (void)table.handle(
        {false, {entry(kFirst, "ipn:10.42", true), entry(kSecond, "ipn:10.43", true)}});
    const auto changed = table.handle({true, {entry(kSecond, "ipn:10.43", true)}});
    ASSERT_EQ(changed.size(), 2U);
    EXPECT_EQ(changed[1].link, kFirst);
    EXPECT_TRUE(changed[1].removed);
    EXPECT_FALSE(table.find(bp::ipn_eid(10, 42)));
}

TEST(EndpointTable, ANumberIsOfOneEndpoint) {
    EndpointTable table(NodeNumber{10});
    (void)table.handle({false, {entry(kFirst, "ipn:10.42", true)}});
    (void)table.handle({false, {entry(kFirst, "ipn:10.43", true)}});
    EXPECT_FALSE(table.find(bp::ipn_eid(10, 42)));
    EXPECT_EQ(table.find(bp::ipn_eid(10, 43)), kFirst);
}

TEST(EndpointTable, WithoutTheModuleNobodyReceives) {
    EndpointTable table(NodeNumber{10});
    (void)table.handle({false, {entry(kFirst, "ipn:10.42", true)}});
    const auto changed = table.handle_lost();
    ASSERT_EQ(changed.size(), 1U);
    EXPECT_FALSE(changed[0].up);
    EXPECT_EQ(table.find(bp::ipn_eid(10, 42)), kFirst) << "it may come back";
}

}  // namespace
}  // namespace farlink::routing::endpoint_table_test
