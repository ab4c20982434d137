// SPDX-License-Identifier: Apache-2.0
#include "module/applications/core/access/access_table.hpp"

#include <gtest/gtest.h>

namespace farlink::applications::access_table_test {
namespace {

config::ApplicationsNode node() {
    config::ApplicationsNode config;
    config.node = NodeNumber{10};
    config.echo_service = 2047;
    config.applications.first_dynamic_service = 100;
    config.applications.last_dynamic_service = 5000;
    config.applications.largest_adu_bytes = 1000;
    return config;
}

Identity user(std::uint32_t number, std::vector<std::uint32_t> groups = {}) {
    return {.loopback = false, .user = number, .groups = std::move(groups)};
}

TEST(AccessTable, ByDefaultTheNodesOwnGroupHasDynamicServices) {
    const AccessTable table(node(), {{}, 1, 7});
    EXPECT_EQ(table.find(user(3, {4})), nullptr);
    EXPECT_EQ(table.find({.loopback = true}), nullptr);
    ASSERT_NE(table.find(user(1)), nullptr) << "its own user";
    const Grant *grant = table.find(user(3, {4, 7}));
    ASSERT_NE(grant, nullptr);
    EXPECT_TRUE(grant->may_register(bp::ipn_eid(10, 100)));
    EXPECT_TRUE(grant->may_register(bp::ipn_eid(10, 5000)));
    EXPECT_FALSE(grant->may_register(bp::ipn_eid(10, 99)));
    EXPECT_FALSE(grant->may_register(bp::ipn_eid(10, 5001)));
    EXPECT_FALSE(grant->may_register(bp::ipn_eid(10, 2047))) << "the echo service";
    EXPECT_FALSE(grant->may_register(bp::ipn_eid(11, 100)));
    EXPECT_FALSE(grant->may_send_as(bp::ipn_eid(10, 100)));
    EXPECT_TRUE(grant->may_send_to(bp::ipn_eid(99, 1)));
}

TEST(AccessTable, TheFirstEntryThatFitsCounts) {
    config::ApplicationsNode config = node();
    config::AccessConfig first;
    first.user = "one";
    first.receive = {"ipn:10.*", "dtn://ten/**"};
    first.send_to = {"ipn:20.*"};
    first.send_as = {"ipn:10.7"};
    first.largest_adu_bytes = 10;
    first.highest_priority = "normal";
    first.longest_lifetime_seconds = 5;
    config::AccessConfig second;
    second.group = "two";
    config.applications.access = {first, second};
    const AccessTable table(config, {{{.user = 1}, {.group = 2}}, 9, 9});
    const Grant *grant = table.find(user(1, {2}));
    ASSERT_NE(grant, nullptr);
    EXPECT_TRUE(grant->may_register(bp::ipn_eid(10, 42)));
    EXPECT_FALSE(grant->may_register(bp::ipn_eid(10, 0))) << "the node itself has it";
    EXPECT_TRUE(grant->may_register(bp::Eid::parse("dtn://ten/a")->view()));
    EXPECT_TRUE(grant->may_send_to(bp::ipn_eid(20, 1)));
    EXPECT_FALSE(grant->may_send_to(bp::ipn_eid(30, 1)));
    EXPECT_TRUE(grant->may_send_as(bp::ipn_eid(10, 7)));
    EXPECT_EQ(grant->largest_adu_bytes(), 10U);
    EXPECT_EQ(grant->longest_lifetime_ms(), 5000U);
    EXPECT_EQ(grant->highest_priority(), Priority::kNormal);
    const Grant *other = table.find(user(3, {2}));
    ASSERT_NE(other, nullptr);
    EXPECT_EQ(other->largest_adu_bytes(), 1000U) << "that of the node";
    EXPECT_EQ(table.find(user(9, {9})), nullptr) << "the default is gone";
}

TEST(AccessTable, ANameThatNoOneHasIsNobody) {
    config::ApplicationsNode config = node();
    config::AccessConfig access;
    access.user = "nobody-has-this";
    config.applications.access = {access};
    const AccessTable table(config, {{{}}, 0, 0});
    EXPECT_EQ(table.find(user(0, {0})), nullptr);
}

TEST(AccessTable, LoopbackHasAnEntryOfItsOwn) {
    config::ApplicationsNode config = node();
    config::AccessConfig access;
    access.loopback = true;
    config.applications.access = {access};
    const AccessTable table(config, {{{}}, 0, 0});
    EXPECT_NE(table.find({.loopback = true}), nullptr);
    EXPECT_EQ(table.find(user(0)), nullptr);
}

}  // namespace
}  // namespace farlink::applications::access_table_test
