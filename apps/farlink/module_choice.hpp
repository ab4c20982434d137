// SPDX-License-Identifier: Apache-2.0
// Which modules of the node this process runs, and where it finds the others.
// Made once in main().
// Values and plain functions.
#pragma once

#include <array>
#include <set>
#include <string>
#include <string_view>

#include "common/base/result.hpp"
#include "common/bus/bus_topology.hpp"
#include "common/config/node_config.hpp"

namespace farlink::app {

/// The supervisor is where the scheduler is.
struct ModuleChoice {
    std::array<bool, bus::kAgentCount> here{};

    [[nodiscard]] bool has(bus::AgentId module) const {
        return here[static_cast<std::size_t>(module)];
    }
    [[nodiscard]] bool all() const;
    /// Without the supervisor.
    [[nodiscard]] std::set<bus::AgentId> modules() const;
};

/// "all", or names of modules with commas between them; or what is wrong.
[[nodiscard]] Result<ModuleChoice, std::string> read_modules(std::string_view text);

/// Or what the `bus` section lacks for that, one line an error.
[[nodiscard]] Result<bus::BusTopology, std::string> topology_of(const config::NodeConfig &config,
                                                                const ModuleChoice &choice);

}  // namespace farlink::app
