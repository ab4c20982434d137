// SPDX-License-Identifier: Apache-2.0
// The view of the node for the API: state document, an hour of history, last events, metrics.
// Owned by the telemetry agent, which passes on every message of the bus; one thread.
// The document is updated on request only, so that it costs little without clients.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "common/base/peer_limiter.hpp"
#include "common/bus/messages.hpp"
#include "common/config/node/node_config.hpp"
#include "module/telemetry/core/alarm_inputs.hpp"
#include "module/telemetry/core/alarms/alarm_text.hpp"
#include "module/telemetry/core/alarms/alarm_watch.hpp"
#include "module/telemetry/core/event_log.hpp"
#include "module/telemetry/core/history.hpp"
#include "module/telemetry/core/history/earlier_runs.hpp"
#include "module/telemetry/core/live_state.hpp"
#include "module/telemetry/core/telemetry_core.hpp"
#include "module/telemetry/core/text/condition_episode.hpp"
#include "module/telemetry/core/text/link_flaps.hpp"
#include "module/telemetry/core/text/lost_modules.hpp"
#include "module/telemetry/core/text/storage_episode.hpp"

namespace farlink::telemetry {

/// A moment by both clocks.
struct Moment {
    TimePoint now{};
    DtnTime wall = 0;
};

class NodeView {
public:
    /// `core` is borrowed.
    NodeView(const config::NodeConfig &config, const std::string &version,
             const TelemetryCore &core, TimePoint started);

    /// Handles a message of the bus, before the core does. Returns true when links or modules may
    /// have changed, so that `status` must be requested.
    bool handle(const bus::Message &message, const Moment &moment);
    /// The supervisor's reply to `status`.
    void handle_status(const Json &status, const Moment &moment);
    /// The supervisor has not replied in time.
    void handle_silence() { state_.handle_silence(); }
    /// Adds the event of a command given by the API.
    void note(const NodeEvent &event, const Moment &moment);
    /// Called once a second: adds a point to the history, and looks for alarms.
    void handle_second(const Moment &moment);
    /// The alarms that the last second has raised or ended.
    [[nodiscard]] std::vector<AlarmChange> take_alarm_changes();
    /// What is read outside of the view: clock, certificates, history.
    [[nodiscard]] AlarmInputs &alarm_inputs() { return alarm_inputs_; }
    /// The configuration was reloaded.
    void set_alarms_config(const config::AlarmsConfig &config);
    void set_store_bytes(std::uint64_t bytes) { store_bytes_ = bytes; }
    [[nodiscard]] const config::AlarmsConfig &alarms_config() const { return alarms_config_; }
    void set_hook_counts(const AlarmHookCounts &counts) { hook_counts_ = counts; }

    /// The history of earlier runs; before the first second.
    void restore(EarlierRuns earlier, const Moment &moment);
    /// The history is not written for this reason; empty: it is written.
    void handle_history_stopped(const std::string &reason, const Moment &moment);
    [[nodiscard]] const std::string &history_stopped() const { return history_stopped_; }
    /// The totals over all runs, for their file; empty without a history.
    [[nodiscard]] std::string lifetime_text(TimePoint now) const;

    [[nodiscard]] const Json &document(const Moment &moment);
    [[nodiscard]] std::string metrics() const;
    /// Bundles in custody by destination, and the counters of custody.
    [[nodiscard]] Json custody(const Moment &moment);
    [[nodiscard]] const LiveState &state() const { return state_; }
    [[nodiscard]] const History &history() const { return history_; }
    [[nodiscard]] const EventLog &events() const { return events_; }
    [[nodiscard]] const AlarmBook &alarms() const { return alarms_.book(); }

private:
    /// Longer than a bundle that returns waits until it is sent again.
    static constexpr Duration kLoopCalm = std::chrono::minutes(20);

    void handle_up(const bus::LinkUp &event, const Moment &moment);
    void handle_snapshot(const bus::LinkSnapshot &snapshot, const Moment &moment);
    void note_up(LinkId link, NodeNumber neighbour, const Moment &moment);
    void handle_down(const bus::LinkDown &event, const Moment &moment);
    void handle_link(const bus::LinkInfo &info, const Moment &moment);
    void handle_disks(const bus::StorageReport &report, const Moment &moment);
    void handle_command(const bus::CommandReport &report, const Moment &moment);
    void handle_change(const bus::LinkChange &change);
    void note_drain(bool drained, const Moment &moment);
    void note_plan(std::uint64_t version, const Moment &moment);
    void note_flaps(const Moment &moment);
    void watch_refusals(const Moment &moment);
    void watch_loops(const Moment &moment);
    void watch_storage(const Moment &moment);
    void watch_refused_bundles(const Moment &moment);
    void watch_alarms(const Moment &moment);
    /// Adds an event at the begin and at the end of a condition.
    void publish(ConditionEpisode::Edge edge, const NodeEvent &begun, const NodeEvent &over,
                 const Moment &moment);

    const TelemetryCore &core_;
    std::string version_;
    LiveState state_;
    History history_;
    EventLog events_;
    std::set<LinkId> up_;       ///< links that are up; a repeated event is ignored
    std::set<LinkId> removed_;  ///< since the last call of document()
    LinkFlaps flaps_;
    LostModules lost_modules_;
    PeerLimiter unproved_{seconds(10)};  ///< events of their sessions
    std::uint64_t plan_version_ = 0;
    bool drained_ = false;
    bool plan_known_ = false;
    CounterEpisode refused_;  ///< by neighbours
    StorageEpisode storage_full_;
    std::uint64_t no_room_before_ = 0;  ///< bundles refused by storage until the last second
    std::uint64_t stored_before_ = 0;   ///< bundles stored when one was refused last
    CounterEpisode deleted_;
    CounterEpisode loops_{kLoopCalm};
    bool neighbours_refuse_ = false;
    config::AlarmsConfig alarms_config_;
    AlarmInputs alarm_inputs_;
    AlarmWatch alarms_;
    AlarmHookCounts hook_counts_;
    std::uint64_t alarms_shown_ = 0;  ///< revision in the document
    std::vector<AlarmChange> alarm_changes_;
    TimePoint started_;
    std::uint64_t store_bytes_;  ///< `totalStorageCapacityBytes`
    std::optional<LifetimeTotals> lifetime_;
    std::string history_stopped_;
};

}  // namespace farlink::telemetry
