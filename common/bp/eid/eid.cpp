// SPDX-License-Identifier: Apache-2.0
#include "common/bp/eid/eid.hpp"

#include <algorithm>
#include <charconv>

namespace farlink::bp {
namespace {

/// A decimal number that is the whole of `text` (RFC 9758 section 3.2: no sign, no spaces).
std::optional<std::uint64_t> parse_number(std::string_view text) {
    std::uint64_t value = 0;
    const char *const end = text.data() + text.size();
    const auto [at, error] = std::from_chars(text.data(), end, value);
    if (error != std::errc{} || at != end) return std::nullopt;
    return value;
}

std::uint64_t mix(std::uint64_t value) {
    value = (value ^ (value >> 32)) * 0xd6e8feb86659fd93ULL;
    value = (value ^ (value >> 32)) * 0xd6e8feb86659fd93ULL;
    return value ^ (value >> 32);
}

bool equal_ignoring_case(std::string_view a, std::string_view b) {
    const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; };
    return std::ranges::equal(a, b, {}, lower, lower);
}

}  // namespace

std::optional<EidView> parse_ipn_ssp(std::string_view ssp) {
    const std::size_t first_dot = ssp.find('.');
    if (first_dot == std::string_view::npos) return std::nullopt;
    const std::string_view head = ssp.substr(0, first_dot);
    const std::string_view tail = ssp.substr(first_dot + 1);
    const std::size_t second_dot = tail.find('.');
    const auto service =
        parse_number(second_dot == std::string_view::npos ? tail : tail.substr(second_dot + 1));
    if (!service) return std::nullopt;
    if (second_dot == std::string_view::npos) {
        // RFC 9758 section 3.4.2: "!" is the local node.
        const auto node = head == "!" ? std::optional(kLocalNodeNumber) : parse_number(head);
        return node ? std::optional(ipn_eid(*node, *service)) : std::nullopt;
    }
    const auto allocator = parse_number(head);
    const auto node = parse_number(tail.substr(0, second_dot));
    if (!allocator || !node || *allocator > kMaxIpnPart || *node > kMaxIpnPart) return std::nullopt;
    return ipn_eid(*allocator << 32 | *node, *service);
}

bool is_dtn_ssp(std::string_view ssp) {
    if (!ssp.starts_with("//")) return false;
    const std::size_t name_end = ssp.find('/', 2);
    if (name_end == std::string_view::npos || name_end == 2) return false;
    return std::ranges::all_of(ssp, [](char c) { return c > ' ' && c < '\x7f'; });
}

std::uint64_t hash(const EidView &eid) {
    std::uint64_t state = mix(static_cast<std::uint64_t>(eid.scheme) + 1);
    state = mix(state ^ eid.node) + eid.service;
    if (!eid.name.empty()) state ^= std::hash<std::string_view>{}(eid.name);
    return mix(state);
}

Eid::Eid(const EidView &view)
    : scheme_(view.scheme), node_(view.node), service_(view.service), name_(view.name) {}

Eid::Eid(std::uint64_t node, std::uint64_t service) : Eid(ipn_eid(node, service)) {}

EidView Eid::view() const {
    return {scheme_, node_, service_, name_};
}

std::string Eid::to_string() const {
    return bp::to_string(view());
}

std::optional<Eid> Eid::parse(std::string_view uri) {
    const std::size_t colon = uri.find(':');
    if (colon == std::string_view::npos) return std::nullopt;
    // RFC 3986 section 3.1: schemes are case-insensitive.
    const std::string_view scheme = uri.substr(0, colon);
    const std::string_view ssp = uri.substr(colon + 1);
    if (equal_ignoring_case(scheme, "ipn")) {
        const auto view = parse_ipn_ssp(ssp);
        return view ? std::optional(Eid(*view)) : std::nullopt;
    }
    if (!equal_ignoring_case(scheme, "dtn")) return std::nullopt;
    if (ssp == "none") return Eid();
    if (!is_dtn_ssp(ssp)) return std::nullopt;
    return Eid(EidView{EidScheme::kDtn, 0, 0, ssp});
}

std::string to_string(const EidView &eid) {
    switch (eid.scheme) {
        case EidScheme::kNone:
            return "dtn:none";
        case EidScheme::kDtn:
            return "dtn:" + std::string(eid.name);
        case EidScheme::kOther: {
            // In a dictionary a NUL stands between the scheme and what is specific to it.
            std::string uri(eid.name);
            std::ranges::replace(uri, '\0', ':');
            return uri;
        }
        case EidScheme::kIpn:
            break;
    }
    std::string uri = "ipn:";
    if (eid.node == kLocalNodeNumber)
        uri += '!';
    else if (eid.node > kMaxIpnPart)
        uri += std::to_string(eid.node >> 32) + '.' + std::to_string(eid.node & kMaxIpnPart);
    else
        uri += std::to_string(eid.node);
    return uri + '.' + std::to_string(eid.service);
}

}  // namespace farlink::bp
