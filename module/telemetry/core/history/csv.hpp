// SPDX-License-Identifier: Apache-2.0
// Comma-separated values (RFC 4180) of events and rates.
// Plain functions on values.
// Any thread.
#pragma once

#include <string>
#include <string_view>

#include "module/telemetry/core/text/json.hpp"

namespace farlink::telemetry {

/// One field, in quotes where it needs them.
[[nodiscard]] std::string csv_field(std::string_view text);
/// The events of a list with a header line.
[[nodiscard]] std::string events_csv(const Json &events);

}  // namespace farlink::telemetry
