// SPDX-License-Identifier: Apache-2.0
// The nodes whose bundles the operator holds in storage.
// Owned by the control agent, or by farlinkctl for a node that is off.
// Its owner's thread only.
#pragma once

#include <cstddef>
#include <set>
#include <utility>

#include "common/base/types.hpp"

namespace farlink::control {

class HeldDestinations {
public:
    /// Every RouteUpdate carries all of them to all modules.
    static constexpr std::size_t kMostHeld = 10'000;
    using Nodes = std::set<NodeNumber>;

    explicit HeldDestinations(Nodes held = {}) : held_(std::move(held)) {}

    [[nodiscard]] const Nodes &held() const { return held_; }
    /// All held destinations after a change, which is not in force yet.
    [[nodiscard]] Nodes with(NodeNumber node) const {
        Nodes next = held_;
        next.insert(node);
        return next;
    }
    [[nodiscard]] Nodes without(NodeNumber node) const {
        Nodes next = held_;
        next.erase(node);
        return next;
    }
    void take(Nodes held) { held_ = std::move(held); }

private:
    Nodes held_;
};

}  // namespace farlink::control
