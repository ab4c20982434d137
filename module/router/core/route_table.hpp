// SPDX-License-Identifier: Apache-2.0
// The routing table of a node: for every destination of the plan, an ordered list of next hops.
// Made by the planner, compared with the previous one, published if it differs.
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
    /// The link cuts bundles that do not fit the rest of a contact.
    bool cuts_to_contact = false;
};

/// Maximum number of candidates per destination.
inline constexpr std::size_t kMaxCandidates = 4;

/// A candidate and its contacts, by their ids in the plan.
struct TableCandidate {
    bus::RouteCandidate candidate;
    std::vector<std::uint64_t> contacts{};
    FoundRoute route{};  ///< the same by places in the table's graph

    /// Equal if the contacts are equal; `arrival` moves with time and is not compared.
    friend bool operator==(const TableCandidate &one, const TableCandidate &other) {
        return one.candidate.link == other.candidate.link &&
               one.candidate.next_hop == other.candidate.next_hop &&
               one.candidate.cuts_to_contact == other.candidate.cuts_to_contact &&
               one.contacts == other.contacts;
    }
};

struct TableRow {
    NodeNumber destination;
    std::vector<TableCandidate> candidates;  ///< best first, never empty
    /// The capacity of the widest way, independent of the candidates.
    std::uint64_t max_bundle_bytes = kUnlimitedBytes;
    bool detour = false;  ///< as in bus::Route
    friend bool operator==(const TableRow &, const TableRow &) = default;
};

struct RouteTable {
    std::vector<TableRow> rows;       ///< ascending by destination
    DtnTime valid_until = kDtnNever;  ///< the table may change from then on

    [[nodiscard]] std::vector<bus::Route> routes() const;
};

/// The candidate via `hop` over that route.
[[nodiscard]] TableCandidate make_candidate(const ContactGraph &graph, const NextHop &hop,
                                            FoundRoute route);

}  // namespace farlink::router
