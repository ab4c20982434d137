// SPDX-License-Identifier: Apache-2.0
// What is written to the history at a time.
// Made by NodeHistory, passed to the thread of the store; a value.
// One thread at a time.
#pragma once

#include <string>
#include <vector>

#include "module/telemetry/core/history/rate_row.hpp"
#include "module/telemetry/core/text/json.hpp"

namespace farlink::telemetry {

struct HistoryBatch {
    Json events = Json::array();
    std::vector<RateRow> rows{};
    std::string totals{};  ///< the text of their file; empty: it is not written, nothing is flushed
    DtnTime wall = 0;
};

}  // namespace farlink::telemetry
