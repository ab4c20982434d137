// SPDX-License-Identifier: Apache-2.0
// Octets as hexadecimal text, the format of the vectors and failure messages.
// Plain functions for tests.
// Any thread.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

#include "common/base/bytes.hpp"

namespace farlink::test {

inline unsigned hex_digit(char c) {
    if (c >= '0' && c <= '9') return static_cast<unsigned>(c - '0');
    if (c >= 'a' && c <= 'f') return static_cast<unsigned>(c - 'a' + 10);
    throw std::invalid_argument("not a hexadecimal digit");
}

inline Bytes from_hex(std::string_view text) {
    Bytes octets;
    for (std::size_t i = 0; i + 1 < text.size(); i += 2)
        octets.push_back(
            static_cast<std::uint8_t>(hex_digit(text[i]) << 4 | hex_digit(text[i + 1])));
    return octets;
}

inline std::string to_hex(ByteView octets) {
    constexpr char kDigits[] = "0123456789abcdef";
    std::string text;
    for (const std::uint8_t octet : octets) {
        text += kDigits[octet >> 4];
        text += kDigits[octet & 15];
    }
    return text;
}

}  // namespace farlink::test
