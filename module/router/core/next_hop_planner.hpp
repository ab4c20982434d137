// SPDX-License-Identifier: Apache-2.0
// Plans a node's routes: the best one via each neighbour to every destination. Routes are cached
// and recomputed only where a change of the plan or the time may affect them.
// Owned by the router's core; one thread.
// Other nodes expect the best route by the plan; where this node cannot use the first contact of
// that, its row is marked as a detour.
// A route stays the best while no changed contact allows an arrival as early as its own.
#pragma once

#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "common/base/invariant.hpp"
#include "module/router/core/arrivals.hpp"
#include "module/router/core/route_search.hpp"
#include "module/router/core/route_table.hpp"

namespace farlink::router {

/// A larger change is handled as a new plan.
inline constexpr std::size_t kMaxSteps = 16;

class NextHopPlanner {
public:
    explicit NextHopPlanner(NodeNumber node) : node_(node) {}

    [[nodiscard]] NodeNumber node() const { return node_; }
    void set_plan(std::vector<bus::Contact> contacts);
    /// Removes contacts, which equal those of the plan in all values, and adds others.
    void change_plan(std::span<const bus::Contact> removed, std::span<const bus::Contact> added);
    [[nodiscard]] const ContactGraph &graph() const { return graph_; }
    /// This node, if it is in the plan.
    [[nodiscard]] std::optional<NodeIndex> self() const { return self_; }

    /// The table at `time`. A destination that can be reached only by a contact whose link is lost
    /// keeps that candidate, so that its bundles wait for the link.
    [[nodiscard]] RouteTable table(std::span<const NextHop> next_hops, DtnTime time);
    /// Number of route searches since the start.
    [[nodiscard]] std::uint64_t searches() const { return searches_; }

private:
    /// The best route to one destination. A bundle that leaves by `waits_until` arrives as early;
    /// one that leaves later arrives later, until a contact is missed.
    struct KnownRoute {
        FoundRoute route;
        DtnTime found_from = 0;
        DtnTime waits_until = 0;     ///< the last moment to leave without arriving later
        DtnTime feasible_until = 0;  ///< the last moment to leave at all
        bool known = false;
    };
    /// The routes via one neighbour.
    struct Way {
        NextHop hop;
        NodeIndex neighbour = 0;
        bool last_resort = false;  ///< its link is lost
        bool linkless = false;     ///< it has none: never a candidate
        Arrivals arrivals;
        std::vector<KnownRoute> routes;  ///< by destination
    };
    struct Option {
        const Way *way = nullptr;
        const KnownRoute *known = nullptr;
    };
    /// Bounds of the candidates for a destination, before its routes are searched.
    struct Limit {
        DtnTime arrival = 0;       ///< no candidate arrives later
        DtnTime next = kDtnNever;  ///< the first arrival after it
        std::size_t ways = 0;      ///< the number of ways
        bool last_resort = false;  ///< reachable by a lost link only
        /// Arrival and hops of the best way whose link is lost or missing.
        std::pair<DtnTime, std::size_t> unusable{kDtnNever, 0};
    };

    /// This node, where it is in the plan.
    [[nodiscard]] NodeIndex own() const {
        FARLINK_INVARIANT(self_);
        return *self_;
    }
    [[nodiscard]] bool take_steps(std::span<const bus::Contact> removed,
                                  std::span<const bus::Contact> added);
    void reset();
    void forget_touched(const GraphStep &step);
    void forget_reached_by(const GraphContact &contact);
    void refresh_ways(std::span<const NextHop> next_hops, DtnTime time);
    void refresh(Way &way, const Edge &edge, const NextHop &hop, DtnTime from);
    [[nodiscard]] Way &find_or_add(NodeIndex neighbour, bool last_resort);
    void set_limits();
    [[nodiscard]] std::pair<DtnTime, std::size_t> best_unusable(NodeIndex to) const;
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
    std::vector<Option> options_;  ///< of the current row
    std::vector<Width> widths_;    ///< by destination; empty: unknown
    DtnTime widths_from_ = 0;
    DtnTime widths_until_ = 0;
    std::uint64_t searches_ = 0;
};

/// The table of `node` at `time`, without a cache.
[[nodiscard]] RouteTable compute_table(std::span<const bus::Contact> contacts, NodeNumber node,
                                       std::span<const NextHop> next_hops, DtnTime time);

}  // namespace farlink::router
