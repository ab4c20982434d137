// SPDX-License-Identifier: Apache-2.0
// The way of a bundle, hop by hop, from the status reports of the nodes on it.
// Owned by bptrace; one thread; no socket and no clock.
// Reports come in any order and more than once. The clocks of nodes may differ: the first node is
// that of the source, the last one that which has delivered; between them the times decide.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "apps/bptrace/core/node_report.hpp"

namespace farlink::bptrace {

/// What one node has reported.
struct Hop {
    std::string node;  ///< "ipn:20", or its endpoint
    Moments moments;   ///< the earliest of each event
    std::uint64_t reason = 0;

    [[nodiscard]] bool has(bp::ReportEvent event) const {
        return moments[static_cast<std::size_t>(event)].has_value();
    }
};

class Way {
public:
    /// More nodes are not kept.
    static constexpr std::size_t kMostHops = 1024;

    explicit Way(bp::BundleId probe) : probe_(std::move(probe)) {}

    /// False: the report is about another bundle, or there are too many nodes.
    [[nodiscard]] bool add(const NodeReport &report);

    [[nodiscard]] const bp::BundleId &probe() const { return probe_; }
    [[nodiscard]] bool delivered() const { return reported(bp::ReportEvent::kDelivered); }
    [[nodiscard]] bool deleted() const { return reported(bp::ReportEvent::kDeleted); }
    /// Delivered or deleted, and each other node has reported that it has forwarded the bundle.
    [[nodiscard]] bool complete() const;
    /// Whether the node of the source is among those that report.
    [[nodiscard]] bool has_first_node() const;
    [[nodiscard]] std::uint64_t reports() const { return reports_; }
    /// In the order of the way.
    [[nodiscard]] std::vector<Hop> hops() const;

private:
    [[nodiscard]] bool reported(bp::ReportEvent event) const;
    [[nodiscard]] Hop *hop_of(const std::string &node);
    [[nodiscard]] int rank(const Hop &hop) const;

    bp::BundleId probe_;
    std::vector<Hop> hops_;
    std::uint64_t reports_ = 0;
};

/// The node of an endpoint: "ipn:20" of "ipn:20.0"; another endpoint as it is.
[[nodiscard]] std::string node_of(const std::string &endpoint);

}  // namespace farlink::bptrace
