// SPDX-License-Identifier: Apache-2.0
#include "module/telemetry/core/telemetry_core.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

#include "common/bp/parse_error.hpp"
#include "common/telemetry/egress_counters.hpp"
#include "common/telemetry/ingress_counters.hpp"
#include "common/telemetry/link_counters.hpp"
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

void append_values(std::string &line, const std::vector<NamedCounter> &names,
                   const std::vector<std::uint64_t> &values) {
    for (std::size_t i = 0; i < names.size() && i < values.size(); ++i) {
        if (values[i] == 0 && !names[i].gauge) continue;
        if (line.back() != '{') line += ',';
        line += '"';
        line += names[i].name + "\":" + std::to_string(values[i]);
    }
}

/// Neighbours choose their names: whatever octets they are, they become a JSON string.
std::string quoted(const std::string &text) {
    return nlohmann::json(text).dump(-1, ' ', true, nlohmann::json::error_handler_t::replace);
}

}  // namespace

TelemetryCore::TelemetryCore(std::span<const FamilyLabels> labels)
    : families_(labels.begin(), labels.end()) {
    families_.push_back({"ingress_malformed", malformed_labels()});
    ingress_names_ = counter_names(kIngressCounters, families_);
    egress_names_ = counter_names(kEgressCounters, families_);
    storage_names_ = counter_names(kStorageCounters, families_);
    link_names_ = counter_names(kLinkCounters, families_);
}

void TelemetryCore::handle(bus::CounterReport report) {
    bus::CounterReport &latest = module(report.module).latest;
    if (report.sequence > latest.sequence) latest = std::move(report);
}

const std::vector<NamedCounter> *TelemetryCore::names_of(bus::AgentId id) const {
    switch (id) {
        case bus::AgentId::kIngress:
            return &ingress_names_;
        case bus::AgentId::kEgress:
            return &egress_names_;
        case bus::AgentId::kStorage:
            return &storage_names_;
        default:
            return nullptr;
    }
}

void TelemetryCore::handle_death(bus::AgentId id) {
    ++deaths_;
    const std::vector<NamedCounter> *names = names_of(id);
    if (names == nullptr) return;
    Module &dead = module(id);
    const std::vector<std::uint64_t> last = std::exchange(dead.latest, {}).values;
    dead.before.resize(std::max(dead.before.size(), last.size()));
    for (std::size_t at = 0; at < std::min(last.size(), names->size()); ++at)
        if (!(*names)[at].gauge) dead.before[at] += last[at];
}

std::vector<std::uint64_t> TelemetryCore::values(bus::AgentId id) const {
    const Module &from = modules_[static_cast<std::size_t>(id)];
    std::vector<std::uint64_t> sum = from.latest.values;
    sum.resize(std::max(sum.size(), from.before.size()));
    for (std::size_t at = 0; at < from.before.size(); ++at) sum[at] += from.before[at];
    return sum;
}

void TelemetryCore::handle(bus::LinkReport report) {
    links_[{report.module, report.link, std::string(as_text(report.neighbour))}] =
        std::move(report.values);
}

void TelemetryCore::forget(bus::AgentId module, LinkId link) {
    auto at = links_.lower_bound({module, link, {}});
    while (at != links_.end() && std::get<0>(at->first) == module && std::get<1>(at->first) == link)
        at = links_.erase(at);
}

Ledger TelemetryCore::ledger() const {
    Ledger ledger = Ledger::from(values(bus::AgentId::kIngress), values(bus::AgentId::kEgress),
                                 values(bus::AgentId::kStorage), malformed_labels());
    ledger.deaths = deaths_;
    return ledger;
}

std::string TelemetryCore::to_json_line() const {
    std::string line = "{";
    append_values(line, ingress_names_, values(bus::AgentId::kIngress));
    append_values(line, egress_names_, values(bus::AgentId::kEgress));
    append_values(line, storage_names_, values(bus::AgentId::kStorage));
    append_neighbours(line);
    return line + "}";
}

void TelemetryCore::append_neighbours(std::string &line) const {
    if (links_.empty()) return;
    if (line.back() != '{') line += ',';
    line += "\"neighbours\":[";
    for (const auto &[key, values] : links_) {
        const auto &[module, link, neighbour] = key;
        if (line.back() != '[') line += ',';
        line += std::string("{\"module\":\"") +
                (module == bus::AgentId::kIngress ? "ingress" : "egress") +
                "\",\"link\":" + std::to_string(link.value()) +
                ",\"neighbour\":" + quoted(neighbour);
        append_values(line, link_names_, values);
        line += '}';
    }
    line += ']';
}

}  // namespace farlink::telemetry
