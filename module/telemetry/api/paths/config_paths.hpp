// SPDX-License-Identifier: Apache-2.0
// Paths that reload the configuration file, and show, undo and save what commands have changed.
// Plain functions, in the table of Api.
// One thread; each returns an answer or a command for the supervisor.
#pragma once

#include "module/telemetry/api/request/request.hpp"

namespace farlink::telemetry::paths {

[[nodiscard]] Outcome reload_config(const Request &request);
[[nodiscard]] Outcome config_diff(const Request &request);
[[nodiscard]] Outcome revert_config(const Request &request);
[[nodiscard]] Outcome save_config(const Request &request);

}  // namespace farlink::telemetry::paths
