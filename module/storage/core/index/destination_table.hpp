// SPDX-License-Identifier: Apache-2.0
// The endpoints that stored bundles go to, each with a queue for each priority and its ways.
// Owned by Inventory; one thread.
// They are looked up once for each endpoint and priority after a change of routes, and never for a
// bundle. An endpoint takes less than 400 octets while bundles for it are held, and none after; a
// stale number names an endpoint without bundles.
#pragma once

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "common/bp/eid/eid.hpp"
#include "common/bp/flow.hpp"
#include "common/bus/messages.hpp"
#include "common/routing/endpoint_table.hpp"
#include "common/routing/forwarding_table.hpp"
#include "module/storage/core/index/flow_queue.hpp"
#include "module/storage/core/index/quotas.hpp"
#include "module/storage/core/index/short_label.hpp"
#include "module/storage/core/index/short_list.hpp"

namespace farlink::storage {

/// A way of the bundles of a flow. One alone takes as much as it can, several what the router has
/// laid onto them.
struct Way {
    LinkId link = kNoLink;
    NodeNumber node;
    std::uint64_t share_bytes = 0;  ///< what is left of that
};

/// A bundle of which a part has left already: what waits is the rest.
struct SentPart {
    EntryIndex entry = kNoEntry;
    std::uint64_t bytes = 0;  ///< that have left
};

[[nodiscard]] constexpr Priority priority_of(FlowIndex flow) {
    return static_cast<Priority>(flow % kPriorityCount);
}

struct Flow {
    static constexpr std::uint64_t kNotListed = ~std::uint64_t{0};

    FlowQueue queue;
    std::uint64_t eviction_key = kNotListed;  ///< of EvictionOrder
    ShortList<LinkId> listed_on;              ///< the links that will serve it
    ShortList<Way> ways;                      ///< best first
    std::uint32_t routes_seen = 0;            ///< of which `ways` are
    std::uint32_t key : bp::kFlowBits = 0;    ///< bp::flow_key()
    Priority priority : 2 = Priority::kNormal;
    bool by_policy : 1 = false;  ///< `ways` are: contacts of the plan do not limit the bundles
};
static_assert(sizeof(Flow) == 104);

class DestinationTable {
public:
    /// Bundles for another one are refused.
    static constexpr std::size_t kMostDestinations = 1'000'000;
    /// While there are more, waiting() leaves out those without a route of the plan.
    static constexpr std::size_t kMostReported = 4096;

    DestinationTable() : by_name_(0, NameHash{this}, SameName{this}) {}
    DestinationTable(const DestinationTable &) = delete;
    DestinationTable &operator=(const DestinationTable &) = delete;

    /// Whether find_or_add() would make one too many.
    [[nodiscard]] bool is_full_for(ByteView label, NodeNumber sender = {}, NodeNumber source = {}) {
        return by_name_.size() >= kMostDestinations &&
               find({as_text(label), sender, source}) == kNone;
    }
    /// The flow of an endpoint (by its label) and priority; made when it is new. Where the store
    /// remembers sources, each has flows of its own, and so has each neighbour that sends (0: not
    /// known), since nothing goes back to it. `quotas` are those of source and endpoint.
    [[nodiscard]] FlowIndex find_or_add(ByteView label, const bp::EidView &endpoint,
                                        Priority priority, QuotaSet quotas = 0,
                                        NodeNumber sender = {}, NodeNumber source = {});
    /// The flow of a bundle that is in `flow` and turns out to have come from `sender` (0: still
    /// not known) and to be of that source; nothing when that makes no difference.
    [[nodiscard]] std::optional<FlowIndex> flow_from(FlowIndex flow, NodeNumber sender,
                                                     const bp::EidView &source);
    /// The node of the source, if some policy gives its bundles other ways; else 0.
    [[nodiscard]] NodeNumber source_that_matters(const bp::EidView &source) const {
        const NodeNumber node = source.node_number();
        const bool named =
            source.scheme == bp::EidScheme::kIpn && std::ranges::binary_search(sources_, node);
        return named ? node : NodeNumber{};
    }
    /// Counts the bundles that refer to a flow; an endpoint without any is forgotten.
    void hold(FlowIndex flow) { ++destination_of(flow).holders; }
    void let_go(FlowIndex flow);

    /// Counts one bundle as held, or as not held any more.
    void count(FlowIndex flow, std::uint64_t bytes, bool in_custody, bool held) {
        Held &of = destination_of(flow).held;
        const std::uint32_t one = held ? 1 : ~std::uint32_t{0};
        of.bundles += one;
        of.bytes += held ? bytes : ~bytes + 1;
        if (in_custody) of.custody_bundles += one;
    }
    /// How many bundles are held for the endpoint at that place, below size(), and in which row of
    /// a report they count.
    struct HeldCount {
        std::uint64_t row = 0;  ///< the number of the node, or with `named` a hash of the name
        std::uint32_t bundles = 0;
        bool named = false;
    };
    [[nodiscard]] HeldCount count_held(std::size_t place);
    /// What is held for the endpoint at that place, below size(); nothing where there is none. When
    /// the next expires is that of the oldest that waits with each priority.
    [[nodiscard]] bus::PendingReport held(std::size_t place, const EntryTable &entries);

    [[nodiscard]] Flow &flow(FlowIndex index) {
        Flow *const found = destination_of(index).find_flow(priority_of(index));
        return found == nullptr ? no_flow_ : *found;
    }
    /// Stays where it is while the flow is held.
    [[nodiscard]] ByteView label_of(FlowIndex flow) const {
        return as_bytes(destination_of(flow).label.text());
    }
    /// Of an ipn endpoint, or that a dtn name belongs to; else 0.
    [[nodiscard]] NodeNumber node_of(FlowIndex flow) const { return destination_of(flow).node; }
    [[nodiscard]] QuotaSet quotas_of(FlowIndex flow) const { return destination_of(flow).quotas; }
    /// Where the bundles of the flow go now; empty when there is no route.
    [[nodiscard]] std::span<Way> ways(FlowIndex index) {
        Flow &known = flow(index);
        if (&known != &no_flow_ && known.routes_seen != routes_seen_) {
            known.routes_seen = routes_seen_;
            resolve(destination_of(index), known);
        }
        return known.ways.all();
    }
    /// The operator holds bundles for its node.
    [[nodiscard]] bool is_held(FlowIndex index) const {
        const Destination &destination = destination_of(index);
        return destination.routable && table_.is_held(destination.node);
    }
    /// No contact of the plan carries a larger bundle there; a link that a policy names may.
    [[nodiscard]] std::uint64_t max_bundle_bytes(FlowIndex index) {
        const Destination &destination = destination_of(index);
        if (!destination.routable) return bus::kAnyBytes;
        const std::uint64_t limit = table_.max_bundle_bytes(destination.node);
        if (limit == bus::kAnyBytes) return limit;
        (void)ways(index);
        return flow(index).by_policy ? bus::kAnyBytes : limit;
    }
    /// A link on a way of the plan there cuts larger ones.
    [[nodiscard]] bool cuts_to_contact(FlowIndex index) const {
        return table_.cuts_to_contact(destination_of(index).node);
    }
    /// Every way of a critical bundle of this flow that may bring it there in time.
    [[nodiscard]] std::vector<routing::NextHop> all_ways(FlowIndex index, const Entry &entry,
                                                         DtnTime now_ms) const;
    /// Adds the nodes on the way of the flow's bundles by that neighbour, and the destination.
    void add_nodes_by(NodeNumber neighbour, FlowIndex index, std::vector<NodeNumber> &nodes) const;
    /// What waits for each node with each priority, by node. `parts`: of bundles that wait.
    [[nodiscard]] std::vector<bus::WaitingBytes> waiting(const EntryTable &entries,
                                                         std::span<const SentPart> parts = {});

    /// Bundles for its own services leave by kServicesLink; with an `echo_service` of 0 all are.
    void set_node(NodeNumber node, std::uint64_t echo_service) {
        node_ = node;
        echo_service_ = echo_service;
        endpoints_ = routing::EndpointTable(node);
    }
    /// Bundles for applications leave by the links of their endpoints. Returns those that changed.
    [[nodiscard]] std::vector<bus::EndpointEntry> handle(const bus::EndpointsChange &change) {
        ++routes_seen_;
        return endpoints_.handle(change);
    }
    /// No application receives.
    [[nodiscard]] std::vector<bus::EndpointEntry> handle_applications_lost() {
        return endpoints_.handle_lost();
    }
    [[nodiscard]] const routing::EndpointTable &endpoints() const { return endpoints_; }
    void set_policies(const config::RoutingConfig &config);
    /// Changes them; the routes stay.
    void change_policies(const config::RoutingConfig &config);
    /// The whole table of routes. True: some destination can be reached by plan, and could not be.
    bool set_routes(const bus::RouteUpdate &update);
    /// Its bundles need no detour: see bus::Route.
    [[nodiscard]] bool has_planned_route(FlowIndex flow) const {
        const Destination &destination = destination_of(flow);
        return destination.routable && table_.has_planned_route(destination.node);
    }
    /// Neighbours that nothing goes to if there is another way.
    void set_avoided(std::vector<NodeNumber> neighbours);
    /// Places of endpoints, some of them free.
    [[nodiscard]] std::size_t size() const { return destinations_.size(); }
    /// Endpoints with bundles; one may be there several times, for several senders and sources.
    [[nodiscard]] std::size_t held_destinations() const { return by_name_.size(); }
    /// Octets of one of them.
    static constexpr std::size_t kOctetsEach = 300;
    /// Every flow that holds a bundle.
    template <class Visit>
    void for_each_flow(Visit &&visit) {
        for (std::size_t at = 0; at < destinations_.size(); ++at) {
            for (std::size_t level = 0; level < kPriorityCount; ++level)
                if (destinations_[at] != nullptr &&
                    destinations_[at]->find_flow(static_cast<Priority>(level)) != nullptr)
                    visit(static_cast<FlowIndex>(at * kPriorityCount + level));
        }
    }

private:
    void note_sources(const config::RoutingConfig &config);

    struct Held {
        std::uint64_t bytes = 0;
        std::uint32_t bundles = 0;
        std::uint32_t custody_bundles = 0;
    };
    /// There may be a million: most have one flow.
    struct Destination {
        ShortLabel label;
        NodeNumber node;      ///< of an ipn endpoint, or that a dtn name belongs to
        NodeNumber sender;    ///< the neighbour that its bundles came from
        NodeNumber source;    ///< of its bundles, where policies depend on it
        QuotaSet quotas = 0;  ///< in which its bundles count
        std::uint32_t holders = 0;
        bool routable = false;  ///< the null endpoint and the local node are not
        bool here = false;      ///< of this node's services
        bool has_flow = false;
        Held held;
        Flow first;  ///< of the priority that had a bundle first
        using Flows = std::array<std::unique_ptr<Flow>, kPriorityCount>;
        std::unique_ptr<Flows> others;  ///< those that had one later

        [[nodiscard]] Flow *find_flow(Priority priority) {
            if (has_flow && first.priority == priority) return &first;
            return others == nullptr ? nullptr
                                     : (*others)[static_cast<std::size_t>(priority)].get();
        }
        Flow &add_flow(Priority priority);
        /// Borrows the label.
        [[nodiscard]] bp::EidView endpoint() const;
        [[nodiscard]] routing::BundleFacts facts(Priority priority) const;
    };
    static_assert(sizeof(Destination) == 200);
    /// Label, sender and source. Found without making a string for each bundle: the label is the
    /// one that its Destination holds.
    struct Name {
        std::string_view label;
        NodeNumber sender;
        NodeNumber source;
        friend bool operator==(const Name &, const Name &) = default;
    };
    struct NameHash {
        using is_transparent = void;
        [[nodiscard]] std::size_t operator()(const Name &name) const {
            return std::hash<std::string_view>{}(name.label) ^ name.sender.value() * kGolden ^
                   name.source.value() * kSilver;
        }
        [[nodiscard]] std::size_t operator()(std::uint32_t index) const {
            return (*this)(name_of(*table->destinations_[index]));
        }
        static constexpr std::uint64_t kGolden = 0x9e3779b97f4a7c15ULL;
        static constexpr std::uint64_t kSilver = 0xc2b2ae3d27d4eb4fULL;
        const DestinationTable *table;
    };
    struct SameName {
        using is_transparent = void;
        [[nodiscard]] bool operator()(std::uint32_t a, std::uint32_t b) const { return a == b; }
        [[nodiscard]] bool operator()(const Name &name, std::uint32_t index) const {
            return name_of(*table->destinations_[index]) == name;
        }
        [[nodiscard]] bool operator()(std::uint32_t index, const Name &name) const {
            return (*this)(name, index);
        }
        const DestinationTable *table;
    };

    /// One without bundles when it has been forgotten.
    [[nodiscard]] Destination &destination_of(FlowIndex flow) {
        const std::size_t at = flow / kPriorityCount;
        const bool known = at < destinations_.size() && destinations_[at] != nullptr;
        return known ? *destinations_[at] : nobody_;
    }
    [[nodiscard]] const Destination &destination_of(FlowIndex flow) const {
        const std::size_t at = flow / kPriorityCount;
        const bool known = at < destinations_.size() && destinations_[at] != nullptr;
        return known ? *destinations_[at] : nobody_;
    }
    static constexpr std::uint32_t kNone = 0xffffffffU;
    [[nodiscard]] std::uint32_t find(const Name &name);
    [[nodiscard]] std::uint32_t add(const Name &name, const bp::EidView &endpoint, QuotaSet quotas);
    [[nodiscard]] static Name name_of(const Destination &destination) {
        return {destination.label.text(), destination.sender, destination.source};
    }
    void resolve(const Destination &destination, Flow &flow);

    NodeNumber node_;                 ///< this one
    std::uint64_t echo_service_ = 0;  ///< 0: there are no applications
    routing::EndpointTable endpoints_{NodeNumber{}};
    std::uint32_t last_found_ = kNone;  ///< bundles of one destination come in runs
    std::vector<std::unique_ptr<Destination>> destinations_;
    std::vector<std::uint32_t> free_;
    std::unordered_set<std::uint32_t, NameHash, SameName> by_name_;
    Destination nobody_;
    Flow no_flow_;
    routing::ForwardingTable table_;
    std::vector<NodeNumber> sources_;  ///< with ways of their own, ascending
    std::vector<routing::BookedWay> found_;
    std::uint32_t routes_seen_ = 1;
    std::vector<NodeNumber> avoided_;
};

}  // namespace farlink::storage
