// SPDX-License-Identifier: Apache-2.0
// The earliest arrival of a bundle of size zero at each node, by number of hops, via one neighbour.
// Owned by the planner, one per neighbour; one thread.
// After a change of the plan or of the time only the nodes whose arrival changes, and those next to
// them, are evaluated.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "module/router/core/hop_times.hpp"

namespace farlink::router {

class Arrivals {
public:
    /// The arrival with that number of hops; with fewer hops a bundle arrives later.
    struct Label {
        std::uint32_t hops = 0;
        DtnTime arrival = 0;
        friend bool operator==(const Label &, const Label &) = default;
    };

    /// For a bundle that leaves `source` at `from` and is at the neighbour `entry` at `arrival`. No
    /// way leads back through `source`.
    void compute(const ContactGraph &graph, NodeIndex source, DtnTime from, NodeIndex entry,
                 DtnTime arrival);
    /// Updates the arrivals after this change of the graph.
    void amend(const ContactGraph &graph, const GraphStep &step);
    /// Updates the arrivals for another departure and arrival at the neighbour.
    void move(const ContactGraph &graph, DtnTime from, DtnTime arrival);

    [[nodiscard]] bool empty() const { return earliest_.empty(); }
    [[nodiscard]] DtnTime from() const { return earliest_[source_]; }
    [[nodiscard]] DtnTime at(NodeIndex node) const { return earliest_[node]; }
    /// Ascending by hops, so that arrivals descend. Empty for the source.
    [[nodiscard]] const std::vector<Label> &labels(NodeIndex node) const { return labels_[node]; }
    /// The fewest hops for an arrival by `deadline`; empty if there is none.
    [[nodiscard]] std::optional<std::uint32_t> hops_by(NodeIndex node, DtnTime deadline) const;
    /// By number of hops and node: the earliest arrival within so many hops; the last row is at().
    [[nodiscard]] std::vector<std::vector<DtnTime>> by_hops() const;

private:
    [[nodiscard]] DtnTime within(std::uint32_t hops, NodeIndex node) const;
    [[nodiscard]] DtnTime exactly(std::uint32_t hops, NodeIndex node) const;
    void offer(NodeIndex node, std::uint32_t hops, DtnTime arrival);
    void put(NodeIndex node, Label label);
    void drop(NodeIndex node, std::uint32_t hops);
    void note_loss(NodeIndex node, std::uint32_t hops);
    void lose_beyond(const ContactGraph &graph, NodeIndex node, Label label);
    [[nodiscard]] bool look_again(const ContactGraph &graph, NodeIndex node, std::uint32_t hops);
    void spread(const ContactGraph &graph, NodeIndex node, std::uint32_t hops);
    void apply(const ContactGraph &graph);
    void begin_anew(const ContactGraph &graph);

    NodeIndex source_ = 0;
    NodeIndex entry_ = 0;
    std::uint32_t most_hops_ = 0;             ///< the largest number of hops of any label so far
    std::vector<DtnTime> earliest_;           ///< by node
    std::vector<std::vector<Label>> labels_;  ///< by node
    /// Pending work of a change, by hops: nodes whose label may be invalid, and new labels.
    std::vector<std::vector<NodeIndex>> lost_;
    std::vector<std::vector<NodeIndex>> gained_;
};

}  // namespace farlink::router
