// SPDX-License-Identifier: Apache-2.0
#include "common/config/fields/ip_address.hpp"

#include <arpa/inet.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

namespace farlink::config {
namespace {

using Ipv4 = std::array<std::uint8_t, 4>;
using Ipv6 = std::array<std::uint8_t, 16>;

constexpr int kBitsOfIpv4 = 32;
constexpr int kBitsOfIpv6 = 128;
/// Length of the prefix of IPv4 addresses that are mapped into IPv6.
constexpr int kBitsOfMapping = kBitsOfIpv6 - kBitsOfIpv4;
constexpr std::size_t kOctetsOfMapping = kBitsOfMapping / 8;

/// The octets of an address in the notation of inet_pton().
template <class Octets>
std::optional<Octets> read_octets(int family, std::string_view text) {
    // The copy ends with a NUL, and a NUL in the text must not end it early.
    if (text.find('\0') != std::string_view::npos) return std::nullopt;
    Octets octets{};
    if (::inet_pton(family, std::string(text).c_str(), octets.data()) != 1) return std::nullopt;
    return octets;
}

std::optional<Ipv4> read_ipv4(std::string_view text) {
    return read_octets<Ipv4>(AF_INET, text);
}

std::optional<Ipv6> read_ipv6(std::string_view text) {
    return read_octets<Ipv6>(AF_INET6, text);
}

/// The length of a prefix: decimal digits, at most `largest`.
std::optional<int> read_bits(std::string_view text, int largest) {
    constexpr std::size_t kMostDigits = 3;
    int bits = 0;
    const char *const end = text.data() + text.size();
    const auto [read, error] = std::from_chars(text.data(), end, bits);
    const bool whole = error == std::errc{} && read == end && text.size() <= kMostDigits;
    if (!whole || bits < 0 || bits > largest) return std::nullopt;
    return bits;
}

/// An address of either version in the octets of IPv6.
struct Address {
    Ipv6 octets{};
    bool ipv4 = false;
    bool mapped = false;  ///< an IPv4 address in IPv6 notation
    std::string_view zone;
};

std::optional<Address> read_address(std::string_view text) {
    constexpr std::array<std::uint8_t, kOctetsOfMapping> kMapping{0, 0, 0, 0, 0,    0,
                                                                  0, 0, 0, 0, 0xff, 0xff};
    Address address;
    if (const auto ipv4 = read_ipv4(text)) {
        std::ranges::copy(kMapping, address.octets.begin());
        std::ranges::copy(*ipv4, address.octets.begin() + kOctetsOfMapping);
        address.ipv4 = true;
        return address;
    }
    if (const std::size_t mark = text.find('%'); mark != std::string_view::npos) {
        address.zone = text.substr(mark + 1);
        if (address.zone.empty()) return std::nullopt;
        text = text.substr(0, mark);
    }
    const auto ipv6 = read_ipv6(text);
    if (!ipv6) return std::nullopt;
    address.octets = *ipv6;
    address.mapped = address.ipv4 =
        std::ranges::equal(kMapping, std::span(*ipv6).first<kOctetsOfMapping>());
    return address;
}

struct Prefix {
    Address address;
    int bits = kBitsOfIpv6;
};

std::optional<Prefix> read_prefix(std::string_view text) {
    const std::size_t slash = std::min(text.find('/'), text.size());
    const auto address = read_address(text.substr(0, slash));
    if (!address) return std::nullopt;
    Prefix prefix{*address, kBitsOfIpv6};
    if (slash == text.size()) return prefix;
    const bool short_form = address->ipv4 && !address->mapped;
    const auto bits = read_bits(text.substr(slash + 1), short_form ? kBitsOfIpv4 : kBitsOfIpv6);
    if (!bits) return std::nullopt;
    prefix.bits = *bits + (short_form ? kBitsOfMapping : 0);
    // A prefix this short covers more than the mapped addresses: it is an IPv6 prefix.
    if (prefix.bits < kBitsOfMapping) prefix.address.ipv4 = false;
    return prefix;
}

bool equal_bits(const Ipv6 &a, const Ipv6 &b, int bits) {
    const auto whole = static_cast<std::size_t>(bits / 8);
    if (!std::equal(a.begin(), a.begin() + static_cast<std::ptrdiff_t>(whole), b.begin()))
        return false;
    return bits % 8 == 0 || (a[whole] ^ b[whole]) >> (8 - bits % 8) == 0;
}

}  // namespace

bool is_ipv4_address(std::string_view text) {
    return read_ipv4(text).has_value();
}

bool is_ipv6_address(std::string_view text) {
    return !is_ipv4_address(text) && read_address(text).has_value();
}

std::optional<HostPort> read_ip_and_port(std::string_view text) {
    const auto found = split_host_port(text);
    if (!found || !(found->bracketed ? is_ipv6_address(found->host) : is_ipv4_address(found->host)))
        return std::nullopt;
    return found;
}

bool is_any_address(std::string_view text) {
    const auto address = read_address(text);
    if (!address) return false;
    const std::size_t before = address->ipv4 ? kOctetsOfMapping : 0;
    return std::ranges::all_of(std::span(address->octets).subspan(before),
                               [](std::uint8_t octet) { return octet == 0; });
}

std::string normal_address(std::string_view text) {
    const auto address = read_address(text);
    if (!address) return std::string(text);
    const std::size_t before = address->ipv4 ? kOctetsOfMapping : 0;
    std::array<char, INET6_ADDRSTRLEN> normal{};
    ::inet_ntop(address->ipv4 ? AF_INET : AF_INET6, address->octets.data() + before, normal.data(),
                normal.size());
    const std::string zone = address->zone.empty() ? "" : '%' + std::string(address->zone);
    return normal.data() + zone;
}

bool is_address_or_prefix(std::string_view text) {
    return read_prefix(text).has_value();
}

bool address_matches(std::string_view pattern, std::string_view address) {
    const auto prefix = read_prefix(pattern);
    const auto wanted = read_address(address);
    if (!prefix || !wanted || prefix->address.ipv4 != wanted->ipv4) return false;
    const std::string_view zone = prefix->address.zone;
    return (zone.empty() || zone == wanted->zone) &&
           equal_bits(prefix->address.octets, wanted->octets, prefix->bits);
}

}  // namespace farlink::config
