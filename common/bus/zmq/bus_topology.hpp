// SPDX-License-Identifier: Apache-2.0
// The location of the modules of a node, from the view of one of its processes.
// Made once at start by the program and given to the BusContext.
// A value.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "common/bus/wire/wire_hello.hpp"
#include "common/config/node/link_placement.hpp"

namespace farlink::bus {

/// A pair of CURVE keys as Z85 text (ZeroMQ RFC 32), 40 characters each.
struct CurveKeys {
    std::string public_key;
    std::string secret_key;
};

struct BusTopology {
    /// The modules that run in other processes.
    std::array<bool, kAgentCount> elsewhere{};
    /// The address of a module for other processes: `ipc:///path` or `tcp://address:port`.
    std::array<std::string, kAgentCount> addresses{};
    /// For `tcp`: the keys of all processes of the node.
    std::optional<CurveKeys> curve;
    Bytes software;
    std::vector<AgreedPart> parts;
    /// The number of instances of ingress and egress, and the instance of each link.
    config::LinkPlacement placement;

    [[nodiscard]] bool is_elsewhere(AgentId module) const {
        return elsewhere[static_cast<std::size_t>(module)];
    }
    [[nodiscard]] const std::string &address(AgentId module) const {
        return addresses[static_cast<std::size_t>(module)];
    }
    /// All modules run in one process; no socket listens for others.
    [[nodiscard]] bool whole() const {
        for (const bool other : elsewhere)
            if (other) return false;
        return true;
    }
};

}  // namespace farlink::bus
