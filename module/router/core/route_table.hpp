// SPDX-License-Identifier: Apache-2.0
// The routing table of a node: for every destination of the plan, an ordered list of next hops.
// Computed by the router as a value, compared with the one before, published when it differs.
// Plain functions and values; one thread.
#pragma once

#include <span>
#include <vector>

#include "common/bus/messages.hpp"
#include "module/router/core/contact_graph.hpp"
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
    std::vector<std::uint64_t> contacts;

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

/// The table of `node` at `time`. A destination that can be reached only by a contact whose link is
/// lost keeps that candidate, so that its bundles wait for the link.
[[nodiscard]] RouteTable compute_table(const ContactGraph &graph, NodeNumber node,
                                       std::span<const NextHop> next_hops, DtnTime time);

}  // namespace farlink::router
