// SPDX-License-Identifier: Apache-2.0
#include "apps/bpinspect/input/text_octets.hpp"

#include "common/base/hex.hpp"

namespace farlink::inspect {
namespace {

bool is_blank(char c) {
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

std::optional<std::uint32_t> base64_digit(char c) {
    if (c >= 'A' && c <= 'Z') return static_cast<std::uint32_t>(c - 'A');
    if (c >= 'a' && c <= 'z') return static_cast<std::uint32_t>(c - 'a' + 26);
    if (c >= '0' && c <= '9') return static_cast<std::uint32_t>(c - '0' + 52);
    if (c == '+' || c == '-') return 62;
    if (c == '/' || c == '_') return 63;
    return std::nullopt;
}

}  // namespace

std::optional<Bytes> octets_of_hex(std::string_view text) {
    Bytes octets;
    for (std::size_t at = 0; at < text.size();) {
        const char c = text[at];
        if (is_blank(c) || c == ':' || c == ',') {
            ++at;
            continue;
        }
        if (at + 1 == text.size()) return std::nullopt;
        if (c == '0' && (text[at + 1] == 'x' || text[at + 1] == 'X')) {
            at += 2;
            continue;
        }
        const auto high = hex_digit(c);
        const auto low = hex_digit(text[at + 1]);
        if (!high || !low) return std::nullopt;
        octets.push_back(static_cast<std::uint8_t>(*high << 4 | *low));
        at += 2;
    }
    return octets;
}

std::optional<Bytes> octets_of_base64(std::string_view text) {
    Bytes octets;
    std::uint32_t bits = 0;
    std::size_t digits = 0;
    std::size_t padding = 0;
    for (const char c : text) {
        if (is_blank(c)) continue;
        if (c == '=') {
            ++padding;
            continue;
        }
        const auto digit = base64_digit(c);
        if (!digit || padding != 0) return std::nullopt;
        bits = bits << 6 | *digit;
        ++digits;
        if (digits % 4 != 1)
            octets.push_back(static_cast<std::uint8_t>(bits >> (6 - 2 * ((digits + 3) % 4))));
    }
    const bool whole = padding == 0 || (digits + padding) % 4 == 0;
    if (digits % 4 == 1 || padding > 2 || !whole) return std::nullopt;
    return octets;
}

}  // namespace farlink::inspect
