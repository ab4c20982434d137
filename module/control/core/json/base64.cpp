// SPDX-License-Identifier: Apache-2.0
#include "module/control/core/json/base64.hpp"

#include <algorithm>

namespace farlink::control {
namespace {

constexpr std::string_view kDigits =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr unsigned kDigitBits = 6;
constexpr std::size_t kGroupOctets = 3;
constexpr std::size_t kGroupDigits = 4;

}  // namespace

std::string to_base64(ByteView octets) {
    std::string text;
    text.reserve((octets.size() + kGroupOctets - 1) / kGroupOctets * kGroupDigits);
    for (; !octets.empty(); octets = octets.subspan(std::min(kGroupOctets, octets.size()))) {
        const std::size_t size = std::min(kGroupOctets, octets.size());
        std::uint32_t group = 0;
        for (std::size_t at = 0; at < kGroupOctets; ++at)
            group = group << 8 | (at < size ? octets[at] : 0U);
        for (std::size_t digit = 0; digit < kGroupDigits; ++digit) {
            const auto shift = static_cast<unsigned>(kGroupDigits - 1 - digit) * kDigitBits;
            text += digit <= size ? kDigits[group >> shift & 63] : '=';
        }
    }
    return text;
}

std::optional<Bytes> from_base64(std::string_view text) {
    if (text.size() % kGroupDigits != 0) return std::nullopt;
    Bytes octets;
    octets.reserve(text.size() / kGroupDigits * kGroupOctets);
    for (std::size_t from = 0; from < text.size(); from += kGroupDigits) {
        const bool last = from + kGroupDigits == text.size();
        std::string_view digits = text.substr(from, kGroupDigits);
        // The last group may end in one or two of them.
        for (int i = 0; i < 2 && last && digits.ends_with('='); ++i) digits.remove_suffix(1);
        std::uint32_t group = 0;
        for (std::size_t at = 0; at < kGroupDigits; ++at) {
            const std::size_t value = at < digits.size() ? kDigits.find(digits[at]) : 0;
            if (value == std::string_view::npos) return std::nullopt;
            group = group << kDigitBits | static_cast<std::uint32_t>(value);
        }
        const std::size_t size = digits.size() - 1;
        for (std::size_t at = 0; at < kGroupOctets; ++at) {
            const auto octet = static_cast<std::uint8_t>(group >> (8 * (kGroupOctets - 1 - at)));
            if (at < size)
                octets.push_back(octet);
            else if (octet != 0)
                return std::nullopt;  // bits that no octet has
        }
    }
    return octets;
}

}  // namespace farlink::control
