// SPDX-License-Identifier: Apache-2.0
#include "common/config/ip_address.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>

namespace farlink::config {
namespace {

bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

bool is_hex(char c) {
    return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

bool is_octet(std::string_view text) {
    if (text.empty() || text.size() > 3 || !std::ranges::all_of(text, is_digit)) return false;
    if (text.size() > 1 && text.front() == '0') return false;
    int value = 0;
    for (const char c : text) value = value * 10 + (c - '0');
    return value <= 255;
}

/// Number of 16-bit groups in a run of groups without "::"; a last IPv4 address counts two.
std::optional<std::size_t> count_groups(std::string_view run, bool ipv4_may_end) {
    if (run.empty()) return 0;
    std::size_t groups = 0;
    while (true) {
        const std::size_t end = std::min(run.find(':'), run.size());
        const std::string_view group = run.substr(0, end);
        const bool last = end == run.size();
        if (last && ipv4_may_end && is_ipv4_address(group)) return groups + 2;
        if (group.empty() || group.size() > 4 || !std::ranges::all_of(group, is_hex))
            return std::nullopt;
        ++groups;
        if (last) return groups;
        run.remove_prefix(end + 1);
    }
}

}  // namespace

bool is_ipv4_address(std::string_view text) {
    for (int i = 0; i < 3; ++i) {
        const std::size_t dot = text.find('.');
        if (dot == std::string_view::npos || !is_octet(text.substr(0, dot))) return false;
        text.remove_prefix(dot + 1);
    }
    return is_octet(text);
}

bool is_ipv6_address(std::string_view text) {
    if (const std::size_t zone = text.find('%'); zone != std::string_view::npos) {
        if (zone + 1 == text.size()) return false;
        text = text.substr(0, zone);
    }
    const std::size_t gap = text.find("::");
    if (gap == std::string_view::npos) return count_groups(text, true) == 8;
    const auto before = count_groups(text.substr(0, gap), false);
    const auto after = count_groups(text.substr(gap + 2), true);
    return before && after && *before + *after <= 7;
}

}  // namespace farlink::config
