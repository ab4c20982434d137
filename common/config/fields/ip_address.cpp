// SPDX-License-Identifier: Apache-2.0
#include "common/config/fields/ip_address.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace farlink::config {
namespace {

using Ipv4 = std::array<std::uint8_t, 4>;
using Ipv6 = std::array<std::uint8_t, 16>;

constexpr int kBitsOfIpv4 = 32;
constexpr int kBitsOfIpv6 = 128;
/// What stands before an IPv4 address that is mapped into IPv6.
constexpr int kBitsOfMapping = kBitsOfIpv6 - kBitsOfIpv4;
constexpr std::size_t kOctetsOfMapping = kBitsOfMapping / 8;

/// The whole of `text` as a number up to `largest`, at most `digits` long.
template <class Number>
std::optional<Number> read_number(std::string_view text, int base, std::size_t digits,
                                  Number largest) {
    Number number = 0;
    const char *const end = text.data() + text.size();
    const auto [read, error] = std::from_chars(text.data(), end, number, base);
    if (error != std::errc{} || read != end || text.size() > digits || number > largest)
        return std::nullopt;
    return number;
}

std::optional<std::uint8_t> read_octet(std::string_view text) {
    if (text.size() > 1 && text.front() == '0') return std::nullopt;
    return read_number<std::uint8_t>(text, 10, 3, 255);
}

std::optional<Ipv4> read_ipv4(std::string_view text) {
    Ipv4 address{};
    for (std::size_t i = 0; i < address.size(); ++i) {
        const bool last = i + 1 == address.size();
        const std::size_t end = last ? text.size() : text.find('.');
        if (end == std::string_view::npos) return std::nullopt;
        const auto octet = read_octet(text.substr(0, end));
        if (!octet) return std::nullopt;
        address[i] = *octet;
        text.remove_prefix(last ? end : end + 1);
    }
    return address;
}

/// A run of 16-bit groups without "::", as octets.
struct Groups {
    Ipv6 octets{};
    std::size_t size = 0;

    [[nodiscard]] bool append(std::string_view group) {
        const auto number = read_number<std::uint16_t>(group, 16, 4, 0xffff);
        if (!number || size + 2 > octets.size()) return false;
        octets[size++] = static_cast<std::uint8_t>(*number >> 8);
        octets[size++] = static_cast<std::uint8_t>(*number & 0xff);
        return true;
    }
    [[nodiscard]] bool append(const Ipv4 &address) {
        if (size + address.size() > octets.size()) return false;
        std::ranges::copy(address, octets.begin() + static_cast<std::ptrdiff_t>(size));
        size += address.size();
        return true;
    }
};

/// An IPv4 address may stand for the last two groups.
std::optional<Groups> read_groups(std::string_view run, bool ipv4_may_end) {
    Groups groups;
    if (run.empty()) return groups;
    while (true) {
        const std::size_t end = std::min(run.find(':'), run.size());
        const std::string_view group = run.substr(0, end);
        const bool last = end == run.size();
        const auto ipv4 = last && ipv4_may_end ? read_ipv4(group) : std::nullopt;
        if (!(ipv4 ? groups.append(*ipv4) : groups.append(group))) return std::nullopt;
        if (last) return groups;
        run.remove_prefix(end + 1);
    }
}

std::optional<Ipv6> read_ipv6(std::string_view text) {
    const std::size_t gap = text.find("::");
    if (gap == std::string_view::npos) {
        const auto groups = read_groups(text, true);
        if (!groups || groups->size != groups->octets.size()) return std::nullopt;
        return groups->octets;
    }
    const auto before = read_groups(text.substr(0, gap), false);
    const auto after = read_groups(text.substr(gap + 2), true);
    // The gap stands for one group at least.
    if (!before || !after || before->size + after->size + 2 > before->octets.size())
        return std::nullopt;
    Ipv6 address = before->octets;
    std::copy_n(after->octets.begin(), after->size,
                address.end() - static_cast<std::ptrdiff_t>(after->size));
    return address;
}

/// Both kinds in IPv6's form, and whether it is an IPv4 address.
struct Address {
    Ipv6 octets{};
    bool ipv4 = false;
    bool mapped = false;  ///< an IPv4 address spelled as an IPv6 address
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
    const auto bits =
        read_number<int>(text.substr(slash + 1), 10, 3, short_form ? kBitsOfIpv4 : kBitsOfIpv6);
    if (!bits || *bits < 0) return std::nullopt;
    prefix.bits = *bits + (short_form ? kBitsOfMapping : 0);
    // So short a prefix covers more than the mapped addresses, and is one of IPv6.
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

bool is_any_address(std::string_view text) {
    const auto address = read_address(text);
    if (!address) return false;
    const std::size_t before = address->ipv4 ? kOctetsOfMapping : 0;
    return std::ranges::all_of(std::span(address->octets).subspan(before),
                               [](std::uint8_t octet) { return octet == 0; });
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
