// SPDX-License-Identifier: Apache-2.0
#include "module/telemetry/core/live_state.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "common/config/fields/instant.hpp"
#include "common/telemetry/applications_counters.hpp"
#include "common/telemetry/egress_counters.hpp"
#include "common/telemetry/ingress_counters.hpp"
#include "common/telemetry/storage_counters.hpp"
#include "module/telemetry/core/module_name.hpp"

namespace farlink::telemetry {
namespace {

constexpr double kMillisecondsPerSecond = 1000;
constexpr double kPercent = 100;
constexpr double kNanosecondsPerMicrosecond = 1000;
constexpr double kTenths = 10;

/// Modules report once a second.
constexpr Duration kOldAfter = seconds(3);
constexpr const char *kReportAge = "reportAgeSeconds";

/// In whole seconds.
std::int64_t age_of(TimePoint reported, TimePoint now) {
    return std::chrono::duration_cast<seconds>(now - reported).count();
}

/// Adds the counters that the table shows in `flow` and in `storage` to these objects.
template <class Id, std::size_t kRows>
void add_totals(Json &flow, Json &storage, const std::array<CounterRow<Id>, kRows> &table,
                const std::vector<std::uint64_t> &values) {
    const auto add = [](Json &object, std::string_view member, std::uint64_t more) {
        if (member.empty()) return;
        Json &sum = object[member];
        sum = more + (sum.is_null() ? 0 : sum.get<std::uint64_t>());
    };
    for (const CounterRow<Id> &row : table) {
        const auto begin = std::min(static_cast<std::size_t>(row.id), values.size());
        const auto end = std::min(begin + row.info.slots, values.size());
        std::uint64_t sum = 0;
        for (std::size_t at = begin; at < end; ++at) sum += values[at];
        add(flow, row.info.json.flow, sum);
        add(storage, row.info.json.storage, sum);
    }
}

const char *name_of(bus::DiskState state) {
    switch (state) {
        case bus::DiskState::kOk:
            return "ok";
        case bus::DiskState::kFull:
            return "full";
        case bus::DiskState::kFailing:
            return "failing";
        case bus::DiskState::kSetAside:
            return "setAside";
    }
    return "ok";
}

const char *name_of(bus::LatencyKind kind) {
    return kind == bus::LatencyKind::kCutThrough ? "cutThrough" : "storageFlush";
}

double micros(std::uint64_t nanoseconds) {
    return static_cast<double>(nanoseconds) / kNanosecondsPerMicrosecond;
}

Json empty_document(const config::NodeConfig &config, const std::string &version) {
    const NodeNumber node = config.node;
    Json document{{"node",
                   {{"id", "ipn:" + std::to_string(node.value()) + ".0"},
                    {"number", node.value()},
                    {"version", version}}},
                  {"routes", {{"version", 0}}}};
    for (const char *part : {"alarms", "endpoints", "flow", "latency", "links", "modules",
                             "pending", "plan", "process", "storage"})
        document[part] = Json::object();
    for (const bus::AgentId module :
         bus::modules_with(config.threads.instances, config.applications.wanted())) {
        document["modules"][std::string(module_name(module))] = {{"state", "starting"}};
    }
    return document;
}

}  // namespace

LiveState::LiveState(const config::NodeConfig &config, const std::string &version,
                     TimePoint started)
    : document_(empty_document(config, version)),
      started_(started),
      links_(document_["links"], config) {}

void LiveState::show_storage(const bus::StorageReport &report) {
    Json disks = Json::object();
    for (std::size_t i = 0; i < report.disks.size(); ++i) {
        const bus::DiskReport &disk = report.disks[i];
        disks[std::to_string(i)] = {{"path", std::string(as_text(disk.path))},
                                    {"state", name_of(disk.state)},
                                    {"usedBytes", disk.used_bytes},
                                    {"capacityBytes", disk.capacity_bytes}};
    }
    document_["storage"]["disks"] = std::move(disks);
    Json pending = Json::object();
    for (const bus::PendingReport &each : report.pending) {
        const std::string name(as_text(each.name));
        Json &of = pending[name.empty() ? std::to_string(each.destination.value()) : name];
        of = {{"destination", each.destination.value()},
              {"bundles", each.bundles},
              {"bytes", each.bytes},
              {"custodyBundles", each.custody_bundles}};
        if (!name.empty()) of["name"] = name;
        if (each.next_expiry <= config::kLastUtc)
            of["nextExpiry"] = config::format_utc(each.next_expiry);
    }
    document_["pending"] = std::move(pending);
    document_["storage"]["destinations"] = report.destinations;
}

// What waits is with the module of applications, and in storage.
void LiveState::show_endpoints(const TelemetryCore &core) {
    Json endpoints = Json::object();
    for (const auto &[link, each] : core.endpoints()) {
        const std::string name(as_text(each.endpoint));
        const auto stored = document_["pending"].find(name);
        const Json none = Json::object();
        const Json &waiting = stored == document_["pending"].end() ? none : *stored;
        endpoints[name] = {{"endpoint", name},
                           {"link", link.value()},
                           {"configured", each.configured},
                           {"receivers", each.receivers},
                           {"connections", each.connections},
                           {"waitingBundles", each.waiting},
                           {"waitingBytes", each.waiting_bytes},
                           {"leasedBundles", each.leased},
                           {"storedBundles", waiting.value("bundles", std::uint64_t{0})},
                           {"storedBytes", waiting.value("bytes", std::uint64_t{0})},
                           {"deliveredBundles", each.delivered},
                           {"deliveredBytes", each.delivered_bytes},
                           {"sentBundles", each.sent},
                           {"sentBytes", each.sent_bytes}};
    }
    document_["endpoints"] = std::move(endpoints);
}

void LiveState::measure_processes(const TelemetryCore &core, TimePoint now) {
    const bus::ProcessReport sum = core.all_processes();
    if (sum.resident_bytes == 0) return;
    Json &process = document_["process"];
    process["residentBytes"] = sum.resident_bytes;
    process["threads"] = sum.threads;
    process["descriptors"] = sum.descriptors;
    const double passed = static_cast<double>((now - measured_).count());
    if (measured_ != TimePoint{} && passed > 0 && sum.cpu_ns >= cpu_ns_) {
        const double percent = kPercent * static_cast<double>(sum.cpu_ns - cpu_ns_) / passed;
        process["cpuPercent"] = std::round(percent * kTenths) / kTenths;
    }
    cpu_ns_ = sum.cpu_ns;
    measured_ = now;
}

void LiveState::update(const TelemetryCore &core) {
    const LinkCounterTable &board = core.links();
    for (const auto &[id, known] : board.links())
        if (known.revision > seen_links_) links_.update(id, known);
    seen_links_ = board.revision();
    if (std::exchange(seen_, core.revision()) == core.revision()) return;
    show_totals(core);
    if (core.storage()) show_storage(*core.storage());
    show_endpoints(core);
    for (const auto kind : {bus::LatencyKind::kCutThrough, bus::LatencyKind::kStorageFlush})
        show_latency(core, kind);
}

// Percentiles cannot be added: those of the slowest instance are shown.
void LiveState::show_latency(const TelemetryCore &core, bus::LatencyKind kind) {
    bus::HistogramReport all;
    bool known = false;
    for (const auto &[key, report] : core.histograms()) {
        if (key.second != kind) continue;
        known = true;
        all.count += report.count;
        all.p50_ns = std::max(all.p50_ns, report.p50_ns);
        all.p90_ns = std::max(all.p90_ns, report.p90_ns);
        all.p99_ns = std::max(all.p99_ns, report.p99_ns);
        all.p999_ns = std::max(all.p999_ns, report.p999_ns);
        all.max_ns = std::max(all.max_ns, report.max_ns);
    }
    if (!known) return;
    document_["latency"][name_of(kind)] = {
        {"p50Micros", micros(all.p50_ns)}, {"p90Micros", micros(all.p90_ns)},
        {"p99Micros", micros(all.p99_ns)}, {"p999Micros", micros(all.p999_ns)},
        {"maxMicros", micros(all.max_ns)}, {"count", all.count}};
}

void LiveState::handle(const bus::RouteUpdate &update) {
    document_["routes"]["version"] = ++routes_version_;
    Json held = Json::object();
    for (const NodeNumber node : update.held) held[std::to_string(node.value())] = true;
    document_["storage"]["held"] = std::move(held);
}

void LiveState::handle_status(const Json &status) {
    if (const auto drained = status.find("drained");
        drained != status.end() && drained->is_boolean())
        document_["node"]["drained"] = *drained;
    if (const auto modules = status.find("modules");
        modules != status.end() && modules->is_object())
        for (const auto &[name, state] : modules->items())
            if (state.is_string()) document_["modules"][name] = {{"state", state}};
    if (const auto plan = status.find("plan"); plan != status.end() && plan->is_object())
        document_["plan"] = *plan;
    if (const auto links = status.find("links"); links != status.end() && links->is_array())
        links_.handle_status(*links);
}

void LiveState::handle_lost(bus::AgentId module) {
    if (module == bus::AgentId::kSupervisor) return;
    document_["modules"][std::string(module_name(module))] = {{"state", "lost"}};
}

void LiveState::handle_silence() {
    Json &scheduler = document_["modules"][std::string(module_name(bus::AgentId::kScheduler))];
    if (scheduler["state"] == "ready") scheduler["state"] = "silent";
}

void LiveState::show_totals(const TelemetryCore &core) {
    Json flow = Json::object();
    Json storage = Json::object();
    add_totals(flow, storage, kIngressCounters, core.values(bus::AgentId::kIngress));
    add_totals(flow, storage, kEgressCounters, core.values(bus::AgentId::kEgress));
    add_totals(flow, storage, kStorageCounters, core.values(bus::AgentId::kStorage));
    add_totals(flow, storage, kApplicationsCounters, core.values(bus::AgentId::kApplications));
    document_["flow"] = std::move(flow);
    document_["storage"].update(storage);
}

// A report that is a little late makes no figure old.
void LiveState::show_ages(TimePoint now) {
    for (const auto &[module, at] : reported_) {
        const auto row = document_["modules"].find(std::string(module_name(module)));
        if (row == document_["modules"].end()) continue;
        if (now - at < kOldAfter)
            row->erase(kReportAge);
        else
            (*row)[kReportAge] = age_of(at, now);
    }
}

Json LiveState::figure_ages(std::initializer_list<bus::AgentId> roles, TimePoint now) const {
    Json ages = Json::object();
    for (const auto &[module, at] : reported_) {
        if (std::ranges::find(roles, bus::role_of(module)) == roles.end()) continue;
        if (now - at >= kOldAfter) ages[std::string(module_name(module))] = age_of(at, now);
    }
    return ages;
}

const Json &LiveState::document(TimePoint now, DtnTime wall) {
    show_ages(now);
    Json &node = document_["node"];
    node["time"] = config::format_utc(wall);
    const auto up = std::chrono::duration_cast<milliseconds>(now - started_).count();
    node["uptimeSeconds"] = static_cast<double>(up) / kMillisecondsPerSecond;
    node["ready"] = ready();
    node["degraded"] = degraded_;
    return document_;
}

bool LiveState::ready() const {
    return not_ready().empty();
}

Json LiveState::not_ready() const {
    Json list = Json::object();
    for (const auto &[name, module] : document_["modules"].items())
        if (module["state"] != "ready") list[name] = module["state"];
    return list;
}

}  // namespace farlink::telemetry
