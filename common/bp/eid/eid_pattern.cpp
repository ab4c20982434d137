// SPDX-License-Identifier: Apache-2.0
#include "common/bp/eid/eid_pattern.hpp"

#include <string>

namespace farlink::bp {

std::optional<EidPattern> EidPattern::parse(std::string_view text) {
    EidPattern pattern;
    std::string whole(text);
    pattern.all_ = whole.ends_with('*');
    if (pattern.all_) whole.pop_back();
    const bool ipn = whole.starts_with("ipn:");
    if (pattern.all_ && !whole.ends_with(ipn ? '.' : '/')) return std::nullopt;
    if (pattern.all_ && ipn) whole += '0';
    const auto endpoint = Eid::parse(whole);
    if (!endpoint) return std::nullopt;
    pattern.begin_ = *endpoint;
    return pattern;
}

bool EidPattern::matches(const EidView &endpoint) const {
    const EidView begin = begin_.view();
    if (!all_) return endpoint == begin;
    if (endpoint.scheme != begin.scheme || endpoint.node != begin.node) return false;
    return endpoint.name.starts_with(begin.name);
}

}  // namespace farlink::bp
