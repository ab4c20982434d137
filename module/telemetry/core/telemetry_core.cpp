// SPDX-License-Identifier: Apache-2.0
#include "module/telemetry/core/telemetry_core.hpp"

#include <string_view>

#include "common/bp/parse_error.hpp"
#include "common/telemetry/egress_counters.hpp"
#include "common/telemetry/ingress_counters.hpp"
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
        line += line.size() > 1 ? ",\"" : "\"";
        line += names[i].name + "\":" + std::to_string(values[i]);
    }
}

}  // namespace

TelemetryCore::TelemetryCore(std::span<const FamilyLabels> labels) {
    std::vector<FamilyLabels> families(labels.begin(), labels.end());
    families.push_back({"ingress_malformed", malformed_labels()});
    ingress_names_ = counter_names(kIngressCounters, families);
    egress_names_ = counter_names(kEgressCounters, families);
    storage_names_ = counter_names(kStorageCounters, families);
}

void TelemetryCore::handle(bus::CounterReport report) {
    bus::CounterReport &latest = latest_[static_cast<std::size_t>(report.module)];
    if (report.sequence > latest.sequence) latest = std::move(report);
}

Ledger TelemetryCore::ledger() const {
    return Ledger::from(values(bus::AgentId::kIngress), values(bus::AgentId::kEgress),
                        values(bus::AgentId::kStorage), malformed_labels());
}

std::string TelemetryCore::to_json_line() const {
    std::string line = "{";
    append_values(line, ingress_names_, values(bus::AgentId::kIngress));
    append_values(line, egress_names_, values(bus::AgentId::kEgress));
    append_values(line, storage_names_, values(bus::AgentId::kStorage));
    return line + "}";
}

}  // namespace farlink::telemetry
