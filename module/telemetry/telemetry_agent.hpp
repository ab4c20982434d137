// SPDX-License-Identifier: Apache-2.0
// Telemetry on the bus: collects the modules' counters, prints them while the node runs when it is
// asked to, serves them by HTTP and to the control socket, and the ledger at the end.
// Made by the program.
// run() is called on a thread of its own.
#pragma once

#include <cstdio>
#include <memory>
#include <optional>
#include <set>
#include <string>

#include "common/bus/loop/agent_loop.hpp"
#include "common/config/node/node_config.hpp"
#include "module/telemetry/core/telemetry_core.hpp"

namespace farlink::telemetry {

struct TelemetryOptions {
    bool print_counters = false;                 ///< a line of JSON a second to standard output
    std::span<const FamilyLabels> labels{};      ///< as for TelemetryCore
    const config::NodeConfig *config = nullptr;  ///< null: nobody can ask
    std::string version{};
    std::string webui_folder{};  ///< where the dashboard is installed
};

class TelemetryAgent {
public:
    TelemetryAgent(bus::BusContext &context, const TelemetryOptions &options);
    ~TelemetryAgent();

    /// Serves until a Stop message.
    void run();
    /// The final state, once run() has returned.
    [[nodiscard]] Ledger ledger() const { return core_.ledger(); }

private:
    struct Desk;

    void handle(bus::Message message);
    [[nodiscard]] bool open_server();
    void look(const bus::Message &message);
    void answer(const bus::StateRequest &request);
    void publish_ready();
    void handle_report(bus::CounterReport report);
    void handle_lost(bus::AgentId module);
    void handle_supervisor(bool there);
    void handle_stop();
    void on_second();
    void give_up();
    void on_timeout();
    void print();

    bool print_counters_;
    bool failed_ = false;  ///< the server could not be opened
    Logger log_{"telemetry"};
    bool node_ready_ = false;           ///< the supervisor has said that every module is
    std::set<bus::AgentId> reporting_;  ///< whose last report has not come
    TimePoint stop_deadline_ = kNever;
    bus::AgentLoop loop_;
    TelemetryCore core_;
    std::unique_ptr<Desk> desk_;  ///< null: nobody can ask
};

}  // namespace farlink::telemetry
