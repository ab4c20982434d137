// SPDX-License-Identifier: Apache-2.0
// Writes all counters and the state as metrics for Prometheus; docs/guide/api.md describes them.
// A plain function on the state of the telemetry agent; its thread.
// Names are those of the counter tables: farlink_<module>_<what>_<unit>_total.
#pragma once

#include <string>

#include "module/telemetry/core/live_state.hpp"
#include "module/telemetry/core/telemetry_core.hpp"

namespace farlink::telemetry {

[[nodiscard]] std::string metrics_text(const TelemetryCore &core, const LiveState &state,
                                       const std::string &version);

}  // namespace farlink::telemetry
