// SPDX-License-Identifier: Apache-2.0
// All that telemetry knows as metrics for Prometheus; docs/guide/api.md lists their families.
// A plain function on what the telemetry agent owns; its thread.
// Names are those of the counter tables: farlink_<module>_<what>_<unit>_total.
#pragma once

#include <string>

#include "module/telemetry/core/live_state.hpp"
#include "module/telemetry/core/telemetry_core.hpp"

namespace farlink::telemetry {

[[nodiscard]] std::string metrics_text(const TelemetryCore &core, const LiveState &state,
                                       const std::string &version);

}  // namespace farlink::telemetry
