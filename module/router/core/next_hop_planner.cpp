// SPDX-License-Identifier: Apache-2.0
#include "module/router/core/next_hop_planner.hpp"

#include <algorithm>
#include <tuple>

#include "common/routing/contact_changes.hpp"
#include "module/router/core/plan_difference.hpp"

namespace farlink::router {
namespace {

/// Updates the places of a route's contacts after a step; false if the step removed one of them.
bool follow(const GraphStep &step, std::vector<ContactIndex> &contacts) {
    for (ContactIndex &contact : contacts) {
        if (contact < step.place) continue;
        if (!step.added && contact == step.place) return false;
        contact = step.added ? contact + 1 : contact - 1;
    }
    return true;
}

}  // namespace

void NextHopPlanner::set_plan(std::vector<bus::Contact> contacts) {
    const PlanDifference change = difference(plan_, contacts);
    const bool done = take_steps(change.removed, change.added);
    plan_ = std::move(contacts);
    if (!done) reset();
}

void NextHopPlanner::change_plan(std::span<const bus::Contact> removed,
                                 std::span<const bus::Contact> added) {
    const bool done = take_steps(removed, added);
    routing::change_contacts(plan_, removed, added);
    if (!done) reset();
}

/// False if the change must be handled as a new plan.
bool NextHopPlanner::take_steps(std::span<const bus::Contact> removed,
                                std::span<const bus::Contact> added) {
    if (removed.size() + added.size() > kMaxSteps) return false;
    widths_.clear();
    for (const bus::Contact &contact : removed) {
        if (!carries_data(contact)) continue;
        const auto step = graph_.take_out(contact);
        if (!step) return false;
        forget_touched(*step);
    }
    for (const bus::Contact &contact : added) {
        if (!carries_data(contact)) continue;
        const auto step = graph_.put_in(contact);
        if (!step) return false;
        forget_touched(*step);
    }
    return true;
}

void NextHopPlanner::reset() {
    graph_ = ContactGraph(plan_);
    self_ = graph_.find(node_);
    ways_.clear();
    widths_.clear();
}

// A removed contact affects the routes with it; a new one affects those that are not better than a
// route with it.
void NextHopPlanner::forget_touched(const GraphStep &step) {
    for (Way &way : ways_) {
        way.arrivals.amend(graph_, step);
        for (KnownRoute &known : way.routes) {
            if (known.known) known.known = follow(step, known.route.contacts);
            // A bundle that leaves earlier may use a new contact.
            if (step.added) known.found_from = std::max(known.found_from, way.arrivals.from());
        }
    }
    if (step.added) forget_reached_by(step.contact);
}

void NextHopPlanner::forget_reached_by(const GraphContact &contact) {
    /// Hops to the contact via the way; none if that is too late, or the way does not lead there.
    const auto hops_before = [&](const Way &way) -> std::optional<std::size_t> {
        if (contact.from == own())
            return contact.to == way.neighbour ? std::optional<std::size_t>(0) : std::nullopt;
        return way.arrivals.hops_by(contact.from, contact.end - 1);
    };
    DtnTime first = kDtnNever;
    for (const Way &way : ways_)
        if (hops_before(way))
            first = std::min(first, arrival_by(contact, way.arrivals.at(contact.from), 0));
    if (first == kDtnNever || contact.to == own()) return;
    Arrivals beyond;
    beyond.compute(graph_, own(), 0, contact.to, first);
    for (Way &way : ways_) {
        const auto before = hops_before(way);
        for (NodeIndex to = 0; to < way.routes.size(); ++to) {
            KnownRoute &known = way.routes[to];
            if (!before || !known.known) continue;
            const auto behind = beyond.hops_by(to, known.route.arrival);
            if (!behind || *before + *behind > known.route.hops()) continue;
            known.known =
                *before + *behind == known.route.hops() && contact.end < known.route.termination;
        }
    }
}

RouteTable NextHopPlanner::table(std::span<const NextHop> next_hops, DtnTime time) {
    if (!self_) return {};
    refresh_ways(next_hops, time);
    set_limits();
    for (Way &way : ways_) find_routes(way);
    refresh_widths(time);
    RouteTable table;
    for (NodeIndex to = 0; to < limits_.size(); ++to)
        if (limits_[to].ways > 0) add_row(table, to, time);
    return table;
}

void NextHopPlanner::refresh_ways(std::span<const NextHop> next_hops, DtnTime time) {
    const auto gone = [&](const Way &way) {
        const auto hop = std::ranges::find(next_hops, way.hop.neighbour, &NextHop::neighbour);
        const bool linkless = hop == next_hops.end();
        if (linkless != way.linkless) return true;
        const Edge *edge = graph_.edge_between(own(), way.neighbour);
        return edge == nullptr || (way.last_resort && !linkless && !hop->lost);
    };
    std::erase_if(ways_, gone);
    for (const NextHop &hop : next_hops) {
        const auto neighbour = graph_.find(hop.neighbour);
        const Edge *edge = neighbour ? graph_.edge_between(own(), *neighbour) : nullptr;
        if (edge == nullptr) continue;
        for (const bool last_resort : {false, true}) {
            if (last_resort && !hop.lost) continue;
            const bool after_this_run = hop.lost && !last_resort;
            refresh(find_or_add(*neighbour, last_resort), *edge, hop,
                    after_this_run ? graph_.run_end(*edge, time) : time);
        }
    }
    for (const Edge &edge : graph_.edges_from(own())) {
        const NodeNumber neighbour = graph_.number(edge.to);
        if (std::ranges::count(next_hops, neighbour, &NextHop::neighbour) > 0) continue;
        Way &way = find_or_add(edge.to, true);
        way.linkless = true;
        refresh(way, edge, {neighbour, kNoLink, true}, time);
    }
}

// If the arrival at the neighbour is unchanged, all arrivals behind it are unchanged.
void NextHopPlanner::refresh(Way &way, const Edge &edge, const NextHop &hop, DtnTime from) {
    way.hop = hop;
    const DtnTime first = earliest_over(graph_, edge, from, 0);
    if (!way.arrivals.empty()) return way.arrivals.move(graph_, from, first);
    way.arrivals.compute(graph_, own(), from, way.neighbour, first);
    way.routes.resize(graph_.node_count());
}

NextHopPlanner::Way &NextHopPlanner::find_or_add(NodeIndex neighbour, bool last_resort) {
    const auto known = std::ranges::find_if(ways_, [&](const Way &way) {
        return way.neighbour == neighbour && way.last_resort == last_resort;
    });
    if (known != ways_.end()) return *known;
    Way &way = ways_.emplace_back();
    way.neighbour = neighbour;
    way.last_resort = last_resort;
    return way;
}

// Searches the routes that may be candidates: those that arrive no later than the last candidate.
void NextHopPlanner::set_limits() {
    limits_.assign(graph_.node_count(), {});
    std::vector<DtnTime> arrivals;
    for (NodeIndex to = 0; to < limits_.size(); ++to) {
        Limit &limit = limits_[to];
        if (to == own()) continue;
        for (const bool last_resort : {false, true}) {
            arrivals.clear();
            for (const Way &way : ways_)
                if (way.last_resort == last_resort && !way.linkless &&
                    way.arrivals.at(to) != kDtnNever)
                    arrivals.push_back(way.arrivals.at(to));
            limit.last_resort = last_resort;
            if (!arrivals.empty()) break;
        }
        if (arrivals.empty()) continue;
        limit.ways = arrivals.size();
        limit.unusable = best_unusable(to);
        const std::size_t last = std::min(arrivals.size(), kMaxCandidates) - 1;
        std::ranges::nth_element(arrivals, arrivals.begin() + static_cast<std::ptrdiff_t>(last));
        limit.arrival = arrivals[last];
        for (const DtnTime arrival : arrivals)
            if (arrival > limit.arrival) limit.next = std::min(limit.next, arrival);
    }
}

std::pair<DtnTime, std::size_t> NextHopPlanner::best_unusable(NodeIndex to) const {
    std::pair<DtnTime, std::size_t> best{kDtnNever, 0};
    for (const Way &way : ways_) {
        const DtnTime arrival = way.arrivals.at(to);
        if (!way.last_resort || arrival > best.first) continue;
        if (const auto hops = way.arrivals.hops_by(to, arrival))
            best = std::min(best, {arrival, *hops});
    }
    return best;
}

bool NextHopPlanner::wants_route(const Way &way, NodeIndex to) const {
    const DtnTime arrival = way.arrivals.at(to);
    const Limit &limit = limits_[to];
    if (limit.ways == 0 || limit.last_resort != way.last_resort || way.linkless ||
        arrival > limit.arrival)
        return false;
    const KnownRoute &known = way.routes[to];
    const DtnTime from = way.arrivals.from();
    return !known.known || known.route.arrival != arrival || known.found_from > from ||
           from > known.waits_until;
}

void NextHopPlanner::find_routes(Way &way) {
    std::vector<NodeIndex> wanted;
    for (NodeIndex to = 0; to < limits_.size(); ++to)
        if (wants_route(way, to)) wanted.push_back(to);
    if (wanted.empty()) return;
    RouteSearch search(graph_);
    search.resume({own(), way.arrivals.from(), 0, {}, way.neighbour}, way.arrivals.by_hops());
    for (const NodeIndex to : wanted) {
        KnownRoute &known = way.routes[to];
        known.route = *search.best_route(to);
        known.found_from = way.arrivals.from();
        known.waits_until = latest_departure(graph_, known.route.contacts, known.route.arrival);
        known.feasible_until = latest_departure(graph_, known.route.contacts, kDtnNever);
        known.known = true;
    }
    searches_ += wanted.size();
}

bool NextHopPlanner::better(const Option &one, const Option &other) {
    const auto rank = [](const Option &option) {
        const FoundRoute &route = option.known->route;
        return std::tuple(route.arrival, route.hops(), kDtnNever - route.termination,
                          option.way->hop.neighbour);
    };
    return rank(one) < rank(other);
}

/// When `later` may come before `earlier`, of two options in this order.
DtnTime NextHopPlanner::overtakes_at(const Option &earlier, const Option &later) {
    const std::uint64_t lead = later.known->route.arrival - earlier.known->route.arrival;
    const DtnTime moment = saturating_add(earlier.known->waits_until, lead + 1);
    return moment <= later.known->waits_until ? moment : kDtnNever;
}

void NextHopPlanner::add_row(RouteTable &table, NodeIndex to, DtnTime time) {
    const Limit &limit = limits_[to];
    options_.clear();
    for (const Way &way : ways_)
        if (way.last_resort == limit.last_resort && !way.linkless &&
            way.arrivals.at(to) <= limit.arrival)
            options_.push_back({&way, &way.routes[to]});
    std::ranges::sort(options_, better);
    table.valid_until =
        std::min({table.valid_until, next_change(limit, time), widths_[to].valid_until});
    if (options_.size() > kMaxCandidates) options_.resize(kMaxCandidates);
    const FoundRoute &best = options_.front().known->route;
    TableRow &row =
        table.rows.emplace_back(TableRow{graph_.number(to),
                                         {},
                                         widths_[to].max_bundle_bytes,
                                         limit.unusable < std::pair(best.arrival, best.hops())});
    for (const Option &option : options_)
        row.candidates.push_back(make_candidate(graph_, option.way->hop, option.known->route));
}

/// A row changes only at the end of a route or by a change of order: a contact that starts is part
/// of the route already, since bundles wait for it.
DtnTime NextHopPlanner::next_change(const Limit &limit, DtnTime time) const {
    /// The interval of recomputation while a candidate's arrival grows with time: a contact that
    /// starts may have become the earlier way.
    constexpr std::uint64_t kRefreshMs = 5000;
    DtnTime change = kDtnNever;
    bool moving = false;
    for (std::size_t index = 0; index < options_.size(); ++index) {
        const KnownRoute &known = *options_[index].known;
        change = std::min(change, saturating_add(known.feasible_until, 1));
        moving = moving || known.waits_until <= time;
        if (index > 0 && !limit.last_resort)
            change = std::min(change, overtakes_at(options_[index - 1], options_[index]));
        // A route that was not searched may become a candidate.
        if (limit.next != kDtnNever && !limit.last_resort)
            change = std::min(
                change, saturating_add(known.waits_until, limit.next - known.route.arrival + 1));
    }
    if (moving && (limit.ways > 1 || limit.unusable.first != kDtnNever))
        change = std::min(change, std::max(graph_.next_start(time), time + kRefreshMs));
    return change;
}

void NextHopPlanner::refresh_widths(DtnTime time) {
    if (!widths_.empty() && widths_from_ <= time && time < widths_until_) return;
    widths_ = widest_paths(graph_, own(), time);
    widths_from_ = time;
    widths_until_ = kDtnNever;
    for (const Width &width : widths_) widths_until_ = std::min(widths_until_, width.valid_until);
}

RouteTable compute_table(std::span<const bus::Contact> contacts, NodeNumber node,
                         std::span<const NextHop> next_hops, DtnTime time) {
    NextHopPlanner planner(node);
    planner.set_plan({contacts.begin(), contacts.end()});
    return planner.table(next_hops, time);
}

}  // namespace farlink::router
