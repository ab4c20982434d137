// SPDX-License-Identifier: Apache-2.0
// The state document: the state of the node for the dashboard, as one JSON object.
// Owned by the telemetry agent; one thread.
// Messages of the bus change the members that they affect. docs/formats/live-updates.md lists the
// members.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <map>
#include <string>
#include <utility>

#include "common/bus/messages.hpp"
#include "common/config/node/node_config.hpp"
#include "module/telemetry/core/live_links.hpp"
#include "module/telemetry/core/telemetry_core.hpp"

namespace farlink::telemetry {

class LiveState {
public:
    LiveState(const config::NodeConfig &config, const std::string &version, TimePoint started);

    LiveState(const LiveState &) = delete;
    LiveState &operator=(const LiveState &) = delete;

    [[nodiscard]] LiveLinks &links() { return links_; }
    [[nodiscard]] const LiveLinks &links() const { return links_; }
    /// The routes have changed; shows held destinations.
    void handle(const bus::RouteUpdate &update);
    /// The reply of the supervisor to `status`: drain mode, modules, plan, links.
    void handle_status(const Json &status);
    void handle_lost(bus::AgentId module);
    /// The module has reported its counters, as each does once a second.
    void handle_report(bus::AgentId module, TimePoint now) { reported_[module] = now; }
    /// The supervisor does not reply; the scheduler, in the same process, is shown as silent.
    void handle_silence();
    /// Shows new reports of the modules.
    void update(const TelemetryCore &core);
    /// Called once a second: shows processor time as a share of a core.
    void measure_processes(const TelemetryCore &core, TimePoint now);
    /// Totals over all runs of the node.
    void show_lifetime(Json totals) { document_["lifetime"] = std::move(totals); }
    void remove(LinkId link) { links_.remove(link); }

    /// The whole document at this moment.
    [[nodiscard]] const Json &document(TimePoint now, DtnTime wall);
    [[nodiscard]] bool ready() const;
    /// Modules that are not ready, with their states.
    [[nodiscard]] Json not_ready() const;
    /// The reason why a ready node works with limits; empty: it has none.
    [[nodiscard]] const std::string &degraded() const { return degraded_; }
    void set_degraded(const std::string &why) { degraded_ = why; }
    /// The active alarms, by number.
    void set_alarms(Json alarms) { document_["alarms"] = std::move(alarms); }
    [[nodiscard]] const Json &modules() const { return document_["modules"]; }
    /// How old the figures of modules with these roles are, in seconds by module; without those
    /// that report in time.
    [[nodiscard]] Json figure_ages(std::initializer_list<bus::AgentId> roles, TimePoint now) const;
    [[nodiscard]] const Json &plan() const { return document_["plan"]; }

private:
    std::string degraded_;
    void show_latency(const TelemetryCore &core, bus::LatencyKind kind);
    void show_storage(const bus::StorageReport &report);
    void show_endpoints(const TelemetryCore &core);
    void show_totals(const TelemetryCore &core);
    void show_ages(TimePoint now);

    Json document_;
    TimePoint started_;
    std::map<bus::AgentId, TimePoint> reported_;  ///< when each has reported last
    LiveLinks links_;
    std::uint64_t seen_ = 0;        ///< revision of the core
    std::uint64_t seen_links_ = 0;  ///< and of its links
    std::uint64_t cpu_ns_ = 0;
    TimePoint measured_{};
    std::uint64_t routes_version_ = 0;
};

}  // namespace farlink::telemetry
