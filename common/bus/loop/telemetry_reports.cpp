// SPDX-License-Identifier: Apache-2.0
#include "common/bus/loop/telemetry_reports.hpp"

#include <utility>

#include "common/runtime/process_figures.hpp"

namespace farlink::bus {

void send_link_reports(AgentLoop &loop, AgentId module, telemetry::LinkTallies &tallies) {
    while (const auto changed = tallies.poll_changed())
        loop.send(AgentId::kTelemetry,
                  LinkReport{module,
                             changed->link,
                             {changed->neighbour.begin(), changed->neighbour.end()},
                             changed->counters.short_snapshot()});
}

HistogramReport report_of(AgentId module, LatencyKind kind,
                          const telemetry::LatencyHistogram &histogram) {
    return {.module = module,
            .kind = kind,
            .count = histogram.count(),
            .sum_ns = histogram.sum(),
            .p50_ns = histogram.percentile(50),
            .p90_ns = histogram.percentile(90),
            .p99_ns = histogram.percentile(99),
            .p999_ns = histogram.percentile(99.9),
            .max_ns = histogram.largest()};
}

void send_histogram(AgentLoop &loop, AgentId module, LatencyKind kind,
                    const telemetry::LatencyHistogram &histogram, std::uint64_t &known) {
    if (std::exchange(known, histogram.count()) == histogram.count()) return;
    loop.send(AgentId::kTelemetry, report_of(module, kind, histogram));
}

std::optional<ProcessReport> report_process(AgentId module) {
    const auto figures = read_process_figures();
    if (!figures) return std::nullopt;
    return ProcessReport{.module = module,
                         .process = figures->process,
                         .cpu_ns = figures->cpu_ns,
                         .resident_bytes = figures->resident_bytes,
                         .threads = figures->threads,
                         .descriptors = figures->descriptors};
}

}  // namespace farlink::bus
