// SPDX-License-Identifier: Apache-2.0
#include "common/bp/eid/eid_pattern.hpp"

#include <string>

namespace farlink::bp {
namespace {

constexpr EidView kAnyIpn{EidScheme::kIpn, 0, 0, {}};
constexpr EidView kAnyDtn{EidScheme::kDtn, 0, 0, {}};

/// Takes `end` from the end of `text`, where it stands there.
bool take_end(std::string_view &text, std::string_view end) {
    if (!text.ends_with(end)) return false;
    text.remove_suffix(end.size());
    return true;
}

}  // namespace

std::string_view dtn_node_of(std::string_view name) {
    const std::size_t end = name.starts_with("//") ? name.find('/', 2) : std::string_view::npos;
    return end == std::string_view::npos ? std::string_view() : name.substr(0, end + 1);
}

std::optional<EidPattern> EidPattern::parse(std::string_view text) {
    if (text == "*:**") return EidPattern(Extent::kEverything, {});
    if (!text.ends_with('*') && !text.starts_with("ipn:*.")) {
        const auto endpoint = Eid::parse(text);
        if (!endpoint) return std::nullopt;
        return EidPattern(Extent::kEndpoint, endpoint->view());
    }
    if (text.starts_with("ipn:")) return parse_ipn(text.substr(4));
    if (text.starts_with("dtn:")) return parse_dtn(text.substr(4));
    return std::nullopt;
}

std::optional<EidPattern> EidPattern::parse_ipn(std::string_view ssp) {
    if (ssp == "**" || ssp == "*.*") return EidPattern(Extent::kScheme, kAnyIpn);
    const bool any_node = ssp.starts_with("*.");
    std::string whole(ssp);
    if (any_node) whole[0] = '0';
    std::string_view begin = whole;
    const bool any_service = take_end(begin, ".*");
    const bool all_of_allocator = any_service && take_end(begin, ".*");
    const std::string filled = std::string(begin) + (all_of_allocator ? ".0.0"
                                                     : any_service    ? ".0"
                                                                      : "");
    const auto endpoint = parse_ipn_ssp(filled);
    const bool one_number = ssp.find('.', 2) == std::string_view::npos;
    if (!endpoint || (any_node && !one_number)) return std::nullopt;
    EidView given = *endpoint;
    given.scheme = EidScheme::kIpn;
    if (any_node) return EidPattern(Extent::kService, given);
    return EidPattern(all_of_allocator ? Extent::kAllocator : Extent::kBelow, given);
}

std::optional<EidPattern> EidPattern::parse_dtn(std::string_view ssp) {
    if (ssp == "**" || ssp == "//**" || ssp == "//*/**")
        return EidPattern(Extent::kScheme, kAnyDtn);
    if (!take_end(ssp, "**")) (void)take_end(ssp, "*");
    if (!ssp.ends_with('/') || !is_dtn_ssp(ssp)) return std::nullopt;
    return EidPattern(Extent::kBelow, {EidScheme::kDtn, 0, 0, ssp});
}

bool EidPattern::matches(const EidView &endpoint) const {
    const EidView begin = begin_.view();
    if (extent_ == Extent::kEverything) return true;
    if (extent_ == Extent::kEndpoint) return endpoint == begin;
    if (endpoint.scheme != begin.scheme) return false;
    constexpr unsigned kAllocatorShift = 32;
    switch (extent_) {
        case Extent::kService:
            return endpoint.service == begin.service;
        case Extent::kAllocator:
            return endpoint.node >> kAllocatorShift == begin.node >> kAllocatorShift;
        case Extent::kBelow:
            return endpoint.node == begin.node && endpoint.name.starts_with(begin.name);
        default:
            return true;
    }
}

std::optional<NodeNumber> EidPattern::ipn_node() const {
    const EidView begin = begin_.view();
    if (extent_ != Extent::kBelow || begin.scheme != EidScheme::kIpn) return std::nullopt;
    return begin.node_number();
}

std::optional<std::string_view> EidPattern::dtn_node() const {
    if (extent_ != Extent::kBelow || begin_.view().scheme != EidScheme::kDtn) return std::nullopt;
    const std::string_view name = begin_.view().name;
    return dtn_node_of(name) == name ? std::optional(name) : std::nullopt;
}

bool EidPattern::depends_on_name() const {
    return begin_.view().scheme == EidScheme::kDtn && extent_ != Extent::kScheme;
}

}  // namespace farlink::bp
