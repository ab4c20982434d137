// SPDX-License-Identifier: Apache-2.0
// Paths that telemetry answers from its own view of the node.
// Plain functions, called by Api; its thread.
// They read the view only; no module is asked.
#pragma once

#include "module/telemetry/api/request/request.hpp"

namespace farlink::telemetry::paths {

[[nodiscard]] Outcome healthz(const Request &request);
[[nodiscard]] Outcome readyz(const Request &request);
[[nodiscard]] Outcome metrics(const Request &request);
[[nodiscard]] Outcome state(const Request &request);
[[nodiscard]] Outcome session(const Request &request);
[[nodiscard]] Outcome alarms(const Request &request);
[[nodiscard]] Outcome config(const Request &request);
[[nodiscard]] Outcome links(const Request &request);
[[nodiscard]] Outcome link(const Request &request);
[[nodiscard]] Outcome storage(const Request &request);
[[nodiscard]] Outcome endpoints(const Request &request);
[[nodiscard]] Outcome custody(const Request &request);

}  // namespace farlink::telemetry::paths
