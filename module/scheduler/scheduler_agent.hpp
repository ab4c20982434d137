// SPDX-License-Identifier: Apache-2.0
// The scheduler on the bus: passes the reports of egress and the time to its core, and publishes
// the core's events.
// Made by the program.
// run() is called on a thread of its own.
#pragma once

#include <optional>
#include <unordered_map>
#include <vector>

#include "common/bus/loop/agent_loop.hpp"
#include "common/config/node/node_config.hpp"
#include "common/runtime/log/log.hpp"
#include "common/runtime/log/state_lines.hpp"
#include "module/scheduler/core/scheduler_core.hpp"

namespace farlink::scheduler {

class SchedulerAgent {
public:
    /// `plan` in absolute DTN milliseconds; without one every outduct is planned for ever.
    SchedulerAgent(const config::NodeConfig &config, std::optional<std::vector<bus::Contact>> plan,
                   bus::BusContext &context);

    /// Serves until a Stop message.
    void run();

private:
    void handle(bus::Message message);
    void on_second();
    void read_clock();
    void drain_outputs();
    void log_up(const bus::LinkUp &event);
    void log_changes(const bus::LinkUp &before, const bus::LinkUp &event);
    void log_down(const bus::LinkDown &event);

    Logger log_;
    bus::AgentLoop loop_;
    SchedulerCore core_;
    std::unordered_map<LinkId, bus::LinkUp> up_;  ///< the last event of each link that is up
    /// A link whose connection was lost: a neighbour may connect and disconnect at any rate.
    struct Loss {
        bool lasts = false;
        StateLines lines{seconds(60), 12};
    };
    std::unordered_map<LinkId, Loss> losses_;
};

}  // namespace farlink::scheduler
