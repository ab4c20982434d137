// SPDX-License-Identifier: Apache-2.0
// The routing table of a node: for every destination of the plan, an ordered list of next hops.
// Made by the planner, compared with the one before, published when it differs.
// Values; one thread.
#pragma once

#include <vector>

#include "common/bus/messages.hpp"
#include "module/router/core/route_search.hpp"
#include "module/router/core/widest_path.hpp"

namespace farlink::router {

/// A neighbour and the link that leads to it.
struct NextHop {
    NodeNumber neighbour;
    LinkId link = kNoLink;
    /// A contact is open but the link is down: bundles can leave only with a later contact.
    bool lost = false;
};

/// At most so many candidates a destination.
inline constexpr std::size_t kMaxCandidates = 4;

/// A candidate and the contacts that it is made of, by their ids in the plan.
struct TableCandidate {
    bus::RouteCandidate candidate;
    std::vector<std::uint64_t> contacts{};
    FoundRoute route{};  ///< the same in the graph that the table was made from

    /// Equal when bundles travel the same way; `arrival` moves with time and does not count.
    friend bool operator==(const TableCandidate &one, const TableCandidate &other) {
        return one.candidate.link == other.candidate.link &&
               one.candidate.next_hop == other.candidate.next_hop && one.contacts == other.contacts;
    }
};

struct TableRow {
    NodeNumber destination;
    std::vector<TableCandidate> candidates;  ///< best first, never empty
    /// The widest way there carries no more, by whatever candidate.
    std::uint64_t max_bundle_bytes = kUnlimitedBytes;
    friend bool operator==(const TableRow &, const TableRow &) = default;
};

struct RouteTable {
    std::vector<TableRow> rows;       ///< ascending by destination
    DtnTime valid_until = kDtnNever;  ///< from here on the table may be another one

    [[nodiscard]] std::vector<bus::Route> routes() const;
};

/// A candidate by `hop` over that route.
[[nodiscard]] TableCandidate make_candidate(const ContactGraph &graph, const NextHop &hop,
                                            FoundRoute route);

}  // namespace farlink::router
