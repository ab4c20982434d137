// SPDX-License-Identifier: Apache-2.0
// What bpgen prints at its end.
// Plain functions on values.
// Any thread.
#pragma once

#include <cstdint>
#include <string>

#include "apps/bpgen/generator.hpp"

namespace farlink::bpgen {

/// `payload_bytes`: of each bundle. A line of JSON.
[[nodiscard]] std::string report_json(const GeneratorReport &report, std::uint64_t payload_bytes);
/// For people; a second line about custody if it was requested.
[[nodiscard]] std::string report_text(const GeneratorReport &report, std::uint64_t payload_bytes);

}  // namespace farlink::bpgen
