// SPDX-License-Identifier: Apache-2.0
#include "cfdp/core/shortage_warnings.hpp"

namespace farlink::cfdp {

std::string ShortageWarnings::line_of(EntityId entity, const Shortage &since) const {
    std::string line = "warning: entity " + std::to_string(entity) + ": " + cause_ + ": ";
    line += std::to_string(since.refused) + ' ' + refused_;
    return line + ", transactions given up for other entities: " + std::to_string(since.given_up);
}

std::vector<std::string> ShortageWarnings::take(const Shortages &shortages, TimePoint now) {
    std::vector<std::string> lines;
    pending_ = shortages != printed_;
    if (!pending_ || now < next_) return lines;
    for (const auto &[entity, each] : shortages) {
        Shortage &before = printed_[entity];
        if (each == before) continue;
        lines.push_back(
            line_of(entity, {each.refused - before.refused, each.given_up - before.given_up}));
        before = each;
    }
    pending_ = false;
    next_ = now + kInterval;
    return lines;
}

}  // namespace farlink::cfdp
