// SPDX-License-Identifier: Apache-2.0
// Paths that change links, and the one that pings.
// Plain functions, called by Api; its thread.
// docs/formats/control.md describes the commands.
#pragma once

#include "module/telemetry/api/request/request.hpp"

namespace farlink::telemetry::paths {

[[nodiscard]] Outcome link_up(const Request &request);
[[nodiscard]] Outcome link_down(const Request &request);
[[nodiscard]] Outcome add_link(const Request &request);
[[nodiscard]] Outcome change_link(const Request &request);
[[nodiscard]] Outcome remove_link(const Request &request);
[[nodiscard]] Outcome override_link(const Request &request);
[[nodiscard]] Outcome ping(const Request &request);

}  // namespace farlink::telemetry::paths
