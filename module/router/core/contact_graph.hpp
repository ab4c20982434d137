// SPDX-License-Identifier: Apache-2.0
// A contact plan indexed for route searches: nodes are vertices, and the contacts from one node to
// another are one edge, in order of their start.
// Built by the router from a ContactsUpdate, and updated when a few contacts change; its owner's
// thread only.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "common/bus/messages.hpp"

namespace farlink::router {

/// Bits a second times milliseconds, divided by this, are octets.
inline constexpr std::uint64_t kBitsTimesMs = 8 * 1000;

/// Place of a node in the graph; nodes are in ascending order of their numbers.
using NodeIndex = std::uint32_t;
/// Place of a contact in the graph.
using ContactIndex = std::uint32_t;

/// Contacts are half open in DTN milliseconds; light time is rounded up to milliseconds.
struct GraphContact {
    DtnTime start = 0;
    DtnTime end = 0;
    std::uint64_t light_ms = 0;
    std::uint64_t rate_bps = 0;  ///< 0: unlimited
    DtnTime latest_end = 0;      ///< of this contact and those before it on the same edge
    std::uint64_t id = 0;
    NodeIndex from = 0;
    NodeIndex to = 0;

    /// Milliseconds from the first octet to the last one, rounded up.
    [[nodiscard]] std::uint64_t duration_ms(std::uint64_t size_bytes) const {
        return rate_bps == 0 || size_bytes == 0 ? 0 : sending_ms(size_bytes);
    }

private:
    [[nodiscard]] std::uint64_t sending_ms(std::uint64_t size_bytes) const;
};

/// A contact was removed from `place`, or inserted there; those behind it have moved.
struct GraphStep {
    ContactIndex place = 0;
    bool added = false;
    GraphContact contact;
};

/// All contacts from one node to another, by start, with their common bounds: a search skips most
/// edges by these.
struct Edge {
    NodeIndex from = 0;
    NodeIndex to = 0;
    ContactIndex first = 0;
    std::uint32_t count = 0;
    std::uint64_t least_light_ms = 0;
    DtnTime earliest_start = 0;
    DtnTime latest_end = 0;
};

/// False for contacts without length, or from a node to itself.
[[nodiscard]] inline bool carries_data(const bus::Contact &contact) {
    return contact.start < contact.end && contact.source != contact.destination;
}

class ContactGraph {
public:
    ContactGraph() = default;
    /// Contacts that carry nothing are left out.
    explicit ContactGraph(std::span<const bus::Contact> contacts);
    /// Removes a contact that carries data; empty if the graph does not have it. A node without
    /// contacts stays.
    [[nodiscard]] std::optional<GraphStep> take_out(const bus::Contact &contact);
    /// Inserts a contact that carries data; empty if that would add a node.
    [[nodiscard]] std::optional<GraphStep> put_in(const bus::Contact &contact);

    [[nodiscard]] std::size_t node_count() const { return nodes_.size(); }
    [[nodiscard]] NodeNumber number(NodeIndex node) const { return nodes_[node]; }
    [[nodiscard]] std::optional<NodeIndex> find(NodeNumber node) const;
    /// The place of a contact of the plan, if the graph has it.
    [[nodiscard]] std::optional<ContactIndex> find(const bus::Contact &contact) const;

    [[nodiscard]] const GraphContact &contact(ContactIndex index) const { return contacts_[index]; }
    [[nodiscard]] std::size_t contact_count() const { return contacts_.size(); }
    [[nodiscard]] std::span<const GraphContact> contacts_of(const Edge &edge) const {
        return {contacts_.data() + edge.first, edge.count};
    }
    /// Edges that leave a node, by destination.
    [[nodiscard]] std::span<const Edge> edges_from(NodeIndex node) const {
        return {edges_.data() + first_out_[node], edges_.data() + first_out_[node + 1]};
    }
    /// Edges that lead to a node.
    [[nodiscard]] std::span<const Edge> edges_into(NodeIndex node) const {
        return {into_.data() + first_in_[node], into_.data() + first_in_[node + 1]};
    }
    [[nodiscard]] const Edge *edge_between(NodeIndex from, NodeIndex to) const;

    /// The earliest start after `time` of any contact; kDtnNever when there is none.
    [[nodiscard]] DtnTime next_start(DtnTime time) const;
    /// The end of the gapless run of contacts of `edge` that is open at `time`; `time` itself when
    /// none is open.
    [[nodiscard]] DtnTime run_end(const Edge &edge, DtnTime time) const;

private:
    [[nodiscard]] std::optional<GraphContact> entry_of(const bus::Contact &contact) const;
    void index_edges();

    std::vector<NodeNumber> nodes_;
    std::vector<GraphContact> contacts_;
    std::vector<Edge> edges_;
    std::vector<std::uint32_t> first_out_;  ///< node_count() + 1 places in edges_
    std::vector<std::uint32_t> first_in_;   ///< node_count() + 1 places in into_
    std::vector<Edge> into_;                ///< the same edges, grouped by destination
    std::vector<DtnTime> starts_;           ///< ascending
};

}  // namespace farlink::router
