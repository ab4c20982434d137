// SPDX-License-Identifier: Apache-2.0
// When a bundle of size zero can be at each node at the earliest, within so many hops, leaving by
// one neighbour.
// Owned by the planner, one a neighbour; one thread.
// After a change of the plan or of the time only the nodes whose arrival changes are looked at, and
// those next to them.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "module/router/core/hop_times.hpp"

namespace farlink::router {

class Arrivals {
public:
    /// With so many hops a bundle arrives then, and with fewer ones later.
    struct Label {
        std::uint32_t hops = 0;
        DtnTime arrival = 0;
        friend bool operator==(const Label &, const Label &) = default;
    };

    /// All nodes, for a bundle that is at the neighbour `entry` at `arrival`. No way leads back
    /// through `source`, which it leaves at `from`.
    void compute(const ContactGraph &graph, NodeIndex source, DtnTime from, NodeIndex entry,
                 DtnTime arrival);
    /// The same for a graph that this step has led to.
    void amend(const ContactGraph &graph, const GraphStep &step);
    /// The bundle leaves the source at another time, and is at the neighbour at `arrival`.
    void move(const ContactGraph &graph, DtnTime from, DtnTime arrival);

    [[nodiscard]] bool empty() const { return earliest_.empty(); }
    [[nodiscard]] DtnTime from() const { return earliest_[source_]; }
    [[nodiscard]] DtnTime at(NodeIndex node) const { return earliest_[node]; }
    /// By hops, ascending; so the arrivals descend. Empty for the source.
    [[nodiscard]] const std::vector<Label> &labels(NodeIndex node) const { return labels_[node]; }
    /// The fewest hops to be there by `deadline`; none: it cannot be.
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
    std::uint32_t most_hops_ = 0;             ///< no label has had more
    std::vector<DtnTime> earliest_;           ///< by node
    std::vector<std::vector<Label>> labels_;  ///< by node
    /// Work of a change, by hops: nodes whose label may have lost its way, and new labels.
    std::vector<std::vector<NodeIndex>> lost_;
    std::vector<std::vector<NodeIndex>> gained_;
};

}  // namespace farlink::router
