// SPDX-License-Identifier: Apache-2.0
// Addresses of the bus by which the processes of one machine are connected: `ipc:///path`.
// Plain functions; they look at the path and change nothing.
// Any thread.
#pragma once

#include <string>

#include "common/bus/messages/agent_id.hpp"

namespace farlink::bus {

/// The path of an `ipc` address; empty: it is of another kind.
[[nodiscard]] std::string ipc_path(const std::string &address);

/// "cannot listen on ipc:///run/farlink/router for router: ..."
[[nodiscard]] std::string cannot_listen(const std::string &address, AgentId module,
                                        const std::string &why);

/// Such a line if the path of an `ipc` address does not allow a socket; else empty.
[[nodiscard]] std::string wrong_ipc_address(const std::string &address, AgentId module);

}  // namespace farlink::bus
