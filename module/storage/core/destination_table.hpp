// SPDX-License-Identifier: Apache-2.0
// The endpoints that stored bundles go to, each with a queue for each priority and its next hop.
// Owned by Inventory; one thread.
// The next hop is looked up once for each endpoint and priority after a change of routes, and never
// for a bundle.
#pragma once

#include <array>
#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "common/bp/eid/eid.hpp"
#include "common/bus/messages.hpp"
#include "common/routing/forwarding_table.hpp"
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
    std::uint64_t bytes = 0;                  ///< of the bundles held
    NextHop next_hop;
    std::uint64_t routes_seen = 0;  ///< of which next_hop is

    static constexpr std::uint64_t kNotListed = ~std::uint64_t{0};
};

class DestinationTable {
public:
    /// The flow of an endpoint (by its label) and priority; made when it is new. Where the store
    /// remembers sources, each has flows of its own, and so has each neighbour that sends (0: not
    /// known), since nothing goes back to it. `quotas` are those of source and endpoint.
    [[nodiscard]] FlowIndex find_or_add(ByteView label, const bp::EidView &endpoint,
                                        Priority priority, QuotaSet quotas = 0,
                                        NodeNumber sender = {});
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
    /// Of an ipn endpoint; else 0.
    [[nodiscard]] NodeNumber node_of(FlowIndex flow) const { return destination_of(flow).node; }
    [[nodiscard]] QuotaSet quotas_of(FlowIndex flow) const { return destination_of(flow).quotas; }
    [[nodiscard]] NextHop next_hop(FlowIndex index) {
        Flow &known = flow(index);
        if (known.routes_seen != routes_seen_) {
            known.routes_seen = routes_seen_;
            known.next_hop = resolve(destination_of(index), known.priority);
        }
        return known.next_hop;
    }
    /// Every way of a critical bundle of this flow that may bring it there in time.
    [[nodiscard]] std::vector<routing::NextHop> all_ways(FlowIndex index, const Entry &entry,
                                                         DtnTime now_ms) const;
    /// What waits for each node with each priority, in no order.
    [[nodiscard]] std::vector<bus::WaitingBytes> waiting() const;

    void set_policies(const config::RoutingConfig &config) {
        ways_ = routing::ForwardingTable(config);
    }
    /// The whole table of routes; the first way of each is the one to go, unless it leads by a
    /// neighbour that is avoided and another one does not.
    void set_routes(const bus::RouteUpdate &update);
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
        NodeNumber sender;      ///< the neighbour that its bundles came from
        bool routable = false;  ///< dtn names have no routes
        QuotaSet quotas = 0;    ///< in which its bundles count
        std::uint64_t service = 0;
        std::uint64_t holders = 0;
        std::array<Flow, kPriorityCount> flows;
    };
    /// Label and sender. Found without making a string for each bundle: the label is the one that
    /// its Destination, which never moves, holds.
    struct Name {
        std::string_view label;
        NodeNumber sender;
        friend bool operator==(const Name &, const Name &) = default;
    };
    struct NameHash {
        std::size_t operator()(const Name &name) const {
            return std::hash<std::string_view>{}(name.label) ^ name.sender.value() * kGolden;
        }
        static constexpr std::uint64_t kGolden = 0x9e3779b97f4a7c15ULL;
    };

    [[nodiscard]] Destination &destination_of(FlowIndex flow) {
        return destinations_[flow / kPriorityCount];
    }
    [[nodiscard]] const Destination &destination_of(FlowIndex flow) const {
        return destinations_[flow / kPriorityCount];
    }
    static constexpr std::uint32_t kNone = 0xffffffffU;
    [[nodiscard]] std::uint32_t find(const Name &name);
    [[nodiscard]] std::uint32_t add(const Name &name, const bp::EidView &endpoint, QuotaSet quotas);
    [[nodiscard]] static Name name_of(const Destination &destination) {
        return {destination.label, destination.sender};
    }
    [[nodiscard]] NextHop resolve(const Destination &destination, Priority priority);

    std::uint32_t last_found_ = kNone;  ///< bundles of one destination come in runs
    std::deque<Destination> destinations_;
    std::vector<std::uint32_t> free_;
    std::unordered_map<Name, std::uint32_t, NameHash> by_name_;
    routing::ForwardingTable ways_;
    std::uint64_t routes_seen_ = 1;
    std::vector<NodeNumber> avoided_;
};

}  // namespace farlink::storage
