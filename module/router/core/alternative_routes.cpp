// SPDX-License-Identifier: Apache-2.0
#include "module/router/core/alternative_routes.hpp"

#include <utility>

namespace farlink::router {

AlternativeRoutes::AlternativeRoutes(const ContactGraph &graph, RouteQuery query,
                                     NodeIndex destination, ContactMask closed)
    : search_(graph),
      query_(std::move(query)),
      destination_(destination),
      closed_(std::move(closed)) {
    closed_.resize(graph.contact_count());
    query_.destination = destination;
    query_.without = &closed_;
}

std::optional<FoundRoute> AlternativeRoutes::next() {
    search_.run(query_);
    return search_.best_route(destination_);
}

}  // namespace farlink::router
