// SPDX-License-Identifier: Apache-2.0
// The reports of modules to telemetry about links, histograms and processes.
// Plain functions for agents; on the agent's thread.
// A report is sent only when it has changed.
#pragma once

#include <optional>

#include "common/bus/loop/agent_loop.hpp"
#include "common/telemetry/latency_histogram.hpp"
#include "common/telemetry/link_tallies.hpp"

namespace farlink::bus {

/// Sends every entry of `tallies` that has changed since the last call.
void send_link_reports(AgentLoop &loop, AgentId module, telemetry::LinkTallies &tallies);

/// The report about a histogram.
[[nodiscard]] HistogramReport report_of(AgentId module, LatencyKind kind,
                                        const telemetry::LatencyHistogram &histogram);

/// Sends the histogram if it has more than `known` values, and updates `known`.
void send_histogram(AgentLoop &loop, AgentId module, LatencyKind kind,
                    const telemetry::LatencyHistogram &histogram, std::uint64_t &known);

/// The system's figures of this process as a module's report; empty where there are none.
[[nodiscard]] std::optional<ProcessReport> report_process(AgentId module);

}  // namespace farlink::bus
