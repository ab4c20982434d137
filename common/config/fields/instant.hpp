// SPDX-License-Identifier: Apache-2.0
// Reads and writes times: UTC in ISO 8601, and DTN milliseconds.
// Plain functions on values, any thread.
// Only UTC is accepted: a local time without a zone is ambiguous.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "common/base/time.hpp"

namespace farlink::config {

/// The last millisecond of the year 9999.
inline constexpr DtnTime kLastUtc = 252'455'615'999'999;

/// "2026-01-02T03:04:05Z", with up to nine digits of a fraction that are whole milliseconds, from
/// the DTN epoch to the end of the year 9999. Empty for every other spelling and for dates that do
/// not exist; leap seconds have no place in DTN time.
[[nodiscard]] std::optional<DtnTime> parse_utc(std::string_view text);

/// Milliseconds of a number of seconds from 0 on; empty if it is no whole number of milliseconds.
/// Deviations below a nanosecond are rounding errors of sums in binary, and are ignored.
[[nodiscard]] std::optional<std::uint64_t> whole_milliseconds(double seconds);

/// The hint for a time that is not a whole number of milliseconds.
inline constexpr std::string_view kWholeMilliseconds =
    "a time in a plan has whole milliseconds: finer times would be rounded";

/// The inverse of parse_utc(), always with milliseconds; for moments up to the end of the year
/// 9999.
[[nodiscard]] std::string format_utc(DtnTime time);

}  // namespace farlink::config
