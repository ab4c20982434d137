// SPDX-License-Identifier: Apache-2.0
// The state document: everything that the dashboard shows of the node, as one JSON object.
// Owned by the telemetry agent; one thread.
// It is told what comes by the bus and changes the parts of the document that this concerns;
// docs/formats/live-updates.md lists the members.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>

#include "common/bus/messages.hpp"
#include "common/config/node_config.hpp"
#include "module/telemetry/core/live_links.hpp"
#include "module/telemetry/core/telemetry_core.hpp"

namespace farlink::telemetry {

class LiveState {
public:
    LiveState(const config::NodeConfig &config, const std::string &version,
              std::span<const std::string_view> ltp_names, TimePoint started);

    LiveState(const LiveState &) = delete;
    LiveState &operator=(const LiveState &) = delete;

    [[nodiscard]] LiveLinks &links() { return links_; }
    [[nodiscard]] const LiveLinks &links() const { return links_; }
    void handle(const bus::StorageReport &report);
    void handle(const bus::HistogramReport &report);
    /// Processor time is a share of a core since the report before it.
    void handle(const bus::ProcessReport &report, TimePoint now);
    void handle(const bus::RouteUpdate &update);
    /// What the supervisor answers to `status`: modules, plan, links.
    void handle_status(const Json &status);
    void handle_lost(bus::AgentId module);
    /// The totals of the modules.
    void count(const TelemetryCore &core);

    /// The whole document at this moment.
    [[nodiscard]] const Json &document(TimePoint now, DtnTime wall);
    [[nodiscard]] bool ready() const;
    /// Modules that are not ready, with their states.
    [[nodiscard]] Json not_ready() const;
    [[nodiscard]] const Json &plan() const { return document_["plan"]; }
    [[nodiscard]] const bus::StorageReport &storage() const { return storage_report_; }
    [[nodiscard]] const std::map<bus::LatencyKind, bus::HistogramReport> &latencies() const {
        return latencies_;
    }
    /// All processes of the node together.
    [[nodiscard]] bus::ProcessReport processes() const;

private:
    struct Process {
        bus::ProcessReport report;
        TimePoint at{};
        double cpu_percent = 0;
    };

    Json document_;
    TimePoint started_;
    LiveLinks links_;
    bus::StorageReport storage_report_;
    std::map<bus::LatencyKind, bus::HistogramReport> latencies_;
    std::map<std::uint64_t, Process> processes_;
    std::uint64_t routes_version_ = 0;
};

}  // namespace farlink::telemetry
