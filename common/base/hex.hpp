// SPDX-License-Identifier: Apache-2.0
// Hexadecimal digits.
// A plain function.
// Any thread.
#pragma once

#include <cstdint>
#include <optional>

namespace farlink {

/// The value of a digit of either case; empty for any other character.
[[nodiscard]] constexpr std::optional<std::uint8_t> hex_digit(char c) {
    if (c >= '0' && c <= '9') return static_cast<std::uint8_t>(c - '0');
    if (c >= 'a' && c <= 'f') return static_cast<std::uint8_t>(c - 'a' + 10);
    if (c >= 'A' && c <= 'F') return static_cast<std::uint8_t>(c - 'A' + 10);
    return std::nullopt;
}

}  // namespace farlink
