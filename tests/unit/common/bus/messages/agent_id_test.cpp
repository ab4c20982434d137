// SPDX-License-Identifier: Apache-2.0
#include "common/bus/messages/agent_id.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "common/base/types.hpp"

namespace farlink::bus::agent_id_test {
namespace {

TEST(AgentId, InstancesAndRolesAreInverse) {
    for (const AgentId role : {AgentId::kIngress, AgentId::kEgress})
        for (std::size_t instance = 0; instance < kMostInstances; ++instance) {
            const AgentId module = instance_at(role, instance);
            EXPECT_EQ(role_of(module), role);
            EXPECT_EQ(instance_of(module), instance);
            EXPECT_EQ(is_ingress(module), role == AgentId::kIngress);
            EXPECT_EQ(is_egress(module), role == AgentId::kEgress);
        }
    EXPECT_EQ(instance_at(AgentId::kEgress, 3), AgentId::kEgress4);
    EXPECT_EQ(role_of(AgentId::kStorage), AgentId::kStorage);
    EXPECT_EQ(instance_of(AgentId::kStorage), 0U);
}

TEST(AgentId, TheModulesOfANodeAreWithoutTheSupervisor) {
    EXPECT_EQ(modules_with(1, false).size(), 6U);
    const std::vector<AgentId> two = modules_with(2, false);
    EXPECT_EQ(two.size(), 8U);
    EXPECT_EQ(std::ranges::count(two, AgentId::kSupervisor), 0);
    EXPECT_EQ(two.back(), AgentId::kEgress2);
    EXPECT_EQ(modules_with(kMostInstances, true).size(), kAgentCount - 1);
    EXPECT_EQ(modules_with(1, true).back(), AgentId::kApplications);
}

}  // namespace
}  // namespace farlink::bus::agent_id_test
