// SPDX-License-Identifier: Apache-2.0
// Plans a node's routes: the best one by each neighbour to every destination, kept from one look to
// the next and worked out anew only where a change of the plan or the time can reach.
// Owned by the router's core; one thread.
// A route stays the best one while nothing can arrive earlier or as early by what has changed.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "module/router/core/arrivals.hpp"
#include "module/router/core/route_search.hpp"
#include "module/router/core/route_table.hpp"

namespace farlink::router {

/// A larger change of a plan is taken as a plan of its own.
inline constexpr std::size_t kMaxSteps = 16;

class RoutePlanner {
public:
    explicit RoutePlanner(NodeNumber node) : node_(node) {}

    [[nodiscard]] NodeNumber node() const { return node_; }
    void set_plan(std::vector<bus::Contact> contacts);
    /// The same plan without some contacts, which are told whole, and with others.
    void change_plan(std::span<const bus::Contact> removed, std::span<const bus::Contact> added);
    [[nodiscard]] const ContactGraph &graph() const { return graph_; }
    /// This node, if the plan knows it.
    [[nodiscard]] std::optional<NodeIndex> self() const { return self_; }

    /// The table at `time`. A destination that can be reached only by a contact whose link is lost
    /// keeps that candidate, so that its bundles wait for the link.
    [[nodiscard]] RouteTable table(std::span<const NextHop> next_hops, DtnTime time);
    /// Routes that were searched for, since the start.
    [[nodiscard]] std::uint64_t searches() const { return searches_; }

private:
    /// The best route to one destination. It arrives as early for a bundle that leaves by
    /// `waits_until`, and later from there on, until a contact of it is missed.
    struct KnownRoute {
        FoundRoute route;
        DtnTime found_from = 0;
        DtnTime waits_until = 0;     ///< the last moment to leave without arriving later
        DtnTime feasible_until = 0;  ///< the last moment to leave at all
        bool known = false;
    };
    /// What leaves by one neighbour.
    struct Way {
        NextHop hop;
        NodeIndex neighbour = 0;
        bool last_resort = false;  ///< needs a lost link back
        Arrivals arrivals;
        std::vector<KnownRoute> routes;  ///< by destination
    };
    struct Option {
        const Way *way = nullptr;
        const KnownRoute *known = nullptr;
    };
    /// What is known of a destination before its routes are.
    struct Limit {
        DtnTime arrival = 0;       ///< no candidate arrives later
        DtnTime next = kDtnNever;  ///< the first that does
        std::size_t ways = 0;      ///< that lead there
        bool last_resort = false;  ///< only by a lost link
    };

    [[nodiscard]] bool take_steps(std::span<const bus::Contact> removed,
                                  std::span<const bus::Contact> added);
    void reset();
    void forget_touched(const GraphStep &step);
    void forget_reached_by(const GraphContact &contact);
    void refresh_ways(std::span<const NextHop> next_hops, DtnTime time);
    void refresh(Way &way, const Edge &edge, const NextHop &hop, DtnTime from);
    [[nodiscard]] Way *find(NodeIndex neighbour, bool last_resort);
    void set_limits();
    [[nodiscard]] bool wants_route(const Way &way, NodeIndex to) const;
    void find_routes(Way &way);
    void add_row(RouteTable &table, NodeIndex to, DtnTime time);
    [[nodiscard]] DtnTime next_change(const Limit &limit, DtnTime time) const;
    void refresh_widths(DtnTime time);
    [[nodiscard]] static bool better(const Option &one, const Option &other);
    [[nodiscard]] static DtnTime overtakes_at(const Option &earlier, const Option &later);

    NodeNumber node_;
    std::optional<NodeIndex> self_;
    std::vector<bus::Contact> plan_;
    ContactGraph graph_;
    std::vector<Way> ways_;
    std::vector<Limit> limits_;    ///< by destination
    std::vector<Option> options_;  ///< of the row being made
    std::vector<Width> widths_;    ///< by destination; empty: not known
    DtnTime widths_from_ = 0;
    DtnTime widths_until_ = 0;
    std::uint64_t searches_ = 0;
};

/// The table of `node` at `time`, from nothing.
[[nodiscard]] RouteTable compute_table(std::span<const bus::Contact> contacts, NodeNumber node,
                                       std::span<const NextHop> next_hops, DtnTime time);

}  // namespace farlink::router
