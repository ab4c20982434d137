// SPDX-License-Identifier: Apache-2.0
// The potential custodians of a bundle in custody, whose custody signals count for it: its
// destination and the nodes on every route that it was given. A bundle keeps the number of such a
// set. Owned by Custodian; one thread. Bundles of one flow have the same set nearly always, so
// there are few, and each is kept as long as a bundle names it.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "common/base/types.hpp"

namespace farlink::storage {

/// 0: the empty set.
using CustodianSet = std::uint32_t;

class PotentialCustodians {
public:
    /// The set of those in `before`, which one bundle names no more, and these; the bundle names
    /// it now.
    [[nodiscard]] CustodianSet extend(CustodianSet before, std::span<const NodeNumber> nodes);
    /// A bundle that has named it is gone.
    void let_go(CustodianSet set);

    [[nodiscard]] bool covers(CustodianSet set, NodeNumber node) const;
    /// It is in the set, and no other.
    [[nodiscard]] bool covers_only(CustodianSet set, NodeNumber node) const {
        return set != 0 && sets_[set - 1].nodes->size() == 1 && covers(set, node);
    }
    /// Some bundle may be answered by that node.
    [[nodiscard]] bool any_covers(NodeNumber node) const { return counts_.contains(node); }
    [[nodiscard]] std::size_t size() const { return numbers_.size(); }

private:
    using Nodes = std::vector<NodeNumber>;  ///< ascending
    struct Set {
        const Nodes *nodes = nullptr;  ///< a key of numbers_
        std::uint64_t bundles = 0;
    };

    std::map<Nodes, CustodianSet> numbers_;
    std::vector<Set> sets_;  ///< by number, less one
    std::vector<CustodianSet> free_;
    std::map<NodeNumber, std::uint64_t> counts_;  ///< in how many sets each node is
    Nodes joined_;                                ///< memory for the one that is made
};

}  // namespace farlink::storage
