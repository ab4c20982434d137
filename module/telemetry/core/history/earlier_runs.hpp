// SPDX-License-Identifier: Apache-2.0
// What is read from the history on disk when a node starts.
// Made by the store of the history, used by the view of the node; values.
// Any thread.
#pragma once

#include <optional>
#include <vector>

#include "module/telemetry/core/history/lifetime_totals.hpp"
#include "module/telemetry/core/history/rate_row.hpp"

namespace farlink::telemetry {

struct EarlierRuns {
    std::vector<Json> events;              ///< the last ones, by their numbers
    std::vector<RateRow> rows;             ///< of the last hour, in fine steps
    std::optional<LifetimeTotals> totals;  ///< none: the first run
};

}  // namespace farlink::telemetry
