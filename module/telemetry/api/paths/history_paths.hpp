// SPDX-License-Identifier: Apache-2.0
// Paths of events and rates: the last ones from memory, those of a period from disk.
// Plain functions, called by Api and by those who read the disk for it; their thread.
// A period that cannot be answered is refused before the disk is read, where that can be known.
#pragma once

#include "module/telemetry/api/request/request.hpp"

namespace farlink::telemetry {

namespace paths {

[[nodiscard]] Outcome history(const Request &request);
[[nodiscard]] Outcome events(const Request &request);

}  // namespace paths

/// The answer made from what the history on disk has.
[[nodiscard]] Answer answer_of(const HistoryQuery &query, const HistoryReply &reply);

}  // namespace farlink::telemetry
