// SPDX-License-Identifier: Apache-2.0
// Contact graph routing: the earliest arrival of a bundle at every node, and the best route there
// (CCSDS 734.3-B-1: earliest arrival, fewest hops, latest termination, smallest entry node).
// A search borrows its graph and keeps its memory between runs; one thread.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "module/router/core/hop_times.hpp"

namespace farlink::router {

struct RouteQuery {
    NodeIndex source = 0;
    DtnTime time = 0;              ///< the earliest departure, DTN milliseconds
    std::uint64_t size_bytes = 0;  ///< 0: the best case, only the first octet counts
    std::vector<NodeIndex> excluded_next_hops{};
    std::optional<NodeIndex> only_next_hop{};
    std::optional<NodeIndex> destination{};  ///< the search ends when its arrival is known
    const ContactMask *without = nullptr;    ///< contacts that may not be used; borrowed
};

struct FoundRoute {
    DtnTime arrival = 0;
    DtnTime termination = 0;  ///< the earliest end of its contacts
    NodeIndex next_hop = 0;
    std::vector<ContactIndex> contacts;

    [[nodiscard]] std::size_t hops() const { return contacts.size(); }
};

class RouteSearch {
public:
    explicit RouteSearch(const ContactGraph &graph) : graph_(&graph) {}

    /// Finds the earliest arrival at every node (Dijkstra's label setting; a bundle that arrives
    /// earlier can wait, so one label a node is enough).
    void run(const RouteQuery &query);
    /// The same with the earliest arrivals within 0, 1, ... hops given; the last row is for any
    /// number of hops. best_route() is faster then.
    void resume(const RouteQuery &query, std::vector<std::vector<DtnTime>> within);

    /// Earliest arrival at `node` in the last run; kDtnNever when it cannot be reached.
    [[nodiscard]] DtnTime arrival(NodeIndex node) const { return arrival_[node]; }

    /// The best route to `destination` in the last run: among all that arrive as early as
    /// possible, the first one in the order of routes.
    [[nodiscard]] std::optional<FoundRoute> best_route(NodeIndex destination);

private:
    /// A node from which a bundle is in time with the hops left, if it is there by `latest`.
    struct Deadline {
        NodeIndex node = 0;
        DtnTime latest = 0;
    };
    using Layer = std::vector<Deadline>;

    [[nodiscard]] bool may_leave_by(NodeIndex next_hop) const;
    [[nodiscard]] bool left_out(const GraphContact &contact) const;
    [[nodiscard]] std::optional<DtnTime> latest_over(const Edge &edge, DtnTime deadline,
                                                     DtnTime least_end) const;
    bool lay_deadlines(NodeIndex destination, DtnTime least_end, std::size_t most_hops);
    void extend_layer(NodeIndex destination, DtnTime least_end);
    void extend_layer_again(DtnTime least_end);
    [[nodiscard]] const std::vector<DtnTime> &earliest_before_layer() const;
    bool lead_back(const Edge &edge, const Deadline &next, DtnTime least_end, Layer &layer);
    void finish_layer(Layer layer);
    [[nodiscard]] FoundRoute follow_deadlines(NodeIndex destination, DtnTime least_end) const;
    [[nodiscard]] std::optional<ContactIndex> contact_towards(NodeIndex from, DtnTime time,
                                                              const Deadline &to,
                                                              DtnTime least_end) const;

    const ContactGraph *graph_;
    RouteQuery query_;
    std::vector<DtnTime> arrival_;
    std::vector<std::vector<DtnTime>> within_;       ///< earliest arrivals within so many hops
    std::size_t fewest_hops_ = 0;                    ///< to the destination, if within_ is given
    std::vector<Layer> layers_;                      ///< layers_[k]: k hops before the destination
    std::vector<std::vector<const Edge *>> useful_;  ///< edges from each layer to the next one
    std::vector<std::optional<DtnTime>> latest_;     ///< in all layers so far, by node
    std::vector<std::uint32_t> place_;  ///< of a node in the layer being built, plus one
};

/// The latest departure of a bundle that follows `contacts` and arrives by `deadline`; with
/// kDtnNever, the latest departure by which it can follow them at all.
[[nodiscard]] DtnTime latest_departure(const ContactGraph &graph,
                                       const std::vector<ContactIndex> &contacts, DtnTime deadline);

}  // namespace farlink::router
