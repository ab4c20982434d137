// SPDX-License-Identifier: Apache-2.0
// Hexadecimal digits, and octets as text that has no control characters.
// Plain functions.
// Any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "common/base/bytes.hpp"

namespace farlink {

/// The value of a digit of either case; empty for any other character.
[[nodiscard]] constexpr std::optional<std::uint8_t> hex_digit(char c) {
    if (c >= '0' && c <= '9') return static_cast<std::uint8_t>(c - '0');
    if (c >= 'a' && c <= 'f') return static_cast<std::uint8_t>(c - 'a' + 10);
    if (c >= 'A' && c <= 'F') return static_cast<std::uint8_t>(c - 'A' + 10);
    return std::nullopt;
}

inline constexpr std::string_view kHexDigits = "0123456789abcdef";

/// "0a1b"
[[nodiscard]] inline std::string hex_text(ByteView octets) {
    std::string text;
    text.reserve(2 * octets.size());
    for (const std::uint8_t octet : octets) {
        text += kHexDigits[octet >> 4];
        text += kHexDigits[octet & 15];
    }
    return text;
}

[[nodiscard]] constexpr bool is_printable(char c) {
    return c >= ' ' && c <= '~';
}

/// ASCII stays; of other octets the number: "a\x0ab". After `most` octets "...".
[[nodiscard]] inline std::string printable(std::string_view text, std::size_t most) {
    std::string plain;
    for (const char c : text.substr(0, most)) {
        if (is_printable(c))
            plain += c;
        else
            plain += "\\x" + hex_text(as_bytes({&c, 1}));
    }
    return text.size() > most ? plain + "..." : plain;
}

}  // namespace farlink
