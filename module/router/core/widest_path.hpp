// SPDX-License-Identifier: Apache-2.0
// The largest bundle that can reach a node: the narrowest contact of the widest way.
// A plain function over a graph that the router owns; its thread.
// It is an upper bound: a larger bundle certainly exceeds all contacts.
#pragma once

#include <vector>

#include "module/router/core/contact_graph.hpp"

namespace farlink::router {

inline constexpr std::uint64_t kUnlimitedBytes = ~std::uint64_t{0};

struct Width {
    std::uint64_t max_bundle_bytes = 0;  ///< the largest bundle; 0: no contact leads there
    DtnTime valid_until = kDtnNever;     ///< the first end of a contact on the widest way
};

/// By node. Contacts count with their whole volume while they last, and gapless contacts of an edge
/// as one, since their link stays up. A contact without a rate or an end carries any bundle.
[[nodiscard]] std::vector<Width> widest_paths(const ContactGraph &graph, NodeIndex from,
                                              DtnTime time);

}  // namespace farlink::router
