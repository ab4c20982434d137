// SPDX-License-Identifier: Apache-2.0
// Sockets between processes: who may connect, and what happens at the end.
// Plain functions at start-up, before other threads are started: listening sets the umask.
// The thread that is to own the socket, or the one that starts it.
#pragma once

#include <string>
#include <zmq.hpp>

#include "common/bus/zmq/bus_topology.hpp"

namespace farlink::bus {

/// Lets `socket` take the messages of other processes for `module` at its address. An `ipc` socket
/// belongs to this user alone; a `tcp` one lets in who has the keys, where there are any. What is
/// wrong, or nothing.
[[nodiscard]] std::string listen(zmq::socket_t &socket, const BusTopology &topology,
                                 AgentId module);

/// Sends to `module` of another process once it is connected. `high_water_mark` messages wait for
/// it at most; 0: as many as there are.
[[nodiscard]] zmq::socket_t make_push(zmq::context_t &context, const BusTopology &topology,
                                      AgentId module, int high_water_mark);

/// Disconnects, and drops at once what still waits to be sent there.
void drop_queued(zmq::socket_t &socket, const std::string &address);

}  // namespace farlink::bus
