// SPDX-License-Identifier: Apache-2.0
// Modules that start, end, are lost and come back.
// Part of messages.hpp; a message is owned by whoever holds it.
// Values without behaviour; any thread, one at a time.
#pragma once

#include <cstdint>
#include <vector>

#include "common/bus/messages/agent_id.hpp"
#include "common/bus/messages/request_id.hpp"

namespace farlink::bus {

/// A subscriber missed events of `publisher`, or has just started; or the supervisor requests the
/// state of `publisher` with a request id.
struct SnapshotRequest {
    AgentId publisher = AgentId::kScheduler;
    AgentId from = AgentId::kIngress;
    RequestId id{};
};
/// A module is set up and serves its messages.
struct ModuleReady {
    AgentId module = AgentId::kIngress;
    bool failed = false;                 ///< it cannot run as configured: the node ends
    std::vector<std::uint16_t> ports{};  ///< of ingress: those of its inducts, in their order
    /// Of ingress: the places of inducts that listen only once the reserve of the store is
    /// complete.
    std::vector<std::uint16_t> waiting{};
};
/// A module of another process to the supervisor: it has ended, as Stop requested.
struct ModuleEnded {
    AgentId module = AgentId::kIngress;
};
/// The bus to a module: another one that was reached in a different process is gone. What that had
/// borrowed comes back as not sent; what was lent from there need not go back. Until ModuleBack,
/// messages to it are dropped, and batches come back at once.
struct ModuleLost {
    AgentId module = AgentId::kIngress;
};
/// The bus to a module: it is connected again, possibly as another process without state.
struct ModuleBack {
    AgentId module = AgentId::kIngress;
};
/// Supervisor to a module: end, once all that it has lent or holds has an outcome. With `drain` it
/// accepts nothing new and returns what it has not begun, and replies until it is to end;
/// telemetry only learns that the node stops.
struct Stop {
    bool drain = false;
};

}  // namespace farlink::bus
