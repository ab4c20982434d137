// SPDX-License-Identifier: Apache-2.0
// Durations in texts that people read.
// Plain functions; the results are values.
// Any thread.
#pragma once

#include <cstdint>
#include <string>

namespace farlink {

/// "40 s", "12 min", "5.5 h" or "31 days".
[[nodiscard]] inline std::string duration_in_words(std::uint64_t whole_seconds) {
    constexpr std::uint64_t kMinute = 60;
    constexpr std::uint64_t kHour = 60 * kMinute;
    constexpr std::uint64_t kDay = 24 * kHour;
    if (whole_seconds < 2 * kMinute) return std::to_string(whole_seconds) + " s";
    if (whole_seconds < 2 * kHour) return std::to_string(whole_seconds / kMinute) + " min";
    if (whole_seconds >= 2 * kDay) return std::to_string(whole_seconds / kDay) + " days";
    const std::uint64_t tenths = whole_seconds / (kHour / 10);
    return std::to_string(tenths / 10) + '.' + std::to_string(tenths % 10) + " h";
}

/// The same; "250 ms" below ten seconds.
[[nodiscard]] inline std::string milliseconds_in_words(std::uint64_t whole_ms) {
    constexpr std::uint64_t kSecond = 1000;
    if (whole_ms < 10 * kSecond) return std::to_string(whole_ms) + " ms";
    return duration_in_words(whole_ms / kSecond);
}

}  // namespace farlink
