// SPDX-License-Identifier: Apache-2.0
// The difference of two routing tables, for the preview of a plan change.
// A plain function on values of the router's core.
// Any thread.
#pragma once

#include "module/router/core/route_table.hpp"

namespace farlink::router {

/// The destinations whose candidates differ, ascending; a list without candidates is empty.
/// Candidates that differ only in their arrival are equal.
[[nodiscard]] std::vector<bus::RouteDifference> difference(const RouteTable &before,
                                                           const RouteTable &after);

}  // namespace farlink::router
