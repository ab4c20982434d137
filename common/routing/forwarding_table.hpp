// SPDX-License-Identifier: Apache-2.0
// The next hop of a bundle, by the router's table and the routes in the configuration.
// Owned by a core of ingress or storage; one thread.
// Precedence: policy, routes of the plan, static route, default gateway. A rule that leads no
// further than back to the sender, or by links that are too small, leaves the bundle to the next
// one; the last two are for destinations without a route of the plan. The ways of bundles with the
// same properties are cached until a table or a link changes; a lookup does not allocate.
#pragma once

#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "common/bp/eid/eid_pattern.hpp"
#include "common/bus/messages.hpp"
#include "common/config/node/routing_config.hpp"
#include "common/routing/name_book.hpp"

namespace farlink::routing {

struct NextHop {
    NodeNumber neighbour;
    LinkId link = kNoLink;
    friend bool operator==(const NextHop &, const NextHop &) = default;
};

/// An endpoint as routes refer to it.
struct Destination {
    NodeNumber node;            ///< of an ipn endpoint, or the owner of a dtn name; 0: none
    std::uint64_t service = 0;  ///< of an ipn endpoint
    std::string_view name{};    ///< of any other: what follows "dtn:"
};

/// The properties of a bundle that its way depends on. 0: none, or unknown.
struct BundleFacts {
    NodeNumber source;
    NodeNumber destination;
    std::uint64_t service = 0;
    Priority priority = Priority::kNormal;
    std::uint64_t size_bytes = 0;
    DtnTime expiry = kDtnNever;
    NodeNumber sender;        ///< the neighbour from which it came
    std::string_view name{};  ///< Destination::name
};

/// A way for stored bundles, and the bytes of them that are booked on it.
struct BookedWay {
    NextHop hop;
    std::uint64_t bytes = 0;
    bool by_policy = false;  ///< the contacts of the plan do not limit its bundles
};

struct Decision {
    NextHop hop;        ///< kNoLink: there is no way
    bool fits = false;  ///< the bundle arrives in time, and its contacts have room for it
    /// The way is set by an operator (a policy, a static route, the default gateway), or it is a
    /// detour, or there is none: nothing rules out that it leads round in a circle.
    bool fallback = true;
};

class ForwardingTable {
public:
    explicit ForwardingTable(const config::RoutingConfig &config = {});

    void handle(const bus::RouteUpdate &update);
    /// Replaces policies, static routes and the default gateway; the routes stay.
    void set_rules(const config::RoutingConfig &config);

    /// A dtn name costs a hash lookup if any are configured, an ipn endpoint nothing.
    [[nodiscard]] Destination destination_of(const bp::EidView &endpoint) const {
        if (endpoint.scheme == bp::EidScheme::kIpn)
            return {endpoint.node_number(), endpoint.service, {}};
        return {nodes_.empty() ? NodeNumber{} : nodes_.find(endpoint), 0, endpoint.name};
    }

    /// The first way that fits the bundle; if none does, the first way that it may take.
    /// A bundle is not returned to its sender unless `returnToSender` is set.
    [[nodiscard]] Decision decide(const BundleFacts &bundle, DtnTime now) {
        return decide(bundle, now, [](const NextHop &) { return true; });
    }
    /// The same, among the ways for which `takes(hop)` is true.
    template <class Takes>
    [[nodiscard]] Decision decide(const BundleFacts &bundle, DtnTime now, Takes &&takes) {
        const Line &line = line_of(key_of(bundle));
        const Way *possible = nullptr;
        for (std::size_t at = 0; at < line.count; ++at) {
            const Way &way = line.ways[at];
            if (returns(way, bundle) || !takes(way.hop)) continue;
            if (fits(way, bundle, now)) return {way.hop, true, line.may_loop(way)};
            if (possible == nullptr) possible = &way;
        }
        if (possible == nullptr) return {{}, false, line.fallback};
        return {possible->hop, false, line.may_loop(*possible)};
    }
    /// For a critical bundle: every neighbour that may deliver it in time, best first. It is sent
    /// before waiting bundles, so they neither delay it nor reduce its room.
    [[nodiscard]] std::vector<NextHop> decide_all(const BundleFacts &bundle, DtnTime now) const;
    /// The ways for stored bundles, whose size and expiry are unknown: the way of a policy, else
    /// those that the router has booked them on, by arrival, else the first. An avoided neighbour
    /// is among them only if there is no other.
    void find_ways(const BundleFacts &bundle, std::span<const NodeNumber> avoided,
                   std::vector<BookedWay> &ways);
    /// The priority of a bundle that carries none.
    [[nodiscard]] Priority priority_of(NodeNumber source, const Destination &destination) const;
    /// Whether a policy makes a bundle critical.
    [[nodiscard]] bool is_critical(NodeNumber source, const Destination &destination,
                                   Priority priority) const {
        return marks_critical_ && finds_critical({source, destination.node, destination.service,
                                                  priority, key_name(destination.name)});
    }
    /// The largest bundle that the contacts of the plan can carry there; unlimited without a route.
    [[nodiscard]] std::uint64_t max_bundle_bytes(NodeNumber destination) const {
        if (!widths_known_) return bus::kAnyBytes;
        const auto route = routes_.find(destination);
        return route == routes_.end() ? bus::kAnyBytes : route->second.max_bundle_bytes;
    }

    /// The router has a route of the plan there.
    [[nodiscard]] bool has_route(NodeNumber destination) const {
        return routes_.contains(destination);
    }
    /// The router has a route there, and the first links of the plan can be used.
    [[nodiscard]] bool has_planned_route(NodeNumber destination) const {
        const auto route = routes_.find(destination);
        return route != routes_.end() && !route->second.detour;
    }
    /// Some route of the plan there begins with a link that cuts what its contacts are too short
    /// for.
    [[nodiscard]] bool cuts_to_contact(NodeNumber destination) const {
        const auto route = routes_.find(destination);
        return route != routes_.end() &&
               std::ranges::any_of(route->second.candidates, &bus::RouteCandidate::cuts_to_contact);
    }

    /// Adds the nodes between that neighbour and `destination` by the plan.
    void add_nodes_beyond(NodeNumber neighbour, NodeNumber destination,
                          std::vector<NodeNumber> &nodes) const;

    /// Whether the operator holds bundles for that node; then no way leads there.
    [[nodiscard]] bool is_held(NodeNumber node) const {
        return std::ranges::binary_search(held_, node);
    }
    [[nodiscard]] bool leads_to(NodeNumber node) const { return neighbour(node) != nullptr; }
    /// Whether a bundle for `destination` from `sender` must not be returned to `sender`.
    [[nodiscard]] bool keeps_from(NodeNumber sender, NodeNumber destination) const {
        return !return_to_sender_ && sender != NodeNumber{} && destination != sender;
    }

private:
    friend class ForwardingExplainer;

    static constexpr std::size_t kMaxWays = 8;
    static constexpr std::size_t kLines = 512;

    struct Way {
        NextHop hop;
        DtnTime arrival = 0;  ///< behind the bundles that wait already
        DtnTime on_time_until = kDtnNever;
        DtnTime leave_by = kDtnNever;
        std::uint64_t octet_ps = 0;
        std::uint64_t room_bytes = bus::kAnyBytes;
        std::uint64_t booked_bytes = 0;  ///< of stored bundles
    };
    struct Key {
        NodeNumber source;
        NodeNumber destination;
        std::uint64_t service = 0;
        Priority priority = Priority::kNormal;
        std::string_view name{};  ///< key_name()
        friend bool operator==(const Key &, const Key &) = default;
    };
    /// The cached ways of bundles with one key.
    struct Line {
        Key key;           ///< its name refers to the one below
        std::string name;  ///< a line is therefore never copied
        bool known = false;
        std::uint8_t count = 0;
        std::uint8_t by_policy = 0;      ///< the number of ways by a policy, which come first
        bool fallback = false;           ///< the others are the static route and the gateway:
                                         ///< the plan has no route
        bool detour = false;             ///< the others are: bus::Route
        std::array<Way, kMaxWays> ways;  ///< best first

        /// Decision::fallback of one of the ways.
        [[nodiscard]] bool may_loop(const Way &way) const {
            return fallback || detour || &way - ways.data() < by_policy;
        }
    };
    struct Policy {
        config::RoutingPolicy rule;
        std::optional<bp::EidPattern> destination;
    };

    /// The ways of a critical bundle.
    struct EveryWay {
        std::vector<Way> ways;
        std::size_t of_policy = 0;  ///< the number of ways by a policy, which come first
        bool fallback = false;      ///< the others are the static route and the gateway
    };
    /// Without `holds`, holds of the operator are ignored.
    [[nodiscard]] EveryWay every_way(const BundleFacts &bundle, bool holds = true) const;
    /// Names are part of the key only if some setting distinguishes them.
    [[nodiscard]] std::string_view key_name(std::string_view name) const {
        constexpr std::string_view kAnyName = "//";
        return name.empty() || distinguishes_names_ ? name : kAnyName;
    }
    [[nodiscard]] Key key_of(const BundleFacts &bundle) const {
        return {bundle.source, bundle.destination, bundle.service, bundle.priority,
                key_name(bundle.name)};
    }
    [[nodiscard]] static bp::EidView endpoint_of(const Key &key) {
        if (key.name.empty()) return bp::ipn_eid(key.destination.value(), key.service);
        return {bp::EidScheme::kDtn, 0, 0, key.name};
    }
    /// Neighbour of the static route; 0: none.
    [[nodiscard]] NodeNumber static_hop(const Key &key) const;
    [[nodiscard]] const Line &line_of(const Key &key);
    void fill(Line &line, const Key &key) const;
    void add_policy(Line &line, const Key &key) const;
    void add_plan(Line &line, const Key &key) const;
    void add_fallbacks(Line &line, const Key &key) const;
    static void add(Line &line, const Way &way);
    [[nodiscard]] static Way way_by(const bus::RouteCandidate &candidate);
    [[nodiscard]] bool finds_critical(const Key &key) const;
    [[nodiscard]] const bus::NeighbourLink *neighbour(NodeNumber node) const;
    [[nodiscard]] static bool covers(const Policy &policy, const Key &key);
    [[nodiscard]] static bool fits(const Way &way, const BundleFacts &bundle, DtnTime now);
    /// Arrival time of such a bundle by a way of the plan.
    [[nodiscard]] static double arrival_of(const Way &way, const BundleFacts &bundle, DtnTime now);
    [[nodiscard]] bool returns(const Way &way, const BundleFacts &bundle) const {
        return way.hop.neighbour == bundle.sender && keeps_from(bundle.sender, bundle.destination);
    }

    bool return_to_sender_ = false;
    NodeNumber default_gateway_;
    std::vector<Policy> policies_;
    std::unordered_map<NodeNumber, NodeNumber> statics_;  ///< by destination
    NameBook named_statics_;                              ///< by pattern
    NameBook nodes_;                                      ///< the owners of dtn names
    bool distinguishes_names_ = false;
    std::unordered_map<NodeNumber, bus::Route> routes_;
    std::vector<bus::NeighbourLink> neighbours_;
    std::vector<NodeNumber> held_;  ///< ascending
    bool widths_known_ = false;     ///< some destination has a size limit
    bool marks_critical_ = false;   ///< some policy makes bundles critical
    std::vector<Line> lines_;
};

}  // namespace farlink::routing
