// SPDX-License-Identifier: Apache-2.0
// The reports of modules to telemetry about links, histograms and processes.
// Plain functions for agents; on the agent's thread.
// A report is sent only when it has changed.
#pragma once

#include <optional>

#include "common/bus/loop/agent_loop.hpp"
#include "common/telemetry/latency_window.hpp"
#include "common/telemetry/link_tallies.hpp"

namespace farlink::bus {

/// Sends every entry of `tallies` that has changed since the last call.
void send_link_reports(AgentLoop &loop, AgentId module, telemetry::LinkTallies &tallies);

/// A histogram as it was last reported.
struct ReportedHistogram {
    telemetry::LatencyWindow window{};
    std::uint64_t count = 0;   ///< of all values
    std::uint64_t recent = 0;  ///< of those within the window
};

/// The report about a histogram: count and sum of all values, percentiles of the recent ones.
[[nodiscard]] HistogramReport report_of(AgentId module, LatencyKind kind,
                                        const telemetry::LatencyHistogram &all,
                                        const telemetry::LatencyHistogram &recent);

/// Sends the report when a value has come, or left the window.
void send_histogram(AgentLoop &loop, AgentId module, LatencyKind kind,
                    const telemetry::LatencyHistogram &histogram, ReportedHistogram &reported,
                    TimePoint now);

/// The system's figures of this process as a module's report; empty where there are none.
[[nodiscard]] std::optional<ProcessReport> report_process(AgentId module);

}  // namespace farlink::bus
