// SPDX-License-Identifier: Apache-2.0
#include "module/telemetry/core/node_view.hpp"

#include <algorithm>
#include <type_traits>
#include <utility>

#include "common/base/counted.hpp"
#include "common/bus/link_snapshot.hpp"
#include "common/telemetry/egress_counters.hpp"
#include "common/telemetry/ingress_counters.hpp"
#include "common/telemetry/link_counters.hpp"
#include "common/telemetry/storage_counters.hpp"
#include "module/telemetry/core/flow_totals.hpp"
#include "module/telemetry/core/metrics.hpp"
#include "module/telemetry/core/module_name.hpp"
#include "module/telemetry/core/text/event_text.hpp"

namespace farlink::telemetry {
namespace {

static_assert(ConditionEpisode::kCalm == seconds(10));
constexpr const char *kCalmWords = "ten seconds";

constexpr std::string_view kInBytes = counter_info<LinkCounter::kReceivedBytes>().json.link;
constexpr std::string_view kOutBytes = counter_info<LinkCounter::kSentBytes>().json.link;
/// A store with less than this part of its capacity free is full, as a disk is.
constexpr std::uint64_t kFullPart = 100;
bool has_room(const bus::StorageReport &report, std::uint64_t capacity) {
    std::uint64_t used = 0;
    bool any = false;
    for (const bus::DiskReport &disk : report.disks) {
        used += disk.used_bytes;
        any |= disk.state == bus::DiskState::kOk;
    }
    return any && used < capacity - capacity / kFullPart;
}

/// All alarms at once; without an agent that takes them, no more are kept.
constexpr std::size_t kMostAlarmChanges = 2 * kAlarmNameCount * AlarmBook::kMostOfAName;

/// With what to do, as in the log.
std::string alarm_event_text(const AlarmChange &change) {
    const Condition &condition = change.alarm.condition;
    const std::string name(to_string(condition.name));
    if (!change.raised) return name + " ended; last text: " + condition.text;
    return name + ": " + condition.text + "; " + condition.action;
}

/// Its begin and its end are events by themselves, also where the alarm is ignored.
bool has_own_event(AlarmName name) {
    return name == AlarmName::kStorageFull || name == AlarmName::kHistoryStopped;
}

/// How the node is restricted; empty: it is not.
std::string degraded_words(const AlarmFacts &facts) {
    std::string words = facts.storage_full ? "storage full" : "";
    const bool suspended = facts.modules_suspended > 0;
    if (!suspended && facts.clock_behind_s == 0) return words;
    if (!words.empty()) words += "; ";
    return words + (suspended ? "clock suspended: no bundle expires"
                              : "clock set back: bundles expire by elapsed time");
}

// For a supervisor that has started again no link is removed, and the hosts restore the configured
// ones; one that was only disconnected repeats its changes.
void show_hidden(LiveLinks &links, const TelemetryCore &core) {
    for (const LinkId link : links.take_hidden())
        if (const KnownLink *known = core.links().find(link)) links.update(link, *known);
}

}  // namespace

NodeView::NodeView(const config::NodeConfig &config, const std::string &version,
                   const TelemetryCore &core, TimePoint started)
    : core_(core),
      version_(version),
      state_(config, version, started),
      alarms_config_(config.alarms),
      alarm_inputs_(config),
      alarms_(config.alarms),
      started_(started),
      store_bytes_(config.storage.capacity_bytes) {}

void NodeView::restore(EarlierRuns earlier, const Moment &moment) {
    events_.restore(earlier.events);
    history_.restore(earlier.rows, moment.wall);
    lifetime_ = earlier.totals.value_or(LifetimeTotals(moment.wall));
}

void NodeView::handle_history_stopped(const std::string &reason, const Moment &moment) {
    if (reason == history_stopped_) return;
    const bool was_stopped = !history_stopped_.empty();
    history_stopped_ = reason;
    alarm_inputs_.set_history_fault(reason);
    if (!reason.empty() && was_stopped) return;
    events_.add({reason.empty() ? "info" : "warning", "telemetry", "history-stopped", kNoLink,
                 reason.empty() ? std::string("the history is written again")
                                : "the history is not written: " + reason},
                moment.wall);
}

std::string NodeView::lifetime_text(TimePoint now) const {
    if (!lifetime_) return {};
    const auto up = std::chrono::duration_cast<seconds>(now - started_);
    return lifetime_->to_text(flow_totals(core_), up);
}

bool NodeView::handle(const bus::Message &message, const Moment &moment) {
    return std::visit(
        [&](const auto &data) {
            using Data = std::decay_t<decltype(data)>;
            if constexpr (std::is_same_v<Data, bus::LinkUp>) {
                handle_up(data, moment);
            } else if constexpr (std::is_same_v<Data, bus::LinkDown>) {
                handle_down(data, moment);
            } else if constexpr (std::is_same_v<Data, bus::ContactStart> ||
                                 std::is_same_v<Data, bus::ContactEnd>) {
                state_.links().handle(data);
            } else if constexpr (std::is_same_v<Data, bus::LinkInfo>) {
                handle_link(data, moment);
            } else if constexpr (std::is_same_v<Data, bus::LinkChange>) {
                handle_change(data);
            } else if constexpr (std::is_same_v<Data, bus::CommandReport>) {
                handle_command(data, moment);
            } else if constexpr (std::is_same_v<Data, bus::CounterReport>) {
                state_.handle_report(data.module, moment.now);
                return false;
            } else if constexpr (std::is_same_v<Data, bus::StorageReport>) {
                handle_disks(data, moment);
                return false;
            } else if constexpr (std::is_same_v<Data, bus::RouteUpdate>) {
                state_.handle(data);
                alarm_inputs_.handle(data);
            } else if constexpr (std::is_same_v<Data, bus::Stop>) {
                lost_modules_.begin_stop();
            } else if constexpr (std::is_same_v<Data, bus::ModuleLost>) {
                if (lost_modules_.handle_lost(data.module, moment.wall))
                    state_.handle_lost(data.module);
            } else if constexpr (std::is_same_v<Data, bus::ModuleBack>) {
                if (data.module == bus::AgentId::kSupervisor) show_hidden(state_.links(), core_);
                lost_modules_.handle_back(data.module, moment.wall);
            } else if constexpr (std::is_same_v<Data, bus::ModuleReady>) {
                state_.links().handle_ports(data.ports);
            } else if constexpr (std::is_same_v<Data, bus::LinkSnapshot>) {
                handle_snapshot(data, moment);
            } else {
                return false;
            }
            return true;
        },
        message);
}

// The event is repeated when the rate or the end of the contact changes.
void NodeView::handle_up(const bus::LinkUp &event, const Moment &moment) {
    state_.links().handle(event);
    note_up(event.link, event.neighbour, moment);
}

// A link that was up before telemetry started has no event of its own.
void NodeView::handle_snapshot(const bus::LinkSnapshot &snapshot, const Moment &moment) {
    for (const bus::LinkEntry &entry : snapshot.links)
        if (entry.planned && entry.connected) note_up(entry.link, entry.neighbour, moment);
    const std::vector<LinkId> before(up_.begin(), up_.end());
    for (const LinkId link : before) {
        if (bus::names(snapshot, link)) continue;
        up_.erase(link);
        flaps_.forget(link);
        state_.links().handle(bus::LinkDown{.header = {}, .link = link, .neighbour = {}});
        state_.links().handle(bus::ContactEnd{.header = {}, .link = link, .neighbour = {}});
        events_.add({"info", "scheduler", "link-down", link,
                     "link " + std::to_string(link.value()) + " is down: removed"},
                    moment.wall);
    }
}

void NodeView::note_up(LinkId link, NodeNumber neighbour, const Moment &moment) {
    if (!up_.insert(link).second || !flaps_.admit_up(link, neighbour, moment.now)) return;
    events_.add({"info", "scheduler", "link-up", link, link_to(link, neighbour) + " is up"},
                moment.wall);
}

// The command that takes it down is an event already.
void NodeView::handle_down(const bus::LinkDown &event, const Moment &moment) {
    state_.links().handle(event);
    up_.erase(event.link);
    const bool lost = event.reason == bus::LinkDownReason::kConnectionLost;
    if (!lost) flaps_.forget(event.link);
    if (event.reason == bus::LinkDownReason::kAdministrative) return;
    if (lost && !flaps_.admit_loss(event.link)) return;
    events_.add({lost ? "warning" : "info", "scheduler", "link-down", event.link,
                 link_to(event.link, event.neighbour) + " is down: " + in_words(event.reason)},
                moment.wall);
}

// Repeated faults with the same reason are one event.
void NodeView::handle_link(const bus::LinkInfo &info, const Moment &moment) {
    if (info.removed) {
        removed_.insert(info.link);
        return;
    }
    removed_.erase(info.link);
    const KnownLink *known = core_.links().find(info.link);
    const bus::LinkInfo *before = known == nullptr ? nullptr : known->info();
    for (const std::string &refusal : new_refusals(info, before))
        note({"warning", module_name(info.module), "link-fault", info.link, refusal}, moment);
    const std::string_view reason = as_text(info.reason);
    if (tells_refusal(info) || reason.empty() ||
        (before != nullptr && before->reason == info.reason))
        return;
    if (info.connected) {
        // An induct reports rejected peers at most every ten seconds. Sessions of unproved peers
        // are limited here, since any host can open them.
        if (info.kind == bus::LinkKind::kOutduct) return;
        if (info.kind == bus::LinkKind::kSession &&
            !unproved_.admit(as_text(info.url), reason, moment.now))
            return;
    } else if (!flaps_.admit_fault(info.link, reason)) {
        return;
    }
    events_.add({"warning", module_name(info.module), "link-fault", info.link, fault_text(info)},
                moment.wall);
}

// Its host says it, too, once the link has closed.
void NodeView::handle_change(const bus::LinkChange &change) {
    if (change.verb == bus::LinkVerb::kRemove) return state_.links().hide(change.link);
    state_.links().show(change.link);
    const KnownLink *known = core_.links().find(change.link);
    if (known != nullptr) state_.links().update(change.link, *known);
}

void NodeView::note_flaps(const Moment &moment) {
    for (const LinkFlaps::Count &count : flaps_.take_counts(moment.now)) {
        const bool up = up_.contains(count.link);
        events_.add(
            {"warning", "scheduler", up ? "link-up" : "link-down", count.link,
             link_to(count.link, count.neighbour) + " was up " + counted(count.times, "more time") +
                 " in ten seconds; it is " + (up ? "up" : "down")},
            moment.wall);
    }
}

void NodeView::handle_disks(const bus::StorageReport &report, const Moment &moment) {
    for (std::size_t i = 0; i < report.disks.size(); ++i) {
        const bus::DiskReport &disk = report.disks[i];
        const bool known = core_.storage() && i < core_.storage()->disks.size();
        const bus::DiskState old = known ? core_.storage()->disks[i].state : bus::DiskState::kOk;
        if (disk.state == old) continue;
        const bool is_last = all_full(report);
        if (disk.state == bus::DiskState::kOk)
            events_.add({"info", "storage", "disk-ok", kNoLink, disk_text(disk, old)}, moment.wall);
        else if (disk.state == bus::DiskState::kFull)
            events_.add({is_last ? "error" : "warning", "storage", "disk-full", kNoLink,
                         disk_text(disk, old) + (is_last ? ": storage accepts no bundles" : "")},
                        moment.wall);
        else
            events_.add({"error", "storage", "disk-failing", kNoLink, disk_text(disk, old)},
                        moment.wall);
    }
}

void NodeView::handle_status(const Json &status, const Moment &moment) {
    state_.handle_status(status);
    alarm_inputs_.handle_status(status);
    const auto drained = status.find("drained");
    if (drained != status.end() && drained->is_boolean()) note_drain(drained->get<bool>(), moment);
    const Json &plan = state_.plan();
    const auto version = plan.find("version");
    if (version == plan.end() || !version->is_number_unsigned()) return;
    if (!std::exchange(plan_known_, true)) plan_version_ = version->get<std::uint64_t>();
    note_plan(version->get<std::uint64_t>(), moment);
}

// Between two requests of the status, a command may have been undone by another one.
void NodeView::handle_command(const bus::CommandReport &report, const Moment &moment) {
    const bool up = report.kind == bus::CommandKind::kLinkUp;
    switch (report.kind) {
        case bus::CommandKind::kDrain:
        case bus::CommandKind::kResume:
            return note_drain(report.kind == bus::CommandKind::kDrain, moment);
        case bus::CommandKind::kPlan:
            plan_known_ = true;
            return note_plan(report.number, moment);
        case bus::CommandKind::kLinkDown:
        case bus::CommandKind::kLinkUp:
            break;
    }
    if (up && up_.contains(report.link)) return;
    events_.add(
        {"info", "scheduler", up ? "link-enabled" : "link-down", report.link,
         link_to(report.link, NodeNumber{report.number}) +
             (up ? " is enabled again by the operator"
                 : std::string(" is down: ") + in_words(bus::LinkDownReason::kAdministrative))},
        moment.wall);
}

// Version and drain mode are in the status, too: a reload, or another supervisor, changes them.
void NodeView::note_plan(std::uint64_t version, const Moment &moment) {
    if (version == std::exchange(plan_version_, version)) return;
    events_.add({"info", "scheduler", "plan-changed", kNoLink,
                 "version " + std::to_string(version) + " of the contact plan is in force"},
                moment.wall);
}

// A node starts without drain mode.
void NodeView::note_drain(bool drained, const Moment &moment) {
    if (drained == std::exchange(drained_, drained)) return;
    events_.add({drained ? "warning" : "info", "ingress", drained ? "drained" : "resumed", kNoLink,
                 drained ? "drain mode on: new bundles are rejected"
                         : "drain mode off: new bundles are accepted"},
                moment.wall);
}

void NodeView::note(const NodeEvent &event, const Moment &moment) {
    events_.add(event, moment.wall);
}

void NodeView::handle_second(const Moment &moment) {
    for (const LostModules::Change &change : lost_modules_.take_changes())
        events_.add(event_of(change.module, change.lost), change.wall);
    state_.measure_processes(core_, moment.now);
    history_.begin_point(moment.wall);
    history_.octets("in", core_.value(bus::AgentId::kIngress, IngressCounter::kReceivedBytes));
    history_.octets("out",
                    core_.value(bus::AgentId::kEgress, EgressCounter::kForwardedBytes) +
                        core_.value(bus::AgentId::kIngress, IngressCounter::kForwardedBytes));
    history_.level("stored", core_.ledger().stored);
    (void)document(moment);
    for (const auto &[number, link] : state_.links().json().items()) {
        const auto received = link.find(kInBytes);
        if (received == link.end()) continue;
        const auto direction = link.value("direction", std::string());
        if (direction != "out")
            history_.octets("link." + number + ".in", received->get<std::uint64_t>());
        if (direction != "in")
            history_.octets("link." + number + ".out", link[kOutBytes].get<std::uint64_t>());
    }
    note_flaps(moment);
    watch_refusals(moment);
    watch_alarms(moment);
    if (!lifetime_) return;
    const auto up = std::chrono::duration_cast<seconds>(moment.now - started_);
    state_.show_lifetime(lifetime_->document(flow_totals(core_), up));
}

void NodeView::watch_alarms(const Moment &moment) {
    AlarmFacts facts = alarm_inputs_.facts(core_, state_, storage_full_.on(), moment.wall);
    facts.storage_recovers = storage_full_.recovers();
    state_.set_degraded(degraded_words(facts));
    for (AlarmChange &change : alarms_.look(facts, moment.wall, moment.now)) {
        const Alarm &alarm = change.alarm;
        const bool critical = alarm.severity == Severity::kCritical;
        if (!has_own_event(alarm.name()))
            events_.add({change.raised ? (critical ? "error" : "warning") : "info", "telemetry",
                         change.raised ? "alarm" : "alarm-ended", alarm.condition.subject.link,
                         alarm_event_text(change)},
                        moment.wall);
        if (alarm_changes_.size() < kMostAlarmChanges) alarm_changes_.push_back(std::move(change));
    }
    if (std::exchange(alarms_shown_, alarms().revision()) != alarms().revision())
        state_.set_alarms(active_alarms(alarms()));
}

void NodeView::set_alarms_config(const config::AlarmsConfig &config) {
    alarms_config_ = config;
    alarms_.set_config(config);
}

std::vector<AlarmChange> NodeView::take_alarm_changes() {
    return std::exchange(alarm_changes_, {});
}

void NodeView::publish(ConditionEpisode::Edge edge, const NodeEvent &begun, const NodeEvent &over,
                       const Moment &moment) {
    if (edge == ConditionEpisode::Edge::kBegins) events_.add(begun, moment.wall);
    if (edge == ConditionEpisode::Edge::kEnds) events_.add(over, moment.wall);
}

void NodeView::watch_refusals(const Moment &moment) {
    const auto refused =
        refused_.look(core_.value(bus::AgentId::kEgress, EgressCounter::kRefused), moment.now);
    publish(refused,
            {"warning", "egress", "refused", kNoLink,
             "neighbours are refusing bundles; see the counts by link: farlinkctl show "
             "/api/v1/links"},
            {"info", "egress", "refused", kNoLink,
             std::string("no bundle refused by a neighbour for ") + kCalmWords +
                 "; refused before: " + std::to_string(refused_.sum())},
            moment);
    // Bundles refused to their sender or custodian are not lost.
    const auto elsewhere =
        core_.value(bus::AgentId::kIngress, IngressCounter::kDeletedNoResources) +
        core_.value(bus::AgentId::kIngress, IngressCounter::kDeletedDrained);
    const std::uint64_t all = core_.ledger().deleted();
    const auto deleted = deleted_.look(all - std::min(all, elsewhere), moment.now);
    publish(deleted,
            {"warning", "ingress", "deleted", kNoLink,
             "bundles are being deleted; see the counts by reason: farlinkctl metrics"},
            {"info", "ingress", "deleted", kNoLink,
             std::string("no bundle deleted for ") + kCalmWords +
                 "; deleted before: " + std::to_string(deleted_.sum())},
            moment);
    watch_storage(moment);
    watch_refused_bundles(moment);
    watch_loops(moment);
}

void NodeView::watch_loops(const Moment &moment) {
    static_assert(kLoopCalm == std::chrono::minutes(20));
    const auto loops = loops_.look(
        core_.value(bus::AgentId::kIngress, IngressCounter::kReturnedInLoop), moment.now);
    publish(loops,
            {"warning", "ingress", "routing-loop", kNoLink,
             "bundles return to this node in a routing loop; the log of ingress names their "
             "destination and the neighbours"},
            {"info", "ingress", "routing-loop", kNoLink,
             "no bundle has returned in a routing loop for 20 minutes; returned before: " +
                 std::to_string(loops_.sum())},
            moment);
}

void NodeView::watch_storage(const Moment &moment) {
    // The first bundle that waits counts, too.
    // A bundle that is too large leaves room for others.
    const auto refused = core_.value(bus::AgentId::kStorage, StorageCounter::kRefused) -
                         core_.value(bus::AgentId::kStorage, StorageCounter::kRefusedTooLarge);
    const bool rises = refused > no_room_before_;
    no_room_before_ = refused;
    const bool waits = core_.value(bus::AgentId::kIngress, IngressCounter::kWithoutRoom) > 0;
    const auto stored = core_.value(bus::AgentId::kStorage, StorageCounter::kStoredTotal);
    // While its reserve is missing it would refuse every bundle, and senders know: none may come.
    const bool closed = core_.storage() && core_.storage()->reserve_missing;
    const bool refuses = rises || waits;
    if (refuses || closed) stored_before_ = stored;
    const bool accepts = stored > stored_before_;
    const auto edge = storage_full_.look(
        {.refuses = refuses,
         .reserve_missing = closed,
         .disks_full = core_.storage() && all_full(*core_.storage()),
         .has_room = !core_.storage() || has_room(*core_.storage(), store_bytes_),
         .accepts = accepts},
        moment.now);
    publish(edge,
            {"error", "storage", "storage-full", kNoLink,
             storage_full_.for_reserve()
                 ? "storage accepts no bundles until its reserve for a shutdown is complete"
                 : "storage refuses bundles: it is full, a quota or another limit is reached, or "
                   "no disk works"},
            {"info", "storage", "storage-full", kNoLink,
             accepts ? std::string("storage accepts bundles again")
                     : std::string("storage has free space; no bundle refused for ") + kCalmWords},
            moment);
}

// One event when it begins, one when it ends.
void NodeView::watch_refused_bundles(const Moment &moment) {
    const std::uint64_t waiting = core_.value(bus::AgentId::kStorage, StorageCounter::kRefusedNow);
    if ((waiting > 0) == std::exchange(neighbours_refuse_, waiting > 0)) return;
    if (waiting > 0)
        events_.add({"warning", "storage", "refused-by-neighbour", kNoLink,
                     counted(waiting, "bundle") + (waiting == 1 ? " waits" : " wait") +
                         ": refused or not acknowledged by a neighbour"},
                    moment.wall);
    else
        events_.add({"info", "storage", "refused-by-neighbour", kNoLink,
                     "no bundles refused or not acknowledged by a neighbour are waiting any more"},
                    moment.wall);
}

const Json &NodeView::document(const Moment &moment) {
    for (const LinkId link : removed_)
        if (core_.links().find(link) == nullptr) state_.remove(link);
    removed_.clear();
    state_.update(core_);
    return state_.document(moment.now, moment.wall);
}

std::string NodeView::metrics() const {
    return metrics_text(core_, state_, version_) +
           alarm_metrics(alarms(), alarms_config_, hook_counts_);
}

Json NodeView::custody(const Moment &moment) {
    const std::vector<std::uint64_t> values = core_.values(bus::AgentId::kStorage);
    Json counters = Json::object();
    for (const auto &row : telemetry::kStorageCounters) {
        if (row.info.json.custody.empty()) continue;
        const auto at = static_cast<std::size_t>(row.id);
        counters[row.info.json.custody] = at < values.size() ? values[at] : 0;
    }
    Json pending = Json::array();
    for (const Json &each : document(moment)["pending"])
        if (each.value("custodyBundles", std::uint64_t{0}) > 0) pending.push_back(each);
    return {{"counters", std::move(counters)}, {"pending", std::move(pending)}};
}

}  // namespace farlink::telemetry
