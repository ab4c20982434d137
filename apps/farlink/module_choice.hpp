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
#include "common/bus/zmq/bus_topology.hpp"
#include "common/config/node/node_config.hpp"

namespace farlink::app {

/// The supervisor is where the scheduler is.
struct ModuleChoice {
    std::array<bool, bus::kAgentCount> here{};
    bool everything = false;  ///< whatever there is

    [[nodiscard]] bool has(bus::AgentId module) const {
        return here[static_cast<std::size_t>(module)];
    }
    /// An instance of it.
    [[nodiscard]] bool has_any(bus::AgentId role) const;
    /// Nothing runs elsewhere.
    [[nodiscard]] bool all() const;
    /// Without the supervisor.
    [[nodiscard]] std::set<bus::AgentId> modules() const;
    /// The node has so many instances of ingress and egress; or which one was chosen that is not
    /// there.
    [[nodiscard]] Result<void, std::string> limit_to(std::size_t instances);

private:
    std::size_t instances_ = kMostInstances;
};

/// "all", or names of modules with commas between them; or what is wrong.
[[nodiscard]] Result<ModuleChoice, std::string> read_modules(std::string_view text);

/// Or what the `bus` section lacks for that, one line an error.
[[nodiscard]] Result<bus::BusTopology, std::string> topology_of(const config::NodeConfig &config,
                                                                const ModuleChoice &choice);

}  // namespace farlink::app
