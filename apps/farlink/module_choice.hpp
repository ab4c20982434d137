// SPDX-License-Identifier: Apache-2.0
// The modules of this process, and the addresses of the others.
// Made once in main().
// Values and plain functions.
#pragma once

#include <array>
#include <set>
#include <string>
#include <string_view>

#include "common/base/result.hpp"
#include "common/bus/zmq/bus_topology.hpp"
#include "common/config/node/node_config.hpp"

namespace farlink::app {

/// The supervisor belongs to the process of the scheduler.
struct ModuleChoice {
    std::array<bool, bus::kAgentCount> here{};
    bool everything = false;  ///< `all`

    [[nodiscard]] bool has(bus::AgentId module) const {
        return here[static_cast<std::size_t>(module)];
    }
    /// Has an instance of the role.
    [[nodiscard]] bool has_any(bus::AgentId role) const;
    /// No module runs in another process.
    [[nodiscard]] bool all() const;
    /// Without the supervisor.
    [[nodiscard]] std::set<bus::AgentId> modules() const;
    /// Removes the modules beyond so many instances of ingress and egress, and that of applications
    /// if there is none. An error when one of them was named.
    [[nodiscard]] Result<void, std::string> limit_to(std::size_t instances, bool applications);

private:
    std::size_t instances_ = kMostInstances;
    bool applications_ = true;
};

/// "all", or names of modules with commas between them; or the error.
[[nodiscard]] Result<ModuleChoice, std::string> read_modules(std::string_view text);

/// Errors are those of the `bus` section, one a line.
[[nodiscard]] Result<bus::BusTopology, std::string> topology_of(const config::NodeConfig &config,
                                                                const ModuleChoice &choice);

}  // namespace farlink::app
