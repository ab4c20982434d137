// SPDX-License-Identifier: Apache-2.0
#include "common/bus/loop/telemetry_reports.hpp"

#include "common/runtime/process/process_figures.hpp"

namespace farlink::bus {

void send_link_reports(AgentLoop &loop, AgentId module, telemetry::LinkTallies &tallies) {
    while (const auto changed = tallies.poll_changed())
        loop.send(AgentId::kTelemetry,
                  LinkReport{module,
                             changed->link,
                             {changed->neighbour.begin(), changed->neighbour.end()},
                             changed->counters.short_snapshot()});
}

HistogramReport report_of(AgentId module, LatencyKind kind, const telemetry::LatencyHistogram &all,
                          const telemetry::LatencyHistogram &recent) {
    return {.module = module,
            .kind = kind,
            .count = all.count(),
            .sum_ns = all.sum(),
            .p50_ns = recent.percentile(50),
            .p90_ns = recent.percentile(90),
            .p99_ns = recent.percentile(99),
            .p999_ns = recent.percentile(99.9),
            .max_ns = all.largest()};
}

void send_histogram(AgentLoop &loop, AgentId module, LatencyKind kind,
                    const telemetry::LatencyHistogram &histogram, ReportedHistogram &reported,
                    TimePoint now) {
    const telemetry::LatencyHistogram recent = reported.window.recent(histogram, now);
    if (reported.count == histogram.count() && reported.recent == recent.count()) return;
    reported.count = histogram.count();
    reported.recent = recent.count();
    loop.send(AgentId::kTelemetry, report_of(module, kind, histogram, recent));
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
