// SPDX-License-Identifier: Apache-2.0
#include "module/telemetry/core/telemetry_core.hpp"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

#include "common/bp/base/parse_error.hpp"
#include "common/telemetry/applications_counters.hpp"
#include "common/telemetry/egress_counters.hpp"
#include "common/telemetry/ingress_counters.hpp"
#include "common/telemetry/link_counters.hpp"
#include "common/telemetry/ltp_counters.hpp"
#include "common/telemetry/storage_counters.hpp"

namespace farlink::telemetry {
namespace {

static_assert(bp::kParseErrorCount <= kMalformedReasons);

const std::vector<std::string_view> &malformed_labels() {
    static const std::vector<std::string_view> labels = [] {
        std::vector<std::string_view> names;
        for (std::size_t i = 0; i < bp::kParseErrorCount; ++i)
            names.push_back(bp::to_string(static_cast<bp::ParseError>(i)));
        return names;
    }();
    return labels;
}

/// True when any counter, gauges apart, is above 0.
bool has_counted(const std::vector<NamedCounter> &names, const std::vector<std::uint64_t> &values) {
    for (std::size_t at = 0; at < std::min(names.size(), values.size()); ++at)
        if (!names[at].gauge && values[at] > 0) return true;
    return false;
}

using OrderedJson = nlohmann::ordered_json;

/// The counters of a module or a link. Those above 0 are printed and, with `idle_gauges`, gauges
/// of 0.
struct NamedValues {
    const std::vector<NamedCounter> &names;
    std::vector<std::uint64_t> values;
    bool idle_gauges = true;

    [[nodiscard]] bool printed(std::size_t at) const {
        return values[at] != 0 || (names[at].gauge && idle_gauges);
    }
    [[nodiscard]] std::size_t size() const { return std::min(names.size(), values.size()); }
    /// Names that `to` has not. As a vector: the object's own way to add a member searches all that
    /// are there.
    void put(OrderedJson &to) const {
        auto &members = to.get_ref<OrderedJson::object_t &>();
        for (std::size_t at = 0; at < size(); ++at)
            if (printed(at)) members.emplace_back(names[at].member, values[at]);
    }
    /// The names that version 0.1.0 had, for one minor version.
    void put_old(OrderedJson &to) const {
        auto &members = to.get_ref<OrderedJson::object_t &>();
        for (std::size_t at = 0; at < size(); ++at)
            if (printed(at) && names[at].name != names[at].member)
                members.emplace_back(names[at].name, values[at]);
    }
};

/// The first members of an object about a link of a module.
OrderedJson place_of(bus::AgentId module, LinkId link) {
    return {{"module", bus::is_ingress(module) ? "ingress" : "egress"}, {"link", link.value()}};
}

}  // namespace

TelemetryCore::TelemetryCore(std::span<const FamilyLabels> labels)
    : families_(labels.begin(), labels.end()) {
    families_.push_back({"ingress_malformed", malformed_labels()});
    families_.push_back({counter_info<LinkCounter::kLtp>().name, kLtpCounterNames});
    ingress_names_ = counter_names(kIngressCounters, families_);
    egress_names_ = counter_names(kEgressCounters, families_);
    storage_names_ = counter_names(kStorageCounters, families_);
    applications_names_ = counter_names(kApplicationsCounters, families_);
    link_names_ = counter_names(kLinkCounters, families_);
}

void TelemetryCore::handle(bus::CounterReport report) {
    bus::CounterReport &latest = module(report.module).latest;
    if (report.sequence <= latest.sequence) return;
    const std::vector<NamedCounter> *names = names_of(report.module);
    if (latest.sequence == 0 && report.sequence > 1 && names != nullptr) {
        began_late_ |= has_counted(*names, report.values);
        std::vector<std::uint64_t> &found = module(report.module).found;
        found.resize(std::max(found.size(), report.values.size()));
        for (std::size_t at = 0; at < report.values.size(); ++at) found[at] += report.values[at];
    }
    if (report.values != latest.values) ++revision_;
    latest = std::move(report);
}

const std::vector<NamedCounter> *TelemetryCore::names_of(bus::AgentId id) const {
    switch (bus::role_of(id)) {
        case bus::AgentId::kIngress:
            return &ingress_names_;
        case bus::AgentId::kEgress:
            return &egress_names_;
        case bus::AgentId::kStorage:
            return &storage_names_;
        case bus::AgentId::kApplications:
            return &applications_names_;
        default:
            return nullptr;
    }
}

void TelemetryCore::handle_death(bus::AgentId id) {
    ++revision_;
    links_.handle_death(id);
    processes_.erase(id);
    std::erase_if(histograms_, [id](const auto &entry) { return entry.first.first == id; });
    if (id == bus::AgentId::kStorage) storage_.reset();
    if (id == bus::AgentId::kApplications) endpoints_.clear();
    const std::vector<NamedCounter> *names = names_of(id);
    if (names == nullptr) return;
    Module &dead = module(id);
    dead.died = true;
    const std::vector<std::uint64_t> last = std::exchange(dead.latest, {}).values;
    dead.before.resize(std::max(dead.before.size(), last.size()));
    for (std::size_t at = 0; at < std::min(last.size(), names->size()); ++at)
        if (!(*names)[at].gauge) dead.before[at] += last[at];
}

void TelemetryCore::add_values(bus::AgentId id, std::vector<std::uint64_t> &sum) const {
    const Module &from = modules_[static_cast<std::size_t>(id)];
    for (const std::vector<std::uint64_t> *values : {&from.latest.values, &from.before}) {
        sum.resize(std::max(sum.size(), values->size()));
        for (std::size_t at = 0; at < values->size(); ++at) sum[at] += (*values)[at];
    }
}

std::vector<std::uint64_t> TelemetryCore::values(bus::AgentId role) const {
    std::vector<std::uint64_t> sum;
    for (const bus::AgentId module : bus::modules_with(kMostInstances, true))
        if (bus::role_of(module) == role) add_values(module, sum);
    return sum;
}

std::vector<std::uint64_t> TelemetryCore::values_since_start(bus::AgentId role) const {
    std::vector<std::uint64_t> sum = values(role);
    for (const bus::AgentId module : bus::modules_with(kMostInstances, true)) {
        if (bus::role_of(module) != role) continue;
        const auto &found = modules_[static_cast<std::size_t>(module)].found;
        for (std::size_t at = 0; at < std::min(found.size(), sum.size()); ++at)
            sum[at] -= std::min(sum[at], found[at]);
    }
    return sum;
}

void TelemetryCore::handle(bus::StorageReport report) {
    storage_ = std::move(report);
    ++revision_;
}

void TelemetryCore::handle(const bus::EndpointReport &report) {
    if (report.removed)
        endpoints_.erase(report.link);
    else
        endpoints_[report.link] = report;
    ++revision_;
}

void TelemetryCore::handle(const bus::HistogramReport &report) {
    histograms_[{report.module, report.kind}] = report;
    ++revision_;
}

void TelemetryCore::handle(const bus::ProcessReport &report) {
    processes_[report.module] = report;
    ++revision_;
}

std::vector<bus::ProcessReport> TelemetryCore::processes() const {
    std::vector<bus::ProcessReport> found;
    for (const auto &[module, report] : processes_)
        if (std::ranges::find(found, report.process, &bus::ProcessReport::process) == found.end())
            found.push_back(report);
    return found;
}

bus::ProcessReport TelemetryCore::all_processes() const {
    bus::ProcessReport sum;
    for (const bus::ProcessReport &each : processes()) {
        sum.cpu_ns += each.cpu_ns;
        sum.resident_bytes += each.resident_bytes;
        sum.threads += each.threads;
        sum.descriptors += each.descriptors;
    }
    return sum;
}

Ledger TelemetryCore::ledger() const {
    Ledger ledger = Ledger::from(values(bus::AgentId::kIngress), values(bus::AgentId::kEgress),
                                 values(bus::AgentId::kStorage), malformed_labels(),
                                 values(bus::AgentId::kApplications));
    for (const Module &each : modules_)
        if (each.died) ++(each.latest.last ? ledger.restarted : ledger.unreported);
    ledger.began_late = began_late_;
    return ledger;
}

std::string TelemetryCore::to_json_line() const {
    const std::array<NamedValues, 4> of_modules{
        {{ingress_names_, values(bus::AgentId::kIngress)},
         {egress_names_, values(bus::AgentId::kEgress)},
         {storage_names_, values(bus::AgentId::kStorage)},
         {applications_names_, values(bus::AgentId::kApplications), false}}};
    OrderedJson line = OrderedJson::object();
    for (const NamedValues &each : of_modules) each.put(line);
    OrderedJson of_links = OrderedJson::array();
    OrderedJson of_neighbours = OrderedJson::array();
    for (const auto &[id, link] : links_.links())
        for (const auto &[module, host] : link.hosts)
            for (const auto &[neighbour, tally] : host) {
                OrderedJson entry = place_of(module, id);
                if (!neighbour.empty()) entry["neighbour"] = neighbour;
                const NamedValues counted{link_names_, tally.values(), neighbour.empty()};
                counted.put(entry);
                counted.put_old(entry);
                (neighbour.empty() ? of_links : of_neighbours).push_back(std::move(entry));
            }
    line["links"] = std::move(of_links);
    line["neighbours"] = std::move(of_neighbours);
    for (const NamedValues &each : of_modules) each.put_old(line);
    // Neighbours choose their names: octets that are no UTF-8 are replaced.
    return line.dump(-1, ' ', true, OrderedJson::error_handler_t::replace);
}

}  // namespace farlink::telemetry
