// SPDX-License-Identifier: Apache-2.0
#include "module/router/core/backlog_booking.hpp"

#include <algorithm>

#include "module/router/core/volume_booking.hpp"

namespace farlink::router {
namespace {

/// Contacts of this node that cannot be used: without a link, or with a lost link.
ContactMask closed_contacts(const NextHopPlanner &planner, std::span<const NextHop> next_hops,
                            DtnTime time) {
    const ContactGraph &graph = planner.graph();
    ContactMask closed(graph.contact_count());
    for (const Edge &edge : graph.edges_from(*planner.self())) {
        const auto hop = std::ranges::find(next_hops, graph.number(edge.to), &NextHop::neighbour);
        DtnTime until = hop == next_hops.end() ? kDtnNever : 0;
        if (until == 0 && hop->lost) until = graph.run_end(edge, time);
        for (ContactIndex at = edge.first; at < edge.first + edge.count; ++at)
            closed[at] = graph.contact(at).start < until;
    }
    return closed;
}

/// Contacts of this node whose link cuts bundles to fit; empty: there are none.
ContactMask cutting_contacts(const NextHopPlanner &planner, std::span<const NextHop> next_hops) {
    ContactMask cutting;
    if (std::ranges::none_of(next_hops, &NextHop::cuts_to_contact)) return cutting;
    const ContactGraph &graph = planner.graph();
    cutting.resize(graph.contact_count());
    for (const Edge &edge : graph.edges_from(*planner.self())) {
        const auto hop = std::ranges::find(next_hops, graph.number(edge.to), &NextHop::neighbour);
        if (hop == next_hops.end() || !hop->cuts_to_contact) continue;
        std::fill_n(cutting.begin() + edge.first, edge.count, true);
    }
    return cutting;
}

class Booking {
public:
    Booking(const NextHopPlanner &planner, std::span<const NextHop> next_hops, DtnTime time,
            RouteTable &table)
        : graph_(planner.graph()),
          next_hops_(next_hops),
          table_(table),
          volumes_(graph_, *planner.self(), time, closed_contacts(planner, next_hops, time),
                   cutting_contacts(planner, next_hops)) {}

    void book(const WaitingBundles &waiting) {
        for (std::size_t at = kPriorityCount; at-- > 0;) {
            const auto priority = static_cast<Priority>(at);
            for (const bus::WaitingBytes &entry : waiting.egress)
                if (const auto node = graph_.find(entry.node); node && entry.priority == priority)
                    volumes_.book_next_hop(*node, priority, entry.bytes);
            book_storage(waiting.storage, priority);
        }
    }

    void publish_volumes() const {
        for (TableRow &row : table_.rows)
            for (TableCandidate &entry : row.candidates)
                for (std::size_t at = 0; at < kPriorityCount; ++at) {
                    const auto priority = static_cast<Priority>(at);
                    const auto &contacts = entry.route.contacts;
                    entry.candidate.room_bytes[at] = volumes_.room(contacts, priority);
                    entry.candidate.delay_ms[at] = volumes_.delay_ms(contacts, priority);
                }
    }

private:
    struct RowDemand {
        TableRow *row = nullptr;
        Demand demand;
        [[nodiscard]] DtnTime arrival() const { return row->candidates.front().candidate.arrival; }
    };

    void book_storage(std::span<const bus::WaitingBytes> waiting, Priority priority) {
        std::vector<RowDemand> demands;
        for (const bus::WaitingBytes &entry : waiting) {
            if (entry.priority != priority || entry.bytes == 0) continue;
            const auto row =
                std::ranges::lower_bound(table_.rows, entry.node, {}, &TableRow::destination);
            if (row != table_.rows.end() && row->destination == entry.node)
                demands.push_back({&*row, {entry.bytes, entry.head_bytes}});
        }
        std::ranges::stable_sort(demands, {}, &RowDemand::arrival);
        for (const RowDemand &one : demands) book(*one.row, priority, one.demand);
    }

    void book(TableRow &row, Priority priority, const Demand &demand) {
        std::vector<FoundRoute> routes;
        for (const TableCandidate &entry : row.candidates) routes.push_back(entry.route);
        const NodeIndex to = *graph_.find(row.destination);
        Shares shares = volumes_.book(routes, to, priority, demand);
        const auto level = static_cast<std::size_t>(priority);
        for (std::size_t at = 0; at < shares.bytes.size(); ++at)
            row.candidates[at].candidate.booked_bytes[level] += shares.bytes[at];
        for (Shares::Other &other : shares.others)
            if (TableCandidate *way = candidate_of(row, other.route))
                way->candidate.booked_bytes[level] += other.bytes;
    }

    /// The row's candidate by that route; a new one if there are not too many.
    TableCandidate *candidate_of(TableRow &row, FoundRoute &route) {
        const auto known = std::ranges::find_if(row.candidates, [&](const TableCandidate &one) {
            return one.route.contacts == route.contacts;
        });
        if (known != row.candidates.end()) return &*known;
        if (row.candidates.size() >= kMaxBookedCandidates) return nullptr;
        const NodeNumber neighbour = graph_.number(route.next_hop);
        const auto hop = std::ranges::find(next_hops_, neighbour, &NextHop::neighbour);
        return &row.candidates.emplace_back(make_candidate(graph_, *hop, std::move(route)));
    }

    const ContactGraph &graph_;
    std::span<const NextHop> next_hops_;
    RouteTable &table_;
    VolumeBooking volumes_;
};

}  // namespace

void book_backlog(const NextHopPlanner &planner, std::span<const NextHop> next_hops,
                  const WaitingBundles &waiting, DtnTime time, RouteTable &table) {
    if (!planner.self()) return;
    Booking booking(planner, next_hops, time, table);
    booking.book(waiting);
    booking.publish_volumes();
}

bool equal_rooms(const RouteTable &one, const RouteTable &other) {
    const auto same = [](const TableCandidate &a, const TableCandidate &b) {
        return a.candidate.room_bytes == b.candidate.room_bytes &&
               a.candidate.delay_ms == b.candidate.delay_ms &&
               a.candidate.booked_bytes == b.candidate.booked_bytes;
    };
    return std::ranges::equal(one.rows, other.rows, [&](const TableRow &a, const TableRow &b) {
        return std::ranges::equal(a.candidates, b.candidates, same);
    });
}

}  // namespace farlink::router
