// SPDX-License-Identifier: Apache-2.0
#include "module/router/core/route_table.hpp"

#include <utility>

namespace farlink::router {

std::vector<bus::Route> RouteTable::routes() const {
    std::vector<bus::Route> routes;
    routes.reserve(rows.size());
    for (const TableRow &row : rows) {
        bus::Route &route =
            routes.emplace_back(bus::Route{row.destination, {}, row.max_bundle_bytes, row.detour});
        route.candidates.reserve(row.candidates.size());
        for (const TableCandidate &entry : row.candidates)
            route.candidates.push_back(entry.candidate);
    }
    return routes;
}

TableCandidate make_candidate(const ContactGraph &graph, const NextHop &hop, FoundRoute route) {
    TableCandidate made;
    made.candidate.next_hop = hop.neighbour;
    made.candidate.link = hop.link;
    made.candidate.cuts_to_contact = hop.cuts_to_contact;
    made.candidate.arrival = route.arrival;
    made.candidate.on_time_until = latest_departure(graph, route.contacts, route.arrival);
    made.candidate.leave_by = latest_departure(graph, route.contacts, kDtnNever);
    for (const ContactIndex index : route.contacts) {
        const GraphContact &contact = graph.contact(index);
        made.contacts.push_back(contact.id);
        if (contact.rate_bps == 0) continue;
        constexpr std::uint64_t kPicosecondsTimesBits = 8'000'000'000'000;
        made.candidate.octet_ps =
            saturating_add(made.candidate.octet_ps, kPicosecondsTimesBits / contact.rate_bps + 1);
    }
    // The first contact leaves this node, the second one the next hop.
    for (std::size_t at = 2; at < route.contacts.size(); ++at)
        made.candidate.nodes.push_back(graph.number(graph.contact(route.contacts[at]).from));
    made.route = std::move(route);
    return made;
}

}  // namespace farlink::router
