// SPDX-License-Identifier: Apache-2.0
// One route after another to a destination: each the best of those that do without what the ones
// before have used up. Borrows a graph; one thread.
// Yen's algorithm would list every variant of a route, the full contact in most of them; a contact
// that is full is of no use in any, so that leaving it out misses no route that has room.
#pragma once

#include "module/router/core/route_search.hpp"

namespace farlink::router {

class AlternativeRoutes {
public:
    /// `closed`: contacts that are of no use from the beginning; empty, or one entry a contact.
    AlternativeRoutes(const ContactGraph &graph, RouteQuery query, NodeIndex destination,
                      ContactMask closed = {});
    AlternativeRoutes(const AlternativeRoutes &) = delete;
    AlternativeRoutes &operator=(const AlternativeRoutes &) = delete;

    /// The best route over contacts that are not used up.
    [[nodiscard]] std::optional<FoundRoute> next();
    void use_up(ContactIndex contact) { closed_[contact] = true; }

private:
    RouteSearch search_;
    RouteQuery query_;
    NodeIndex destination_;
    ContactMask closed_;
};

}  // namespace farlink::router
