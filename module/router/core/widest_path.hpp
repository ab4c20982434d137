// SPDX-License-Identifier: Apache-2.0
// How large a bundle may be to reach a node at all: the narrowest place of the widest way there.
// A plain function over a graph that the router owns; its thread.
// An upper bound on purpose: who is told that a bundle is too large can rely on it.
#pragma once

#include <vector>

#include "module/router/core/contact_graph.hpp"

namespace farlink::router {

inline constexpr std::uint64_t kUnlimitedBytes = ~std::uint64_t{0};

struct Width {
    std::uint64_t max_bundle_bytes = 0;  ///< no larger bundle gets there; 0: no contact leads there
    DtnTime valid_until = kDtnNever;     ///< a contact ends of which the widest way is made
};

/// By node. Contacts count as a whole while they last, and gapless ones of an edge as one: their
/// link stays open. A contact without a rate or an end carries anything.
[[nodiscard]] std::vector<Width> widest_paths(const ContactGraph &graph, NodeIndex from,
                                              DtnTime time);

}  // namespace farlink::router
