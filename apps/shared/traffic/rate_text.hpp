// SPDX-License-Identifier: Apache-2.0
// Rates as text, in fitting units, and as JSON: none when the time was too short.
// Plain functions on values.
// Any thread.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>

namespace farlink::traffic {

/// "950 bit/s", "1.23 Mbit/s", "45.6 Gbit/s"
[[nodiscard]] std::string bit_rate_text(double bits_per_second);
/// "35.1 us", "1.23 ms", "4.5 s"
[[nodiscard]] std::string time_text(double seconds);
/// False: the run was too short to compute a rate of it.
[[nodiscard]] bool has_rate(std::uint64_t bundles, double seconds);
/// Adds `bundlesPerSecond` and `goodputBitsPerSec`; both are null for a run that is too short.
void add_rates(nlohmann::json &report, std::uint64_t bundles, std::uint64_t payload_bytes,
               double seconds);
/// "1234 bundles/s, 9.87 Mbit/s of payload"; or that the time was too short to measure.
[[nodiscard]] std::string rates_text(std::uint64_t bundles, std::uint64_t payload_bytes,
                                     double seconds);

}  // namespace farlink::traffic
