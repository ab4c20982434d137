// SPDX-License-Identifier: Apache-2.0
// What telemetry knows of the node for those who look at it: the state now, an hour of history, the
// last events, metrics.
// Owned by the telemetry agent, which tells it everything that comes by the bus; one thread.
// It costs next to nothing while nobody looks: the document is brought up to date when it is asked.
#pragma once

#include <functional>
#include <set>
#include <string>

#include "common/bus/messages.hpp"
#include "common/config/node/node_config.hpp"
#include "module/telemetry/core/event_log.hpp"
#include "module/telemetry/core/history.hpp"
#include "module/telemetry/core/live_state.hpp"
#include "module/telemetry/core/telemetry_core.hpp"
#include "module/telemetry/core/text/spell.hpp"

namespace farlink::telemetry {

/// The moment at which something comes, by both clocks.
struct Moment {
    TimePoint now{};
    DtnTime wall = 0;
};

class NodeView {
public:
    /// `core` is borrowed.
    NodeView(const config::NodeConfig &config, const std::string &version,
             const TelemetryCore &core, TimePoint started);

    /// Any message of the bus, before the core has it. True: links or modules may be others than
    /// before, and the supervisor is to be asked.
    bool handle(const bus::Message &message, const Moment &moment);
    /// The supervisor's reply to `status`.
    void handle_status(const Json &status, const Moment &moment);
    /// It has not replied for seconds.
    void handle_silence() { state_.handle_silence(); }
    /// A command that somebody gave by the API.
    void note(const NodeEvent &event, const Moment &moment);
    /// A second has passed: a point of the history.
    void handle_second(const Moment &moment);

    [[nodiscard]] const Json &document(const Moment &moment);
    [[nodiscard]] std::string metrics() const;
    /// What this node is custodian of, for whom, and its counters of custody.
    [[nodiscard]] Json custody(const Moment &moment);
    [[nodiscard]] const LiveState &state() const { return state_; }
    [[nodiscard]] const History &history() const { return history_; }
    [[nodiscard]] const EventLog &events() const { return events_; }

private:
    void handle_up(const bus::LinkUp &event, const Moment &moment);
    void handle_snapshot(const bus::LinkSnapshot &snapshot, const Moment &moment);
    void note_up(LinkId link, NodeNumber neighbour, const Moment &moment);
    void handle_down(const bus::LinkDown &event, const Moment &moment);
    void handle_link(const bus::LinkInfo &info, const Moment &moment);
    void handle_disks(const bus::StorageReport &report, const Moment &moment);
    void note_drain(const Json &status, const Moment &moment);
    void watch_refusals(const Moment &moment);
    void watch_storage(const Moment &moment);
    void watch_refused_bundles(const Moment &moment);
    /// What begins and ends is an event twice, and not each second.
    void publish(Spell::Edge edge, const NodeEvent &begun, const NodeEvent &over,
                 const Moment &moment);

    const TelemetryCore &core_;
    std::string version_;
    LiveState state_;
    History history_;
    EventLog events_;
    std::set<LinkId> up_;             ///< so that an event that repeats itself is one
    std::set<LinkId> removed_;        ///< since document()
    DtnTime unproved_published_ = 0;  ///< when a session that is not proved was an event last
    std::uint64_t plan_version_ = 0;
    bool drained_ = false;
    bool plan_known_ = false;
    RisingSpell refused_;  ///< by neighbours
    Spell storage_full_;
    std::uint64_t no_room_before_ = 0;  ///< bundles that storage had refused a second ago
    RisingSpell deleted_;
    bool neighbours_refuse_ = false;
};

}  // namespace farlink::telemetry
