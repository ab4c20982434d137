// SPDX-License-Identifier: Apache-2.0
#include "module/router/core/arrivals.hpp"

#include <algorithm>
#include <utility>

namespace farlink::router {
namespace {

void note(std::vector<std::vector<NodeIndex>> &work, std::uint32_t hops, NodeIndex node) {
    if (work.size() <= hops) work.resize(hops + 1);
    work[hops].push_back(node);
}

/// The nodes with a number of hops, each once.
std::vector<NodeIndex> take(std::vector<std::vector<NodeIndex>> &work, std::uint32_t hops) {
    if (hops >= work.size()) return {};
    std::vector<NodeIndex> nodes = std::exchange(work[hops], {});
    std::ranges::sort(nodes);
    nodes.erase(std::ranges::unique(nodes).begin(), nodes.end());
    return nodes;
}

}  // namespace

void Arrivals::compute(const ContactGraph &graph, NodeIndex source, DtnTime from, NodeIndex entry,
                       DtnTime arrival) {
    source_ = source;
    entry_ = entry;
    most_hops_ = 0;
    earliest_.assign(graph.node_count(), kDtnNever);
    labels_.assign(graph.node_count(), {});
    move(graph, from, arrival);
}

/// Faster than to look at most nodes again.
void Arrivals::begin_anew(const ContactGraph &graph) {
    lost_.clear();
    gained_.clear();
    const DtnTime arrival = earliest_[entry_];
    compute(graph, source_, from(), entry_, arrival);
}

void Arrivals::amend(const ContactGraph &graph, const GraphStep &step) {
    const GraphContact &contact = step.contact;
    for (const Label &label : labels_[contact.from]) {
        const DtnTime arrival = arrival_by(contact, label.arrival, 0);
        if (step.added)
            offer(contact.to, label.hops + 1, arrival);
        else if (arrival != kDtnNever && exactly(label.hops + 1, contact.to) == arrival)
            note_loss(contact.to, label.hops + 1);
    }
    apply(graph);
}

void Arrivals::move(const ContactGraph &graph, DtnTime from, DtnTime arrival) {
    earliest_[source_] = from;
    const DtnTime before = earliest_[entry_];
    if (arrival == before) return;
    if (before != kDtnNever) drop(entry_, 1);
    if (arrival != kDtnNever) put(entry_, {1, arrival});
    if (arrival < before)
        note(gained_, 1, entry_);
    else
        lose_beyond(graph, entry_, {1, before});
    apply(graph);
}

std::optional<std::uint32_t> Arrivals::hops_by(NodeIndex node, DtnTime deadline) const {
    for (const Label &label : labels_[node])
        if (label.arrival <= deadline) return label.hops;
    return std::nullopt;
}

std::vector<std::vector<DtnTime>> Arrivals::by_hops() const {
    std::size_t most = 0;
    for (const std::vector<Label> &labels : labels_)
        if (!labels.empty()) most = std::max<std::size_t>(most, labels.back().hops);
    std::vector<std::vector<DtnTime>> rows(most + 1, std::vector(labels_.size(), kDtnNever));
    for (NodeIndex node = 0; node < labels_.size(); ++node)
        for (const Label &label : labels_[node])
            for (std::size_t hops = label.hops; hops <= most; ++hops)
                rows[hops][node] = label.arrival;
    for (std::vector<DtnTime> &row : rows) row[source_] = earliest_[source_];
    return rows;
}

/// The earliest arrival with at most that number of hops.
DtnTime Arrivals::within(std::uint32_t hops, NodeIndex node) const {
    const std::vector<Label> &labels = labels_[node];
    for (auto label = labels.rbegin(); label != labels.rend(); ++label)
        if (label->hops <= hops) return label->arrival;
    return kDtnNever;
}

/// The arrival of the label with exactly that number of hops; kDtnNever if there is none.
DtnTime Arrivals::exactly(std::uint32_t hops, NodeIndex node) const {
    for (const Label &label : labels_[node])
        if (label.hops == hops) return label.arrival;
    return kDtnNever;
}

/// Removes labels with more hops that do not arrive earlier.
void Arrivals::put(NodeIndex node, Label label) {
    std::vector<Label> &labels = labels_[node];
    std::erase_if(labels, [&](const Label &other) {
        return other.hops >= label.hops && other.arrival >= label.arrival;
    });
    labels.insert(std::ranges::upper_bound(labels, label.hops, {}, &Label::hops), label);
    earliest_[node] = labels.back().arrival;
    most_hops_ = std::max(most_hops_, label.hops);
}

void Arrivals::drop(NodeIndex node, std::uint32_t hops) {
    std::vector<Label> &labels = labels_[node];
    std::erase_if(labels, [&](const Label &label) { return label.hops == hops; });
    earliest_[node] = labels.empty() ? kDtnNever : labels.back().arrival;
}

void Arrivals::offer(NodeIndex node, std::uint32_t hops, DtnTime arrival) {
    if (node == source_ || node == entry_ || arrival >= within(hops, node)) return;
    put(node, {hops, arrival});
    note(gained_, hops, node);
}

void Arrivals::note_loss(NodeIndex node, std::uint32_t hops) {
    if (node != source_ && node != entry_) note(lost_, hops, node);
}

/// Marks the labels that may derive from this one.
void Arrivals::lose_beyond(const ContactGraph &graph, NodeIndex node, Label label) {
    for (const Edge &edge : graph.edges_from(node)) {
        const DtnTime led_to = exactly(label.hops + 1, edge.to);
        if (led_to != kDtnNever && earliest_over(graph, edge, label.arrival, 0) == led_to)
            note_loss(edge.to, label.hops + 1);
    }
}

// Hop by hop, so that the labels from which a label derives are final before it is evaluated, even
// with contacts that take no time.
void Arrivals::apply(const ContactGraph &graph) {
    std::size_t looks = 0;
    for (std::uint32_t hops = 1; hops < std::max(lost_.size(), gained_.size()); ++hops) {
        std::vector<NodeIndex> lost = take(lost_, hops);
        looks += lost.size();
        if (looks > earliest_.size()) return begin_anew(graph);
        std::erase_if(lost, [&](NodeIndex node) { return look_again(graph, node, hops); });
        if (hops <= most_hops_)
            for (const NodeIndex node : lost) note_loss(node, hops + 1);
        for (const NodeIndex node : take(gained_, hops)) spread(graph, node, hops);
    }
}

// A replacement of a label arrives later, so that no arrival beyond it becomes earlier. A way with
// one hop more may have been dominated by the label. True if there is none, because another way
// arrives as early with as many hops.
bool Arrivals::look_again(const ContactGraph &graph, NodeIndex node, std::uint32_t hops) {
    const DtnTime fewer = within(hops - 1, node);
    DtnTime best = fewer;
    for (const Edge &edge : graph.edges_into(node)) {
        const DtnTime soonest = std::max(earliest_[edge.from], edge.earliest_start);
        if (edge.from == source_ || edge.latest_end <= soonest ||
            saturating_add(soonest, edge.least_light_ms) >= best)
            continue;
        const DtnTime ready = within(hops - 1, edge.from);
        best = std::min(best, earliest_over(graph, edge, ready, 0, nullptr, best));
    }
    const DtnTime known = exactly(hops, node);
    if (known != kDtnNever && known == best) return true;
    if (known != kDtnNever) {
        drop(node, hops);
        lose_beyond(graph, node, {hops, known});
    }
    if (best < fewer) put(node, {hops, best});
    return false;
}

void Arrivals::spread(const ContactGraph &graph, NodeIndex node, std::uint32_t hops) {
    const DtnTime arrival = exactly(hops, node);
    if (arrival == kDtnNever) return;
    for (const Edge &edge : graph.edges_from(node)) {
        const DtnTime soonest = std::max(arrival, edge.earliest_start);
        if (edge.latest_end <= soonest) continue;
        const DtnTime known = within(hops + 1, edge.to);
        if (saturating_add(soonest, edge.least_light_ms) >= known) continue;
        offer(edge.to, hops + 1, earliest_over(graph, edge, arrival, 0, nullptr, known));
    }
}

}  // namespace farlink::router
