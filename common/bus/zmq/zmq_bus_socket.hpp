// SPDX-License-Identifier: Apache-2.0
// Makes and closes the sockets between processes.
// Plain functions at start-up, before other threads are started: listening sets the umask.
// The thread that will own the socket, or the one that starts it.
#pragma once

#include <string>
#include <zmq.hpp>

#include "common/bus/zmq/bus_topology.hpp"

namespace farlink::bus {

/// Makes `socket` listen for other processes at the address of `module`. An `ipc` socket has mode
/// 0600; a `tcp` socket accepts processes with the keys, if there are any. Returns the error or an
/// empty text.
[[nodiscard]] std::string listen(zmq::socket_t &socket, const BusTopology &topology,
                                 AgentId module);

/// A socket that sends to `module` of another process once it is connected. At most
/// `high_water_mark` messages wait; 0: no limit.
[[nodiscard]] zmq::socket_t make_push(zmq::context_t &context, const BusTopology &topology,
                                      AgentId module, int high_water_mark);

/// Disconnects, and drops the messages that wait to be sent there.
void drop_queued(zmq::socket_t &socket, const std::string &address);

}  // namespace farlink::bus
