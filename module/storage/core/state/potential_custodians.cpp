// SPDX-License-Identifier: Apache-2.0
#include "module/storage/core/state/potential_custodians.hpp"

#include <algorithm>

#include "common/base/invariant.hpp"

namespace farlink::storage {

CustodianSet PotentialCustodians::extend(CustodianSet before, std::span<const NodeNumber> nodes) {
    joined_.assign(nodes.begin(), nodes.end());
    if (before != 0) {
        const Nodes &known = *sets_[before - 1].nodes;
        joined_.insert(joined_.end(), known.begin(), known.end());
    }
    std::ranges::sort(joined_);
    const auto repeats = std::ranges::unique(joined_);
    joined_.erase(repeats.begin(), repeats.end());
    const auto [place, fresh] = numbers_.try_emplace(joined_, 0);
    if (fresh) {
        if (free_.empty()) {
            sets_.emplace_back();
            free_.push_back(static_cast<CustodianSet>(sets_.size()));
        }
        place->second = free_.back();
        free_.pop_back();
        sets_[place->second - 1] = {&place->first, 0};
        for (const NodeNumber node : joined_) ++counts_[node];
    }
    const CustodianSet set = place->second;
    ++sets_[set - 1].bundles;
    let_go(before);
    return set;
}

void PotentialCustodians::let_go(CustodianSet set) {
    if (set == 0) return;
    Set &known = sets_[set - 1];
    FARLINK_INVARIANT(known.bundles > 0);
    if (--known.bundles > 0) return;
    for (const NodeNumber node : *known.nodes)
        if (const auto found = counts_.find(node); --found->second == 0) counts_.erase(found);
    numbers_.erase(numbers_.find(*known.nodes));
    known = {};
    free_.push_back(set);
}

bool PotentialCustodians::covers(CustodianSet set, NodeNumber node) const {
    return set != 0 && std::ranges::binary_search(*sets_[set - 1].nodes, node);
}

}  // namespace farlink::storage
