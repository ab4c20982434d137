// SPDX-License-Identifier: Apache-2.0
// Further routes to a destination, each the best without the contacts that earlier ones filled.
// Borrows a graph; one thread.
// Yen's algorithm would list every variant of a route, most of them with the full contact; leaving
// that contact out misses no route that has room.
#pragma once

#include "module/router/core/route_search.hpp"

namespace farlink::router {

class AlternativeRoutes {
public:
    /// `closed`: contacts that cannot be used; empty, or one entry per contact.
    AlternativeRoutes(const ContactGraph &graph, RouteQuery query, NodeIndex destination,
                      ContactMask closed = {});
    AlternativeRoutes(const AlternativeRoutes &) = delete;
    AlternativeRoutes &operator=(const AlternativeRoutes &) = delete;

    /// The best route over the contacts that are left.
    [[nodiscard]] std::optional<FoundRoute> next();
    void use_up(ContactIndex contact) { closed_[contact] = true; }

private:
    RouteSearch search_;
    RouteQuery query_;
    NodeIndex destination_;
    ContactMask closed_;
};

}  // namespace farlink::router
