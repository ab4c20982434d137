// SPDX-License-Identifier: Apache-2.0
// Paths about log levels.
// Plain functions, called by Api; its thread.
// They are the command `log level` of docs/formats/control.md.
#pragma once

#include "module/telemetry/api/request/request.hpp"

namespace farlink::telemetry::paths {

[[nodiscard]] Outcome log_levels(const Request &request);
[[nodiscard]] Outcome set_log_level(const Request &request);

}  // namespace farlink::telemetry::paths
