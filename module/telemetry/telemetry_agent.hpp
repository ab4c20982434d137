// SPDX-License-Identifier: Apache-2.0
// Telemetry on the bus: collects the modules' counters, prints them while the node runs when it is
// asked to, and the ledger at the end.
// Made by the program.
// run() is called on a thread of its own.
#pragma once

#include <cstdio>
#include <set>

#include "common/bus/agent_loop.hpp"
#include "module/telemetry/core/telemetry_core.hpp"

namespace farlink::telemetry {

class TelemetryAgent {
public:
    /// Writes a line of JSON a second to standard output when `print_counters` is set. `labels`
    /// as for TelemetryCore.
    TelemetryAgent(bus::BusContext &context, bool print_counters,
                   std::span<const FamilyLabels> labels = {});

    /// Serves until a Stop message.
    void run();
    /// The final state, once run() has returned.
    [[nodiscard]] Ledger ledger() const { return core_.ledger(); }

private:
    void handle(bus::Message message);
    void tell_ready();
    [[nodiscard]] bool handle_figures(bus::Message &message);
    void handle_report(bus::CounterReport report);
    void handle_lost(bus::AgentId module);
    void handle_stop();
    void on_second();
    void on_timeout();
    void print();

    bool print_counters_;
    bool node_ready_ = false;           ///< the supervisor has said that every module is
    std::set<bus::AgentId> reporting_;  ///< whose last report has not come
    TimePoint stop_deadline_ = kNever;
    bus::AgentLoop loop_;
    TelemetryCore core_;
};

}  // namespace farlink::telemetry
