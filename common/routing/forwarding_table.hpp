// SPDX-License-Identifier: Apache-2.0
// Where a bundle goes next: the router's table and what the operator has said beside it.
// Owned by a core of ingress or storage; one thread.
// Precedence: policy, routes of the plan, static route, default gateway. What bundles of one kind
// may do is worked out once and kept until something changes; a look at it allocates nothing.
#pragma once

#include <algorithm>
#include <array>
#include <functional>
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

/// An endpoint as routes know it.
struct Destination {
    NodeNumber node;            ///< of an ipn endpoint, or that a dtn name belongs to; 0: of none
    std::uint64_t service = 0;  ///< of an ipn endpoint
    std::string_view name{};    ///< of any other: what follows "dtn:"
};

/// What a way depends on. 0: none, or not known.
struct BundleFacts {
    NodeNumber source;
    NodeNumber destination;
    std::uint64_t service = 0;
    Priority priority = Priority::kNormal;
    std::uint64_t size_bytes = 0;
    DtnTime expiry = kDtnNever;
    NodeNumber sender;        ///< the neighbour that it came from
    std::string_view name{};  ///< Destination::name
};

/// A way of what waits, and how much of it is to go there.
struct BookedWay {
    NextHop hop;
    std::uint64_t bytes = 0;
};

struct Decision {
    NextHop hop;           ///< kNoLink: nothing leads there
    bool fits = false;     ///< the bundle arrives in time, and there is room for it
    bool fallback = true;  ///< neither a policy nor the plan has a way there
};

struct ExplainedWay;
struct Explanation;
enum class Rule : std::uint8_t;
enum class Verdict : std::uint8_t;

class ForwardingTable {
public:
    explicit ForwardingTable(const config::RoutingConfig &config = {});

    void handle(const bus::RouteUpdate &update);

    /// An ipn endpoint costs nothing, a dtn name a look at a hash table where some are configured.
    [[nodiscard]] Destination destination_of(const bp::EidView &endpoint) const {
        if (endpoint.scheme == bp::EidScheme::kIpn)
            return {endpoint.node_number(), endpoint.service, {}};
        return {nodes_.empty() ? NodeNumber{} : nodes_.find(endpoint), 0, endpoint.name};
    }

    /// The first way that the bundle fits; where it fits none, the first that it may take at all.
    /// A bundle does not go back to its sender unless that is configured.
    [[nodiscard]] Decision decide(const BundleFacts &bundle, DtnTime now) {
        return decide(bundle, now, [](const NextHop &) { return true; });
    }
    /// The same of the ways whose link, says `takes(hop)`, carries such a bundle.
    template <class Takes>
    [[nodiscard]] Decision decide(const BundleFacts &bundle, DtnTime now, Takes &&takes) {
        const Line &line = line_of(key_of(bundle));
        const Way *possible = nullptr;
        for (std::size_t at = 0; at < line.count; ++at) {
            const Way &way = line.ways[at];
            if (returns(way, bundle) || !takes(way.hop)) continue;
            if (fits(way, bundle, now)) return {way.hop, true, line.fallback};
            if (possible == nullptr) possible = &way;
        }
        if (possible == nullptr) return {{}, false, line.fallback};
        return {possible->hop, false, line.fallback};
    }
    /// Of a critical bundle: every neighbour that may bring it there in time, best first. It goes
    /// ahead of what waits, which therefore neither delays it nor takes its room.
    [[nodiscard]] std::vector<NextHop> decide_all(const BundleFacts &bundle, DtnTime now) const;
    /// The ways of what waits, of which size and expiry are not known: the one of a policy, else
    /// those that the router has booked it on, by arrival, else the first. An avoided neighbour is
    /// one of them only if there is no other.
    void find_ways(const BundleFacts &bundle, std::span<const NodeNumber> avoided,
                   std::vector<BookedWay> &ways);
    /// What a bundle without a priority of its own gets.
    [[nodiscard]] Priority priority_of(NodeNumber source, const Destination &destination) const;
    /// Whether a bundle that cannot say so itself goes by every way.
    [[nodiscard]] bool is_critical(NodeNumber source, const Destination &destination,
                                   Priority priority) const {
        return marks_critical_ && finds_critical({source, destination.node, destination.service,
                                                  priority, key_name(destination.name)});
    }
    /// No contact of the plan carries a larger bundle there; unlimited when no route is known.
    [[nodiscard]] std::uint64_t max_bundle_bytes(NodeNumber destination) const {
        if (!widths_known_) return bus::kAnyBytes;
        const auto route = routes_.find(destination);
        return route == routes_.end() ? bus::kAnyBytes : route->second.max_bundle_bytes;
    }

    /// Adds whom bundles for `destination` pass beyond that neighbour, as far as the plan says.
    void add_nodes_beyond(NodeNumber neighbour, NodeNumber destination,
                          std::vector<NodeNumber> &nodes) const;

    /// The operator holds what is for that node: nothing leads there.
    [[nodiscard]] bool is_held(NodeNumber node) const {
        return std::ranges::binary_search(held_, node);
    }
    [[nodiscard]] bool leads_to(NodeNumber node) const { return neighbour(node) != nullptr; }
    /// A bundle for that node that came from `sender` does not go back there.
    [[nodiscard]] bool keeps_from(NodeNumber sender, NodeNumber destination) const {
        return !return_to_sender_ && sender != NodeNumber{} && destination != sender;
    }

    /// What decide() looks at and why it takes what it takes (forwarding_explanation.hpp); for
    /// operators, not for the way of a bundle.
    using Takes = std::function<bool(const NextHop &)>;
    [[nodiscard]] Explanation explain(const BundleFacts &bundle, DtnTime now,
                                      const Takes &takes) const;
    /// The same of decide_all().
    [[nodiscard]] Explanation explain_all(const BundleFacts &bundle, DtnTime now) const;

private:
    static constexpr std::size_t kMaxWays = 8;
    static constexpr std::size_t kLines = 512;

    struct Way {
        NextHop hop;
        DtnTime arrival = 0;  ///< for what waits already, with what it adds
        DtnTime on_time_until = kDtnNever;
        DtnTime leave_by = kDtnNever;
        std::uint64_t octet_ps = 0;
        std::uint64_t room_bytes = bus::kAnyBytes;
        std::uint64_t booked_bytes = 0;  ///< of what waits in storage
    };
    struct Key {
        NodeNumber source;
        NodeNumber destination;
        std::uint64_t service = 0;
        Priority priority = Priority::kNormal;
        std::string_view name{};  ///< key_name()
        friend bool operator==(const Key &, const Key &) = default;
    };
    /// One kind of bundles.
    struct Line {
        Key key;           ///< its name is the one below
        std::string name;  ///< so a line is never copied
        bool known = false;
        std::uint8_t count = 0;
        std::uint8_t by_policy = 0;      ///< so many of them, the first ones
        bool fallback = false;           ///< all others are the static route and the gateway
        std::array<Way, kMaxWays> ways;  ///< best first
    };
    struct Policy {
        config::RoutingPolicy rule;
        std::optional<bp::EidPattern> destination;
    };

    /// Of a critical bundle.
    struct EveryWay {
        std::vector<Way> ways;
        std::size_t of_policy = 0;  ///< so many of them, the first ones
        bool fallback = false;      ///< static route and gateway: there is nothing else
    };
    /// Without `holds` as if the operator held nothing.
    [[nodiscard]] EveryWay every_way(const Key &key, bool holds = true) const;
    /// Names are told apart only where some setting does.
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
    /// Neighbour of the static route; 0: there is none.
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
    /// When such a bundle is there, by a way of the plan.
    [[nodiscard]] static double arrival_of(const Way &way, const BundleFacts &bundle, DtnTime now);
    [[nodiscard]] Verdict judge(const Way &way, const BundleFacts &bundle, DtnTime now,
                                const Takes &takes) const;
    [[nodiscard]] const Policy *path_policy(const Key &key) const;
    [[nodiscard]] Rule fallback_rule(std::span<const Way> ways, std::size_t at,
                                     const Key &key) const;
    [[nodiscard]] ExplainedWay explained(const Way &way, Rule rule, const BundleFacts &bundle,
                                     DtnTime now) const;
    void number_policy(const Policy *policy, Explanation &result) const;
    static void explain_held(Explanation &result);
    void explain_down(const Policy &policy, Explanation &result) const;
    /// `counts`: they are in the line, but for those that no link leads to.
    void explain_fallbacks(const BundleFacts &bundle, bool counts, Explanation &result) const;
    [[nodiscard]] bool returns(const Way &way, const BundleFacts &bundle) const {
        return way.hop.neighbour == bundle.sender && keeps_from(bundle.sender, bundle.destination);
    }

    bool return_to_sender_ = false;
    NodeNumber default_gateway_;
    std::vector<Policy> policies_;
    std::unordered_map<NodeNumber, NodeNumber> statics_;  ///< by destination
    NameBook named_statics_;                              ///< by what else is given
    NameBook nodes_;                                      ///< whose a dtn name is
    bool distinguishes_names_ = false;
    std::unordered_map<NodeNumber, bus::Route> routes_;
    std::vector<bus::NeighbourLink> neighbours_;
    std::vector<NodeNumber> held_;  ///< ascending
    bool widths_known_ = false;     ///< some destination has a limit
    bool marks_critical_ = false;   ///< some policy does
    std::vector<Line> lines_;
};

}  // namespace farlink::routing
