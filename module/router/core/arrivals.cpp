// SPDX-License-Identifier: Apache-2.0
#include "module/router/core/arrivals.hpp"

#include <algorithm>

namespace farlink::router {

void Arrivals::compute(const ContactGraph &graph, NodeIndex source, DtnTime from, NodeIndex entry,
                       DtnTime arrival) {
    source_ = source;
    entry_ = entry;
    labels_.assign(graph.node_count(), kDtnNever);
    is_delayed_.assign(graph.node_count(), false);
    labels_[source] = from;
    offer(arrival, entry);
    spread(graph);
}

// Dynamic shortest paths (after Ramalingam and Reps): first the nodes that lose the way on which
// they were reached, in the order of their arrivals; they get what the others leave them. Then
// everything that has become earlier spreads.
void Arrivals::amend(const ContactGraph &graph, std::span<const GraphStep> steps) {
    for (const GraphStep &step : steps) {
        const GraphContact &contact = step.contact;
        const DtnTime ready = labels_[contact.from];
        if (step.added || contact.from == source_ || contact.to == source_ || ready == kDtnNever)
            continue;
        if (contact.to == entry_ || arrival_by(contact, ready, 0) > labels_[contact.to]) continue;
        push(labels_[contact.to], contact.to);
    }
    find_delayed(graph);
    const std::vector<NodeIndex> delayed = std::move(delayed_);
    delayed_.clear();
    for (const NodeIndex node : delayed) labels_[node] = kDtnNever;
    for (const NodeIndex node : delayed) is_delayed_[node] = false;
    for (const NodeIndex node : delayed) offer(best_into(graph, node, kDtnNever), node);
    for (const GraphStep &step : steps) {
        const GraphContact &contact = step.contact;
        const DtnTime ready = labels_[contact.from];
        if (!step.added || contact.from == source_ || ready == kDtnNever) continue;
        offer(arrival_by(contact, ready, 0), contact.to);
    }
    spread(graph);
}

void Arrivals::push(DtnTime arrival, NodeIndex node) {
    open_.push_back({arrival, node});
    std::ranges::push_heap(open_, std::greater<>());
}

Arrivals::Label Arrivals::pop() {
    std::ranges::pop_heap(open_, std::greater<>());
    const Label label = open_.back();
    open_.pop_back();
    return label;
}

void Arrivals::offer(DtnTime arrival, NodeIndex node) {
    if (node == source_ || arrival >= labels_[node]) return;
    labels_[node] = arrival;
    push(arrival, node);
}

void Arrivals::spread(const ContactGraph &graph) {
    while (!open_.empty()) {
        const Label label = pop();
        if (label.arrival != labels_[label.node]) continue;  // an earlier label came first
        for (const Edge &edge : graph.edges_from(label.node))
            offer(earliest_over(graph, edge, label.arrival, 0), edge.to);
    }
}

// A node counts as delayed unless another that is reached strictly earlier still leads there in
// time: where contacts take no time at all, nodes might hold up each other. What is delayed without
// need gets its old label back.
void Arrivals::find_delayed(const ContactGraph &graph) {
    while (!open_.empty()) {
        const Label label = pop();
        if (is_delayed_[label.node] || label.node == entry_) continue;
        if (best_into(graph, label.node, label.arrival) <= label.arrival) continue;
        is_delayed_[label.node] = true;
        delayed_.push_back(label.node);
        for (const Edge &edge : graph.edges_from(label.node)) {
            if (edge.to == source_ || is_delayed_[edge.to] || labels_[edge.to] == kDtnNever)
                continue;
            if (earliest_over(graph, edge, label.arrival, 0) <= labels_[edge.to])
                push(labels_[edge.to], edge.to);
        }
    }
}

/// The earliest arrival by nodes that are not delayed and are reached before `before`.
DtnTime Arrivals::best_into(const ContactGraph &graph, NodeIndex node, DtnTime before) const {
    DtnTime best = kDtnNever;
    for (const std::uint32_t index : graph.edges_into(node)) {
        const Edge &edge = graph.edge(index);
        const DtnTime ready = labels_[edge.from];
        if (edge.from == source_ || is_delayed_[edge.from] || ready >= before) continue;
        if (ready < best) best = std::min(best, earliest_over(graph, edge, ready, 0));
    }
    return best;
}

}  // namespace farlink::router
