// SPDX-License-Identifier: Apache-2.0
// What changes for bundles between two routing tables, for an operator who asks before a change.
// A plain function on values of the router's core.
// Any thread.
#pragma once

#include "module/router/core/route_table.hpp"

namespace farlink::router {

/// The destinations whose candidates differ, ascending; where there is no way, the list is empty.
/// A candidate that only arrives at another time is the same one.
[[nodiscard]] std::vector<bus::RouteDifference> difference(const RouteTable &before,
                                                           const RouteTable &after);

}  // namespace farlink::router
