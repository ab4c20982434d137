// SPDX-License-Identifier: Apache-2.0
// What modules tell telemetry beside their counters: those of links, histograms, their process.
// Plain functions for agents; on the agent's thread.
// Nothing is sent of what has not changed.
#pragma once

#include <optional>

#include "common/bus/loop/agent_loop.hpp"
#include "common/telemetry/latency_histogram.hpp"
#include "common/telemetry/link_tallies.hpp"

namespace farlink::bus {

/// Sends every entry of `tallies` that has changed since the last call.
void send_link_reports(AgentLoop &loop, AgentId module, telemetry::LinkTallies &tallies);

/// What a HistogramReport says of a histogram.
[[nodiscard]] HistogramReport report_of(AgentId module, LatencyKind kind,
                                        const telemetry::LatencyHistogram &histogram);

/// Sends the histogram when it has grown beyond `told` values, which is set.
void send_histogram(AgentLoop &loop, AgentId module, LatencyKind kind,
                    const telemetry::LatencyHistogram &histogram, std::uint64_t &known);

/// What the system says of this process, as a module of it reports it; nothing where it says none.
[[nodiscard]] std::optional<ProcessReport> report_process(AgentId module);

}  // namespace farlink::bus
