// SPDX-License-Identifier: Apache-2.0
// Telemetry on the bus: collects the modules' counters, serves them by HTTP and the control socket,
// and prints them with --counters; prints the ledger at the end.
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
    const config::NodeConfig *config = nullptr;  ///< null: no view of the node
    std::string version{};
    std::string webui_folder{};  ///< folder of the dashboard
};

class TelemetryAgent {
public:
    TelemetryAgent(bus::BusContext &context, const TelemetryOptions &options);
    ~TelemetryAgent();

    /// Serves until a Stop message.
    void run();
    /// The final state, after run() has returned. Empty: the node has never been ready as a whole,
    /// and the counters are those of a start that failed.
    [[nodiscard]] std::optional<Ledger> ledger() const {
        return node_ready_ ? std::optional(core_.ledger()) : std::nullopt;
    }

private:
    struct Desk;

    void handle(bus::Message message);
    [[nodiscard]] bool open_server();
    void look(const bus::Message &message);
    void answer(const bus::StateRequest &request);
    void handle_settings(const bus::SettingsChange &change);
    void handle_link(const bus::LinkChange &change);
    void handle_reload(const bus::ReloadReport &report);
    void publish_ready();
    void handle_report(bus::CounterReport report);
    void handle_lost(bus::AgentId module);
    void handle_supervisor(bool there);
    void handle_stop(const bus::Stop &stop);
    void on_second();
    void give_up();
    void on_timeout();
    void print();

    bool print_counters_;
    bool failed_ = false;  ///< the server could not be opened
    Logger log_{"telemetry"};
    bool node_ready_ = false;           ///< the supervisor has reported every module ready
    std::set<bus::AgentId> reporting_;  ///< modules whose last report is missing
    TimePoint stop_deadline_ = kNever;
    bus::AgentLoop loop_;
    TelemetryCore core_;
    std::unique_ptr<Desk> desk_;  ///< null: no configuration
};

}  // namespace farlink::telemetry
