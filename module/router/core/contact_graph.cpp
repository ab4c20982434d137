// SPDX-License-Identifier: Apache-2.0
#include "module/router/core/contact_graph.hpp"

#include <algorithm>
#include <tuple>

namespace farlink::router {
namespace {

std::uint64_t milliseconds_up(Duration time) {
    return time <= Duration::zero()
               ? 0
               : static_cast<std::uint64_t>(std::chrono::ceil<milliseconds>(time).count());
}

/// The order of contacts in a graph.
auto place_of(const GraphContact &contact) {
    return std::tuple(contact.from, contact.to, contact.start, contact.id);
}

bool same(const GraphContact &one, const GraphContact &other) {
    return place_of(one) == place_of(other) && one.end == other.end &&
           one.light_ms == other.light_ms && one.rate_bps == other.rate_bps;
}

}  // namespace

std::uint64_t GraphContact::sending_ms(std::uint64_t size_bytes) const {
    if (size_bytes > kDtnNever / kBitsTimesMs) return kDtnNever;
    const std::uint64_t product = size_bytes * kBitsTimesMs;
    return product / rate_bps + (product % rate_bps != 0);
}

ContactGraph::ContactGraph(std::span<const bus::Contact> contacts) {
    for (const bus::Contact &contact : contacts) {
        if (!carries_data(contact)) continue;
        nodes_.push_back(contact.source);
        nodes_.push_back(contact.destination);
    }
    std::ranges::sort(nodes_);
    nodes_.erase(std::ranges::unique(nodes_).begin(), nodes_.end());

    for (const bus::Contact &contact : contacts) {
        if (!carries_data(contact)) continue;
        contacts_.push_back(*entry_of(contact));
        starts_.push_back(contact.start);
    }
    std::ranges::sort(starts_);
    std::ranges::sort(contacts_, {}, place_of);
    index_edges();
}

std::optional<GraphContact> ContactGraph::entry_of(const bus::Contact &contact) const {
    const auto from = find(contact.source);
    const auto to = find(contact.destination);
    if (!from || !to) return std::nullopt;
    return GraphContact{contact.start,
                        contact.end,
                        milliseconds_up(contact.owlt),
                        contact.rate.value(),
                        0,
                        contact.id,
                        *from,
                        *to};
}

std::optional<ContactIndex> ContactGraph::find(const bus::Contact &contact) const {
    const auto entry = carries_data(contact) ? entry_of(contact) : std::nullopt;
    if (!entry) return std::nullopt;
    const auto place = std::ranges::lower_bound(contacts_, place_of(*entry), {}, place_of);
    for (auto equal = place; equal != contacts_.end(); ++equal) {
        if (same(*equal, *entry)) return static_cast<ContactIndex>(equal - contacts_.begin());
        if (place_of(*equal) != place_of(*entry)) break;
    }
    return std::nullopt;
}

std::optional<GraphStep> ContactGraph::take_out(const bus::Contact &contact) {
    const auto place = find(contact);
    if (!place) return std::nullopt;
    const GraphStep step{*place, false, contacts_[*place]};
    contacts_.erase(contacts_.begin() + *place);
    starts_.erase(std::ranges::lower_bound(starts_, contact.start));
    index_edges();
    return step;
}

std::optional<GraphStep> ContactGraph::put_in(const bus::Contact &contact) {
    const auto entry = entry_of(contact);
    if (!entry) return std::nullopt;
    const auto place = std::ranges::upper_bound(contacts_, place_of(*entry), {}, place_of);
    const GraphStep step{static_cast<ContactIndex>(place - contacts_.begin()), true, *entry};
    contacts_.insert(place, *entry);
    starts_.insert(std::ranges::upper_bound(starts_, contact.start), contact.start);
    index_edges();
    return step;
}

void ContactGraph::index_edges() {
    edges_.clear();
    first_out_.assign(node_count() + 1, 0);
    first_in_.assign(node_count() + 1, 0);
    for (ContactIndex index = 0; index < contacts_.size(); ++index) {
        GraphContact &contact = contacts_[index];
        const bool new_edge =
            edges_.empty() || edges_.back().from != contact.from || edges_.back().to != contact.to;
        if (new_edge) {
            edges_.push_back(
                {contact.from, contact.to, index, 0, contact.light_ms, contact.start, 0});
            ++first_out_[contact.from + 1];
            ++first_in_[contact.to + 1];
        }
        Edge &edge = edges_.back();
        ++edge.count;
        edge.least_light_ms = std::min(edge.least_light_ms, contact.light_ms);
        edge.latest_end = std::max(edge.latest_end, contact.end);
        contact.latest_end = edge.latest_end;
    }
    for (std::size_t node = 0; node < node_count(); ++node) {
        first_out_[node + 1] += first_out_[node];
        first_in_[node + 1] += first_in_[node];
    }
    into_.resize(edges_.size());
    std::vector<std::uint32_t> next(first_in_);
    for (const Edge &edge : edges_) into_[next[edge.to]++] = edge;
}

std::optional<NodeIndex> ContactGraph::find(NodeNumber node) const {
    const auto found = std::ranges::lower_bound(nodes_, node);
    if (found == nodes_.end() || *found != node) return std::nullopt;
    return static_cast<NodeIndex>(found - nodes_.begin());
}

const Edge *ContactGraph::edge_between(NodeIndex from, NodeIndex to) const {
    const std::span<const Edge> edges = edges_from(from);
    const auto found = std::ranges::lower_bound(edges, to, {}, &Edge::to);
    return found == edges.end() || found->to != to ? nullptr : &*found;
}

DtnTime ContactGraph::next_start(DtnTime time) const {
    const auto found = std::ranges::upper_bound(starts_, time);
    return found == starts_.end() ? kDtnNever : *found;
}

DtnTime ContactGraph::run_end(const Edge &edge, DtnTime time) const {
    for (const GraphContact &contact : contacts_of(edge)) {
        if (contact.start > time) break;
        time = std::max(time, contact.end);
    }
    return time;
}

}  // namespace farlink::router
