// SPDX-License-Identifier: Apache-2.0
// When a bundle of size zero can be at each node at the earliest, leaving by one neighbour.
// Owned by the planner, one a neighbour; one thread.
// After a change of the plan only the nodes whose arrival changes are looked at, and those next to
// them.
#pragma once

#include <span>
#include <vector>

#include "module/router/core/hop_times.hpp"

namespace farlink::router {

class Arrivals {
public:
    /// All nodes, for a bundle that is at the neighbour `entry` at `arrival`. No way leads back
    /// through `source`, which it leaves at `from`.
    void compute(const ContactGraph &graph, NodeIndex source, DtnTime from, NodeIndex entry,
                 DtnTime arrival);
    /// The same for a graph that these steps have led to.
    void amend(const ContactGraph &graph, std::span<const GraphStep> steps);
    /// The bundle leaves the source at another time and is at the neighbour when it was.
    void set_from(DtnTime from) { labels_[source_] = from; }

    [[nodiscard]] bool empty() const { return labels_.empty(); }
    [[nodiscard]] DtnTime at(NodeIndex node) const { return labels_[node]; }
    [[nodiscard]] std::span<const DtnTime> all() const { return labels_; }
    [[nodiscard]] DtnTime from() const { return labels_[source_]; }

private:
    struct Label {
        DtnTime arrival;
        NodeIndex node;
        friend auto operator<=>(const Label &, const Label &) = default;
    };
    void push(DtnTime arrival, NodeIndex node);
    [[nodiscard]] Label pop();
    void offer(DtnTime arrival, NodeIndex node);
    void spread(const ContactGraph &graph);
    void find_delayed(const ContactGraph &graph);
    [[nodiscard]] DtnTime best_into(const ContactGraph &graph, NodeIndex node,
                                    DtnTime before) const;

    NodeIndex source_ = 0;
    NodeIndex entry_ = 0;
    std::vector<DtnTime> labels_;  ///< by node
    std::vector<Label> open_;      ///< a heap, the earliest on top
    std::vector<NodeIndex> delayed_;
    std::vector<bool> is_delayed_;
};

}  // namespace farlink::router
