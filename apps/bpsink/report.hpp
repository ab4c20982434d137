// SPDX-License-Identifier: Apache-2.0
// The sink's result as JSON and as text.
// Plain functions; any thread.
// Rates are computed from the first to the last arrival.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "apps/bpsink/sink.hpp"
#include "apps/shared/traffic/verifier.hpp"

namespace farlink::bpsink {

[[nodiscard]] nlohmann::json report_json(const traffic::Verifier &verifier, const Sink &sink);
[[nodiscard]] std::string report_text(const nlohmann::json &report);

}  // namespace farlink::bpsink
