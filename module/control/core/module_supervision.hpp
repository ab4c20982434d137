// SPDX-License-Identifier: Apache-2.0
// The state of each module of the node: starting, ready, silent or lost; and the listening ports
// that ingress reports.
// Owned by the control agent; its thread only.
#pragma once

#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "common/bus/messages.hpp"
#include "common/config/node/link_placement.hpp"
#include "module/control/core/heartbeat_monitor.hpp"

namespace farlink::control {

class ModuleSupervision {
public:
    /// A node with so many instances of ingress and egress, and with a module of applications or
    /// without.
    explicit ModuleSupervision(std::size_t instances, bool applications = false);

    /// All modules of the node, in the order in which they end: what receives, what stores, what
    /// sends. The first ingress serves the others, so it is the last of them.
    [[nodiscard]] const std::vector<bus::AgentId> &modules() const { return modules_; }
    [[nodiscard]] std::vector<bus::AgentId> modules_without(
        const std::set<bus::AgentId> &here) const;

    /// "starting", "ready", "silent", "lost", or "stopping": its end, and its silence, are
    /// intended.
    [[nodiscard]] std::string_view state_of(bus::AgentId module) const;
    [[nodiscard]] bool is_lost(bus::AgentId module) const { return lost_.contains(module); }
    /// "module egress has been silent for 12 s"; empty: it is not silent.
    [[nodiscard]] std::string silence_of(bus::AgentId module) const;
    /// The same of the first module that is silent.
    [[nodiscard]] std::string silence() const;
    /// The same of those without which no bundle leaves by the link: its state is then out of date.
    [[nodiscard]] std::string silence_on(LinkId link, const config::LinkPlacement &placement) const;
    /// All modules are ready. A lost telemetry counts as ready: bundles need none.
    [[nodiscard]] bool complete() const;

    void handle_ready(bus::AgentId module);
    /// Its process has ended, or does not answer.
    void handle_lost(bus::AgentId module);
    /// It did not start; the node starts without it.
    void handle_missing(bus::AgentId module) { lost_.insert(module); }
    void handle_back(bus::AgentId module) { lost_.erase(module); }

    /// The node stops: no module that ends now is missed.
    void begin_stop() { stopping_ = true; }

    struct SilenceChange {
        bus::AgentId module;
        bool silent = false;
    };
    /// A second has passed; `last_heartbeat` gives the time of a module's last heartbeat. The
    /// modules that become silent, or are so no longer.
    [[nodiscard]] std::vector<SilenceChange> handle_second(
        const std::function<TimePoint(bus::AgentId)> &last_heartbeat);

    /// Each instance of ingress reports the ports of its own inducts, and 0 for the others.
    void note_ports(const std::vector<std::uint16_t> &ports);
    /// The inducts of one instance that do not listen yet, by their places.
    void note_waiting(const std::vector<std::uint16_t> &places) {
        waiting_.insert(places.begin(), places.end());
    }
    void handle(const bus::LinkChangeResult &result);
    /// Of the inducts, in the order of the configuration.
    [[nodiscard]] const std::vector<std::uint16_t> &ports() const { return ports_; }
    /// The places of inducts that did not listen when their instance was ready.
    [[nodiscard]] const std::set<std::uint16_t> &waiting() const { return waiting_; }

private:
    std::vector<bus::AgentId> modules_;
    std::set<bus::AgentId> ready_;
    std::set<bus::AgentId> lost_;          ///< of other processes
    std::set<bus::AgentId> lost_at_stop_;  ///< of those, which the stop has ended
    bool stopping_ = false;
    HeartbeatMonitor heartbeats_;  ///< of those that are ready
    std::vector<std::uint16_t> ports_;
    std::set<std::uint16_t> waiting_;
};

}  // namespace farlink::control
