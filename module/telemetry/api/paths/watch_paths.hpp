// SPDX-License-Identifier: Apache-2.0
// The path by which bundles are watched as they end.
// An entry of the API's table; a plain function on values. Any thread.
// The server reads the bundle history for the watcher.
#pragma once

#include "module/telemetry/api/request/request.hpp"

namespace farlink::telemetry::paths {

[[nodiscard]] Outcome watch_bundles(const Request &request);

}  // namespace farlink::telemetry::paths
