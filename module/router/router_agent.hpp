// SPDX-License-Identifier: Apache-2.0
// The router on the bus: passes the contact plan, the events of links and the time to its core, and
// publishes the routing table.
// Made by the program.
// run() is called on a thread of its own.
#pragma once

#include "common/bus/loop/agent_loop.hpp"
#include "common/config/node/node_config.hpp"
#include "module/router/core/router_core.hpp"

namespace farlink::router {

class RouterAgent {
public:
    RouterAgent(const config::NodeConfig &config, bus::BusContext &context);

    /// Serves until a Stop message.
    void run();

private:
    void handle(bus::Message message);
    void publish_ready();
    void drain_outputs();

    bus::AgentLoop loop_;
    RouterCore core_;
};

}  // namespace farlink::router
