// SPDX-License-Identifier: Apache-2.0
// Books the bundles that wait in storage and egress on a table's routes, and writes the remaining
// room into its candidates. A plain function over values of the router's core; one thread.
// By priority first, egress before storage, then by arrival.
#pragma once

#include <span>
#include <vector>

#include "module/router/core/next_hop_planner.hpp"

namespace farlink::router {

/// A destination with more waiting bytes than its candidates can carry gets further ones.
inline constexpr std::size_t kMaxBookedCandidates = 8;

struct WaitingBundles {
    std::vector<bus::WaitingBytes> storage;  ///< by destination
    std::vector<bus::WaitingBytes> egress;   ///< by neighbour
};

void book_backlog(const NextHopPlanner &planner, std::span<const NextHop> next_hops,
                  const WaitingBundles &waiting, DtnTime time, RouteTable &table);

/// Whether room and delay are equal in tables with equal rows.
[[nodiscard]] bool equal_rooms(const RouteTable &one, const RouteTable &other);

}  // namespace farlink::router
