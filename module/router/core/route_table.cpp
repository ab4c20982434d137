// SPDX-License-Identifier: Apache-2.0
#include "module/router/core/route_table.hpp"

namespace farlink::router {

std::vector<bus::Route> RouteTable::routes() const {
    std::vector<bus::Route> routes;
    routes.reserve(rows.size());
    for (const TableRow &row : rows) {
        bus::Route &route =
            routes.emplace_back(bus::Route{row.destination, {}, row.max_bundle_bytes});
        route.candidates.reserve(row.candidates.size());
        for (const TableCandidate &entry : row.candidates)
            route.candidates.push_back(entry.candidate);
    }
    return routes;
}

}  // namespace farlink::router
