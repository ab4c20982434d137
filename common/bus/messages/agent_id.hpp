// SPDX-License-Identifier: Apache-2.0
// The address of a module on the bus; ingress and egress may have several instances.
// Values without an owner.
// Any thread.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace farlink::bus {

/// The numbers are part of the wire format: further instances of ingress and egress follow in pairs
/// at the end.
enum class AgentId : std::uint8_t {
    kIngress = 0,
    kEgress = 1,
    kStorage = 2,
    kScheduler = 3,
    kRouter = 4,
    kTelemetry = 5,
    kSupervisor = 6,  ///< the process that started the modules
    kIngress2 = 7,
    kEgress2 = 8,
    kIngress3 = 9,
    kEgress3 = 10,
    kIngress4 = 11,
    kEgress4 = 12,
    kApplications = 13,  ///< where applications connect; a node may have none
};
inline constexpr std::size_t kAgentCount = 14;

/// The role of the module: kIngress for every instance of ingress, kEgress for those of egress.
[[nodiscard]] constexpr AgentId role_of(AgentId module) {
    if (module <= AgentId::kSupervisor || module == AgentId::kApplications) return module;
    const auto behind = static_cast<unsigned>(module) - static_cast<unsigned>(AgentId::kIngress2);
    return behind % 2 == 0 ? AgentId::kIngress : AgentId::kEgress;
}
[[nodiscard]] constexpr bool is_ingress(AgentId module) {
    return role_of(module) == AgentId::kIngress;
}
[[nodiscard]] constexpr bool is_egress(AgentId module) {
    return role_of(module) == AgentId::kEgress;
}

/// The instance of its role, from 0; 0 for a module that runs once.
[[nodiscard]] constexpr std::size_t instance_of(AgentId module) {
    if (module <= AgentId::kSupervisor || module == AgentId::kApplications) return 0;
    return 1 +
           (static_cast<std::size_t>(module) - static_cast<std::size_t>(AgentId::kIngress2)) / 2;
}

/// `role` is kIngress or kEgress.
[[nodiscard]] constexpr AgentId instance_at(AgentId role, std::size_t instance) {
    if (instance == 0) return role;
    return static_cast<AgentId>(static_cast<std::size_t>(AgentId::kIngress2) + 2 * (instance - 1) +
                                static_cast<std::size_t>(role));
}

/// The modules of a node with that number of instances, by number, without the supervisor.
[[nodiscard]] inline std::vector<AgentId> modules_with(std::size_t instances, bool applications) {
    std::vector<AgentId> modules;
    for (std::size_t at = 0; at < kAgentCount; ++at) {
        const auto module = static_cast<AgentId>(at);
        const bool here =
            module == AgentId::kApplications ? applications : module != AgentId::kSupervisor;
        if (here && instance_of(module) < instances) modules.push_back(module);
    }
    return modules;
}

}  // namespace farlink::bus
