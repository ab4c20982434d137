// SPDX-License-Identifier: Apache-2.0
#include "module/router/core/route_search.hpp"

#include <algorithm>
#include <queue>

#include "common/base/invariant.hpp"

namespace farlink::router {

void RouteSearch::run(const RouteQuery &query) {
    struct Label {
        DtnTime arrival;
        NodeIndex node;
        bool operator>(const Label &other) const { return arrival > other.arrival; }
    };
    query_ = query;
    within_.clear();
    arrival_.assign(graph_->node_count(), kDtnNever);
    arrival_[query.source] = query.time;
    std::priority_queue<Label, std::vector<Label>, std::greater<>> open;
    open.push({query.time, query.source});
    while (!open.empty()) {
        const Label label = open.top();
        open.pop();
        if (label.arrival != arrival_[label.node]) continue;  // an earlier label came first
        // Nodes with the same arrival may still affect the order of routes.
        if (query.destination && label.arrival > arrival_[*query.destination]) break;
        for (const Edge &edge : graph_->edges_from(label.node)) {
            if (label.node == query.source && !may_leave_by(edge.to)) continue;
            const DtnTime arrival = earliest_over(*graph_, edge, label.arrival, query_.size_bytes,
                                                  query_.without, arrival_[edge.to]);
            if (arrival >= arrival_[edge.to]) continue;
            arrival_[edge.to] = arrival;
            open.push({arrival, edge.to});
        }
    }
}

void RouteSearch::resume(const RouteQuery &query, std::vector<std::vector<DtnTime>> within) {
    query_ = query;
    within_ = std::move(within);
    arrival_ = within_.back();
}

bool RouteSearch::left_out(const GraphContact &contact) const {
    if (query_.without == nullptr || query_.without->empty()) return false;
    return (*query_.without)[static_cast<std::size_t>(&contact - &graph_->contact(0))];
}

bool RouteSearch::may_leave_by(NodeIndex next_hop) const {
    if (query_.only_next_hop) return next_hop == *query_.only_next_hop;
    return std::ranges::find(query_.excluded_next_hops, next_hop) ==
           query_.excluded_next_hops.end();
}

std::optional<DtnTime> RouteSearch::latest_over(const Edge &edge, DtnTime deadline,
                                                DtnTime least_end) const {
    const std::span<const GraphContact> contacts = graph_->contacts_of(edge);
    std::optional<DtnTime> best;
    // Backwards from the last contact that starts in time, until no earlier one can be better.
    auto contact = std::ranges::upper_bound(contacts, deadline, {}, &GraphContact::start);
    while (contact != contacts.begin()) {
        --contact;
        if (contact->latest_end < least_end || (best && contact->latest_end <= *best)) break;
        if (contact->end < least_end || left_out(*contact)) continue;
        best = std::max(best, latest_ready(*contact, deadline, query_.size_bytes));
    }
    return best;
}

std::optional<FoundRoute> RouteSearch::best_route(NodeIndex destination) {
    if (arrival_[destination] == kDtnNever || destination == query_.source) return std::nullopt;
    // Fewest hops first: layers are added until the source is reached.
    fewest_hops_ = 0;
    if (!within_.empty())
        while (within_[fewest_hops_][destination] != arrival_[destination]) ++fewest_hops_;
    const bool reached = lay_deadlines(destination, 0, graph_->node_count());
    FARLINK_INVARIANT(reached);
    FoundRoute best = follow_deadlines(destination, 0);
    // Then the latest termination: search for a later one until there is none. Each search selects
    // the smallest entry node, so the last result has the smallest of those that end latest.
    while (best.termination != kDtnNever &&
           lay_deadlines(destination, best.termination + 1, best.hops()))
        best = follow_deadlines(destination, best.termination + 1);
    return best;
}

/// Walks backwards from the destination over contacts that end at `least_end` or later, one layer
/// per hop, through nodes that the bundle can reach in time; true if the source is reached.
bool RouteSearch::lay_deadlines(NodeIndex destination, DtnTime least_end, std::size_t most_hops) {
    latest_.resize(graph_->node_count());
    place_.resize(graph_->node_count());
    for (const Layer &layer : layers_)
        for (const Deadline &deadline : layer) latest_[deadline.node].reset();
    layers_.assign(1, Layer{{destination, arrival_[destination]}});
    // If the hops to each node are known, only edges that led to the source with these hops can do
    // so with later contacts.
    const bool again = least_end > 0 && !within_.empty();
    if (!again) useful_.clear();
    while (layers_.size() <= most_hops) {
        if (again)
            extend_layer_again(least_end);
        else
            extend_layer(destination, least_end);
        const Layer &layer = layers_.back();
        if (layer.empty()) return false;
        if (std::ranges::find(layer, query_.source, &Deadline::node) != layer.end()) return true;
    }
    return false;
}

void RouteSearch::extend_layer(NodeIndex destination, DtnTime least_end) {
    Layer layer;
    const std::vector<DtnTime> &earliest = earliest_before_layer();
    std::vector<const Edge *> &useful = useful_.emplace_back();
    for (const Deadline &next : layers_.back())
        for (const Edge &edge : graph_->edges_into(next.node)) {
            const DtnTime soonest = std::max(earliest[edge.from], edge.earliest_start);
            if (edge.latest_end <= soonest || edge.from == destination ||
                saturating_add(soonest, edge.least_light_ms) > next.latest)
                continue;
            if (lead_back(edge, next, least_end, layer)) useful.push_back(&edge);
        }
    finish_layer(std::move(layer));
}

void RouteSearch::extend_layer_again(DtnTime least_end) {
    Layer layer;
    const Layer &last = layers_.back();
    for (const Edge *edge : useful_[layers_.size() - 1]) {
        const auto next = std::ranges::lower_bound(last, edge->to, {}, &Deadline::node);
        if (next != last.end() && next->node == edge->to)
            (void)lead_back(*edge, *next, least_end, layer);
    }
    finish_layer(std::move(layer));
}

/// By node: the earliest arrivals with the hops left before the current layer, if known.
const std::vector<DtnTime> &RouteSearch::earliest_before_layer() const {
    const bool known = !within_.empty() && layers_.size() <= fewest_hops_;
    return known ? within_[fewest_hops_ - layers_.size()] : arrival_;
}

/// Adds the edge's first node to the layer if a bundle can be there in time for `next`.
bool RouteSearch::lead_back(const Edge &edge, const Deadline &next, DtnTime least_end,
                            Layer &layer) {
    const DtnTime ready = earliest_before_layer()[edge.from];
    if (edge.latest_end < least_end) return false;
    if (edge.from == query_.source && !may_leave_by(next.node)) return false;
    const std::optional<DtnTime> &known = latest_[edge.from];
    const DtnTime travel = edge.least_light_ms;
    if (next.latest < travel) return false;
    if (known && std::min(next.latest - travel, edge.latest_end - 1) <= *known) return false;
    const std::optional<DtnTime> latest = latest_over(edge, next.latest, least_end);
    if (!latest || *latest < ready) return false;
    // Fewer hops with the same deadline dominate this way.
    if (known && *known >= *latest) return false;
    std::uint32_t &place = place_[edge.from];
    if (place == 0) {
        layer.push_back({edge.from, *latest});
        place = static_cast<std::uint32_t>(layer.size());
    }
    Deadline &deadline = layer[place - 1];
    deadline.latest = std::max(deadline.latest, *latest);
    return true;
}

void RouteSearch::finish_layer(Layer layer) {
    for (const Deadline &deadline : layer) {
        latest_[deadline.node] = deadline.latest;
        place_[deadline.node] = 0;
    }
    std::ranges::sort(layer, {}, &Deadline::node);
    layers_.push_back(std::move(layer));
}

FoundRoute RouteSearch::follow_deadlines(NodeIndex destination, DtnTime least_end) const {
    FoundRoute route{query_.time, kDtnNever, 0, {}};
    NodeIndex node = query_.source;
    for (std::size_t left = layers_.size() - 1; left > 0; --left) {
        std::optional<ContactIndex> chosen;
        for (const Deadline &next : layers_[left - 1]) {
            if (left == layers_.size() - 1 && !may_leave_by(next.node)) continue;
            chosen = contact_towards(node, route.arrival, next, least_end);
            if (chosen) break;
        }
        FARLINK_INVARIANT(chosen.has_value());
        const GraphContact &contact = graph_->contact(*chosen);
        route.arrival = arrival_by(contact, route.arrival, query_.size_bytes);
        route.termination = std::min(route.termination, contact.end);
        route.contacts.push_back(*chosen);
        node = contact.to;
    }
    FARLINK_INVARIANT(node == destination && route.arrival == arrival_[destination]);
    route.next_hop = graph_->contact(route.contacts.front()).to;
    return route;
}

/// The contact that ends last among those that meet the deadline.
std::optional<ContactIndex> RouteSearch::contact_towards(NodeIndex from, DtnTime time,
                                                         const Deadline &to,
                                                         DtnTime least_end) const {
    const Edge *edge = graph_->edge_between(from, to.node);
    if (edge == nullptr) return std::nullopt;
    const std::span<const GraphContact> contacts = graph_->contacts_of(*edge);
    auto best = contacts.end();
    auto contact = std::ranges::upper_bound(contacts, time, {}, &GraphContact::latest_end);
    for (; contact != contacts.end() && contact->start <= to.latest; ++contact) {
        if (contact->end < least_end || left_out(*contact)) continue;
        const DtnTime arrival = arrival_by(*contact, time, query_.size_bytes);
        if (arrival == kDtnNever || arrival > to.latest) continue;
        if (best == contacts.end() || contact->end > best->end) best = contact;
    }
    if (best == contacts.end()) return std::nullopt;
    return edge->first + static_cast<ContactIndex>(best - contacts.begin());
}

DtnTime latest_departure(const ContactGraph &graph, const std::vector<ContactIndex> &contacts,
                         DtnTime deadline) {
    for (auto index = contacts.rbegin(); index != contacts.rend(); ++index) {
        const std::optional<DtnTime> latest = latest_ready(graph.contact(*index), deadline, 0);
        FARLINK_INVARIANT(latest.has_value());
        deadline = *latest;
    }
    return deadline;
}

}  // namespace farlink::router
