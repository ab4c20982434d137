// SPDX-License-Identifier: Apache-2.0
// Whole numbers in JSON that every program reads as they are.
// A plain function.
// Any thread.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>

namespace farlink {

/// The largest whole number that is the same in all programs (RFC 8259 section 6).
inline constexpr std::uint64_t kLargestExactNumber = std::uint64_t{1} << 53;

/// A number, or text where programs disagree about so large a number.
[[nodiscard]] inline nlohmann::ordered_json exact_json(std::uint64_t number) {
    if (number <= kLargestExactNumber) return number;
    return std::to_string(number);
}

}  // namespace farlink
