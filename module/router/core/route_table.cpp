// SPDX-License-Identifier: Apache-2.0
#include "module/router/core/route_table.hpp"

#include <algorithm>
#include <tuple>

#include "module/router/core/route_search.hpp"

namespace farlink::router {
namespace {

/// How often the table is looked at while a candidate's arrival grows with time: a contact that
/// starts may then have become the earlier way.
constexpr std::uint64_t kRefreshMs = 5000;

/// A way to one destination. Its arrival stays as it is for a bundle that leaves by `waits_until`,
/// and grows with time from there on, until a contact of the route is missed.
struct Option {
    const NextHop *next_hop = nullptr;
    FoundRoute route;
    bool last_resort = false;    ///< needs a lost link back
    DtnTime waits_until = 0;     ///< the last moment to leave without arriving later
    DtnTime feasible_until = 0;  ///< the last moment to leave at all
};

bool better(const Option &one, const Option &other) {
    const auto rank = [](const Option &option) {
        return std::tuple(option.last_resort, option.route.arrival, option.route.hops(),
                          kDtnNever - option.route.termination, option.next_hop->neighbour);
    };
    return rank(one) < rank(other);
}

/// When `later` may come before `earlier`, of two options in this order.
DtnTime overtakes_at(const Option &earlier, const Option &later) {
    if (earlier.last_resort || later.last_resort) return kDtnNever;
    const std::uint64_t lead = later.route.arrival - earlier.route.arrival;
    const DtnTime moment = saturating_add(earlier.waits_until, lead + 1);
    return moment <= later.waits_until ? moment : kDtnNever;
}

/// The options of every destination, gathered next hop by next hop.
class OptionSearch {
public:
    OptionSearch(const ContactGraph &graph, NodeIndex node, DtnTime time)
        : graph_(graph), search_(graph), node_(node), time_(time), options_(graph.node_count()) {}

    void add(const NextHop &next_hop) {
        const auto neighbour = graph_.find(next_hop.neighbour);
        const Edge *edge = neighbour ? graph_.edge_between(node_, *neighbour) : nullptr;
        if (edge == nullptr) return;
        search_.run(query(*neighbour, next_hop.lost ? graph_.run_end(*edge, time_) : time_));
        for (NodeIndex to = 0; to < options_.size(); ++to) add_option(next_hop, to, false);
        if (next_hop.lost) lost_.emplace_back(&next_hop, *neighbour);
    }

    /// Gives destinations without an option those that need a lost link back.
    void add_last_resorts() {
        std::vector<NodeIndex> unreached;
        for (NodeIndex to = 0; to < options_.size(); ++to)
            if (options_[to].empty()) unreached.push_back(to);
        for (const auto &[next_hop, neighbour] : lost_) {
            search_.run(query(neighbour, time_));
            for (const NodeIndex to : unreached) add_option(*next_hop, to, true);
        }
    }

    [[nodiscard]] RouteTable table() {
        RouteTable table;
        const std::vector<Width> widths = widest_paths(graph_, node_, time_);
        for (NodeIndex to = 0; to < options_.size(); ++to) {
            std::vector<Option> &options = options_[to];
            if (options.empty()) continue;
            std::ranges::sort(options, better);
            table.valid_until =
                std::min({table.valid_until, next_change(options), widths[to].valid_until});
            if (options.size() > kMaxCandidates) options.resize(kMaxCandidates);
            table.rows.push_back({graph_.number(to), {}, widths[to].max_bundle_bytes});
            for (const Option &option : options)
                table.rows.back().candidates.push_back(candidate(option));
        }
        return table;
    }

private:
    [[nodiscard]] RouteQuery query(NodeIndex only_next_hop, DtnTime from) const {
        return {node_, from, 0, {}, only_next_hop, {}};
    }

    void add_option(const NextHop &next_hop, NodeIndex to, bool last_resort) {
        std::optional<FoundRoute> route = search_.best_route(to);
        if (!route) return;
        const DtnTime waits_until = latest_departure(graph_, route->contacts, route->arrival);
        const DtnTime feasible_until = latest_departure(graph_, route->contacts, kDtnNever);
        options_[to].push_back(
            {&next_hop, std::move(*route), last_resort, waits_until, feasible_until});
    }

    /// Only the end of a route and a change of order change a row: a contact that starts was
    /// counted before, since bundles wait for it.
    [[nodiscard]] DtnTime next_change(const std::vector<Option> &options) const {
        DtnTime change = kDtnNever;
        bool moving = false;
        for (std::size_t index = 0; index < options.size(); ++index) {
            const Option &option = options[index];
            change = std::min(change, saturating_add(option.feasible_until, 1));
            moving = moving || option.waits_until <= time_;
            if (index > 0) change = std::min(change, overtakes_at(options[index - 1], option));
        }
        if (moving && options.size() > 1) {
            const DtnTime refresh = std::max(graph_.next_start(time_), time_ + kRefreshMs);
            change = std::min(change, refresh);
        }
        return change;
    }

    [[nodiscard]] TableCandidate candidate(const Option &option) const {
        TableCandidate result;
        result.candidate = {option.next_hop->neighbour, option.next_hop->link,
                            option.route.arrival};
        for (const ContactIndex index : option.route.contacts)
            result.contacts.push_back(graph_.contact(index).id);
        return result;
    }

    const ContactGraph &graph_;
    RouteSearch search_;
    NodeIndex node_;
    DtnTime time_;
    std::vector<std::vector<Option>> options_;  ///< by destination
    std::vector<std::pair<const NextHop *, NodeIndex>> lost_;
};

}  // namespace

std::vector<bus::Route> RouteTable::routes() const {
    std::vector<bus::Route> routes;
    for (const TableRow &row : rows) {
        bus::Route &route =
            routes.emplace_back(bus::Route{row.destination, {}, row.max_bundle_bytes});
        for (const TableCandidate &entry : row.candidates)
            route.candidates.push_back(entry.candidate);
    }
    return routes;
}

RouteTable compute_table(const ContactGraph &graph, NodeNumber node,
                         std::span<const NextHop> next_hops, DtnTime time) {
    const auto self = graph.find(node);
    if (!self) return {};
    OptionSearch options(graph, *self, time);
    for (const NextHop &next_hop : next_hops) options.add(next_hop);
    options.add_last_resorts();
    return options.table();
}

}  // namespace farlink::router
