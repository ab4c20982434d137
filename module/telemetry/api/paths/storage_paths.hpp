// SPDX-License-Identifier: Apache-2.0
// Paths about stored bundles and held destinations.
// Plain functions, called by Api; its thread.
// docs/formats/control.md describes the commands.
#pragma once

#include "module/telemetry/api/request/request.hpp"

namespace farlink::telemetry::paths {

[[nodiscard]] Outcome stored_bundles(const Request &request);
[[nodiscard]] Outcome find_bundle(const Request &request);
[[nodiscard]] Outcome fragment_sets(const Request &request);
[[nodiscard]] Outcome stored_bundle(const Request &request);
[[nodiscard]] Outcome stored_octets(const Request &request);
[[nodiscard]] Outcome delete_stored_bundle(const Request &request);
[[nodiscard]] Outcome delete_stored_bundles(const Request &request);
[[nodiscard]] Outcome verification(const Request &request);
[[nodiscard]] Outcome verify(const Request &request);
[[nodiscard]] Outcome cancel_verification(const Request &request);
[[nodiscard]] Outcome compaction(const Request &request);
[[nodiscard]] Outcome compact(const Request &request);
[[nodiscard]] Outcome cancel_compaction(const Request &request);
[[nodiscard]] Outcome holds(const Request &request);
[[nodiscard]] Outcome hold(const Request &request);
[[nodiscard]] Outcome release(const Request &request);

}  // namespace farlink::telemetry::paths
