// SPDX-License-Identifier: Apache-2.0
// The module of applications on the bus: its core, its server, its loop.
// Owned by the program.
// run() is called on a thread of its own.
#pragma once

#include <cstdint>

#include "common/bus/loop/agent_loop.hpp"
#include "common/config/node/node_config.hpp"
#include "common/runtime/log/log.hpp"
#include "common/telemetry/changed_values.hpp"
#include "module/applications/app_server.hpp"
#include "module/applications/core/applications_core.hpp"

namespace farlink::applications {

class ApplicationsAgent {
public:
    ApplicationsAgent(const config::NodeConfig &config, bus::BusContext &context);
    ~ApplicationsAgent();

    /// Serves until the node stops.
    void run();

private:
    void handle(bus::Message message);
    void handle_stop(const bus::Stop &stop);
    void end_when_idle();
    void publish_ready();
    void drain_outputs();
    void on_second();
    void on_report();
    void report_counters(bool last);

    const config::NodeConfig &config_;
    Logger log_{"applications"};
    SlabPool pool_;
    ReadBuffer buffer_;
    bus::AgentLoop loop_;
    ApplicationsCore core_;
    AppServer server_;
    telemetry::ChangedValues reported_;
    std::uint64_t counter_reports_ = 0;
    bool failed_ = false;
    TimePoint stop_deadline_ = kNever;  ///< set: the module ends when ingress has returned all
    bool draining_outputs_ = false;
    bool drain_again_ = false;
};

}  // namespace farlink::applications
