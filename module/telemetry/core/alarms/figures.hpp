// SPDX-License-Identifier: Apache-2.0
// Numbers and sizes in the texts of alarms; durations are in common/base/duration_words.hpp.
// Plain functions on values.
// Any thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "common/base/time.hpp"

namespace farlink::telemetry {

/// In milliseconds of DTN time.
inline constexpr DtnTime kSecondMs = 1000;
inline constexpr DtnTime kHourMs = 3600 * kSecondMs;
inline constexpr DtnTime kDayMs = 24 * kHourMs;

/// "4,120"
[[nodiscard]] std::string grouped(std::uint64_t number);
/// "4,120 bundles"; one is "1 bundle".
[[nodiscard]] std::string counted_in_groups(std::uint64_t number, std::string_view noun);
/// "512 B", "3.4 GB", in powers of 1000.
[[nodiscard]] std::string octets_in_words(std::uint64_t octets);

}  // namespace farlink::telemetry
