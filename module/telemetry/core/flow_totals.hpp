// SPDX-License-Identifier: Apache-2.0
// The counts of `flow` in the state document, without those of earlier runs of telemetry.
// A plain function, called by the view of the node.
// One thread.
#pragma once

#include "module/telemetry/core/history/lifetime_totals.hpp"
#include "module/telemetry/core/telemetry_core.hpp"

namespace farlink::telemetry {

/// By their members in the state document; gauges are left out.
[[nodiscard]] Totals flow_totals(const TelemetryCore &core);

}  // namespace farlink::telemetry
