// SPDX-License-Identifier: Apache-2.0
// The endpoints that stored bundles go to, each with a queue for each priority and its next hop.
// Owned by Inventory; one thread.
// The next hop is looked up by node number and kept with the endpoint, so a new route changes one
// field for each endpoint and none for each bundle.
#pragma once

#include <array>
#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "common/bp/eid/eid.hpp"
#include "common/bus/messages.hpp"
#include "module/storage/core/flow_queue.hpp"
#include "module/storage/core/quotas.hpp"

namespace farlink::storage {

/// Where bundles to an endpoint go now.
struct NextHop {
    LinkId link = kNoLink;  ///< kNoLink: no route
    NodeNumber node;
};

struct Flow {
    FlowQueue queue;
    std::uint64_t key = 0;       ///< bp::flow_key()
    LinkId listed_on = kNoLink;  ///< the link that will serve it
    Priority priority = Priority::kNormal;
    std::uint32_t destination = 0;
    std::uint64_t eviction_key = kNotListed;  ///< of EvictionOrder

    static constexpr std::uint64_t kNotListed = ~std::uint64_t{0};
};

class DestinationTable {
public:
    /// The flow of an endpoint (by its label) and priority; made when it is new. Where the store
    /// remembers sources, each has flows of its own. `quotas` are those of source and endpoint.
    [[nodiscard]] FlowIndex find_or_add(ByteView label, const bp::EidView &endpoint,
                                        Priority priority, QuotaSet quotas = 0);
    /// Counts the bundles that refer to a flow; an endpoint without any is forgotten.
    void hold(FlowIndex flow) { ++destination_of(flow).holders; }
    void let_go(FlowIndex flow);

    [[nodiscard]] Flow &flow(FlowIndex index) {
        return destination_of(index).flows[index % kPriorityCount];
    }
    /// Stays where it is while the flow is held.
    [[nodiscard]] ByteView label_of(FlowIndex flow) const {
        return as_bytes(destination_of(flow).label);
    }
    [[nodiscard]] QuotaSet quotas_of(FlowIndex flow) const { return destination_of(flow).quotas; }
    [[nodiscard]] NextHop next_hop(FlowIndex flow) const { return destination_of(flow).next_hop; }

    /// The whole table of routes; the first candidate of each is the way to go, unless it leads by
    /// a neighbour that is avoided and another one does not.
    void set_routes(const std::vector<bus::Route> &routes);
    void set_avoided(std::vector<NodeNumber> neighbours);
    [[nodiscard]] std::size_t size() const { return destinations_.size(); }
    /// Every flow that holds a bundle.
    template <class Visit>
    void for_each_flow(Visit &&visit) {
        for (std::size_t at = 0; at < destinations_.size(); ++at) {
            if (destinations_[at].holders == 0) continue;
            for (std::size_t priority = 0; priority < kPriorityCount; ++priority)
                visit(static_cast<FlowIndex>(at * kPriorityCount + priority));
        }
    }

private:
    struct Destination {
        std::string label;
        NodeNumber node;        ///< of an ipn endpoint
        bool routable = false;  ///< dtn names have no routes
        QuotaSet quotas = 0;    ///< in which its bundles count
        NextHop next_hop;
        std::uint64_t holders = 0;
        std::array<Flow, kPriorityCount> flows;
    };
    /// Endpoints are found by what their labels say, without making a string for each bundle.
    struct LabelHash {
        using is_transparent = void;
        std::size_t operator()(std::string_view label) const {
            return std::hash<std::string_view>{}(label);
        }
    };

    [[nodiscard]] Destination &destination_of(FlowIndex flow) {
        return destinations_[flow / kPriorityCount];
    }
    [[nodiscard]] const Destination &destination_of(FlowIndex flow) const {
        return destinations_[flow / kPriorityCount];
    }
    static constexpr std::uint32_t kNone = 0xffffffffU;
    [[nodiscard]] std::uint32_t find(ByteView label);
    [[nodiscard]] std::uint32_t add(ByteView label, const bp::EidView &endpoint, QuotaSet quotas);
    [[nodiscard]] NextHop resolve(const Destination &destination) const;
    void resolve_all();

    std::uint32_t last_found_ = kNone;  ///< bundles of one destination come in runs
    std::deque<Destination> destinations_;
    std::vector<std::uint32_t> free_;
    std::unordered_map<std::string, std::uint32_t, LabelHash, std::equal_to<>> by_label_;
    std::unordered_map<NodeNumber, std::vector<NextHop>> routes_;  ///< best first, never empty
    std::vector<NodeNumber> avoided_;
};

}  // namespace farlink::storage
