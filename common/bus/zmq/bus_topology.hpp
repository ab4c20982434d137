// SPDX-License-Identifier: Apache-2.0
// Where the modules of a node are, as one of its processes sees them.
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
    /// Where a module takes messages of other processes: `ipc:///path` or `tcp://address:port`.
    std::array<std::string, kAgentCount> addresses{};
    /// For `tcp`: every process of the node has these, and nobody else.
    std::optional<CurveKeys> curve;
    Bytes software;
    std::vector<AgreedPart> parts;
    /// How many instances of ingress and egress there are, and whose the links are.
    config::LinkPlacement placement;

    [[nodiscard]] bool is_elsewhere(AgentId module) const {
        return elsewhere[static_cast<std::size_t>(module)];
    }
    [[nodiscard]] const std::string &address(AgentId module) const {
        return addresses[static_cast<std::size_t>(module)];
    }
    /// One process has all modules, and nobody else is listened to.
    [[nodiscard]] bool whole() const {
        for (const bool other : elsewhere)
            if (other) return false;
        return true;
    }
};

}  // namespace farlink::bus
