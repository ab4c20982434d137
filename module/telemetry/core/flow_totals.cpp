// SPDX-License-Identifier: Apache-2.0
#include "module/telemetry/core/flow_totals.hpp"

#include <algorithm>
#include <array>

#include "common/telemetry/applications_counters.hpp"
#include "common/telemetry/egress_counters.hpp"
#include "common/telemetry/ingress_counters.hpp"
#include "common/telemetry/storage_counters.hpp"

namespace farlink::telemetry {
namespace {

template <class Id, std::size_t kRows>
void add(Totals &totals, const std::array<CounterRow<Id>, kRows> &table,
         const std::vector<std::uint64_t> &values) {
    for (const CounterRow<Id> &row : table) {
        if (row.info.json.flow.empty() || row.info.gauge) continue;
        std::uint64_t &sum = totals[std::string(row.info.json.flow)];
        const auto begin = std::min(static_cast<std::size_t>(row.id), values.size());
        const auto end = std::min(begin + row.info.slots, values.size());
        for (std::size_t at = begin; at < end; ++at) sum += values[at];
    }
}

}  // namespace

Totals flow_totals(const TelemetryCore &core) {
    Totals totals;
    add(totals, kIngressCounters, core.values_since_start(bus::AgentId::kIngress));
    add(totals, kEgressCounters, core.values_since_start(bus::AgentId::kEgress));
    add(totals, kStorageCounters, core.values_since_start(bus::AgentId::kStorage));
    add(totals, kApplicationsCounters, core.values_since_start(bus::AgentId::kApplications));
    return totals;
}

}  // namespace farlink::telemetry
