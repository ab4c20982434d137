// SPDX-License-Identifier: Apache-2.0
#include "common/routing/forwarding_table.hpp"

#include <algorithm>

namespace farlink::routing {
namespace {

std::uint64_t mix(std::uint64_t value) {
    value = (value ^ (value >> 32)) * 0x9e3779b97f4a7c15ULL;
    return value ^ (value >> 29);
}

std::uint64_t hash_of(std::string_view name) {
    return name.empty() ? 0 : std::hash<std::string_view>{}(name);
}

}  // namespace

ForwardingTable::ForwardingTable(const config::RoutingConfig &config)
    : return_to_sender_(config.return_to_sender),
      default_gateway_(config.default_gateway),
      lines_(kLines) {
    for (const config::RoutingPolicy &rule : config.policies) {
        const auto pattern = bp::EidPattern::parse(rule.destination);
        policies_.push_back({rule, pattern});
        marks_critical_ |= rule.critical;
        distinguishes_names_ |= pattern && pattern->depends_on_name();
    }
    for (const config::StaticRoute &route : config.statics) {
        const auto pattern = bp::EidPattern::parse(route.endpoints);
        const auto node = pattern ? pattern->ipn_node() : std::nullopt;
        if (pattern && !node)
            named_statics_.add(*pattern, route.next_hop);
        else
            statics_.emplace(node.value_or(route.destination), route.next_hop);
    }
    distinguishes_names_ |= named_statics_.depends_on_name();
    for (const config::NodeEndpoints &known : config.nodes)
        for (const std::string &text : known.endpoints)
            if (const auto pattern = bp::EidPattern::parse(text)) nodes_.add(*pattern, known.node);
}

void ForwardingTable::set_rules(const config::RoutingConfig &config) {
    ForwardingTable changed(config);
    changed.routes_ = std::move(routes_);
    changed.widths_known_ = widths_known_;
    changed.neighbours_ = std::move(neighbours_);
    changed.held_ = std::move(held_);
    *this = std::move(changed);
}

void ForwardingTable::handle(const bus::RouteUpdate &update) {
    routes_.clear();
    widths_known_ = false;
    for (const bus::Route &route : update.routes) {
        routes_[route.destination] = route;
        widths_known_ = widths_known_ || route.max_bundle_bytes != bus::kAnyBytes;
    }
    neighbours_ = update.neighbours;
    held_ = update.held;
    std::ranges::sort(held_);
    for (Line &line : lines_) line.known = false;
}

ForwardingTable::EveryWay ForwardingTable::every_way(const BundleFacts &bundle, bool holds) const {
    if (holds && is_held(bundle.destination)) return {};
    const Key key = key_of(bundle);
    Line line;
    add_policy(line, key);
    EveryWay every{{line.ways.begin(), line.ways.begin() + line.count}, line.count};
    if (const auto route = routes_.find(key.destination); route != routes_.end())
        for (const bus::RouteCandidate &candidate : route->second.candidates)
            every.ways.push_back(way_by(candidate));
    every.fallback =
        every.ways.size() == every.of_policy &&
        std::ranges::all_of(every.ways, [&](const Way &way) { return returns(way, bundle); });
    if (!every.fallback) return every;
    add_fallbacks(line, key);
    every.ways.assign(line.ways.begin(), line.ways.begin() + line.count);
    return every;
}

std::vector<NextHop> ForwardingTable::decide_all(const BundleFacts &bundle, DtnTime now) const {
    const EveryWay every = every_way(bundle);
    std::vector<NextHop> hops;
    for (const Way &way : every.ways) {
        if (returns(way, bundle) || !fits(way, bundle, now)) continue;
        if (std::ranges::count(hops, way.hop.neighbour, &NextHop::neighbour) == 0)
            hops.push_back(way.hop);
    }
    return hops;
}

void ForwardingTable::find_ways(const BundleFacts &bundle, std::span<const NodeNumber> avoided,
                                std::vector<BookedWay> &ways) {
    ways.clear();
    const Line &line = line_of(key_of(bundle));
    BookedWay first;
    BookedWay last_resort;
    for (std::size_t at = 0; at < line.count; ++at) {
        const Way &way = line.ways[at];
        if (returns(way, bundle)) continue;
        const bool avoid = std::ranges::count(avoided, way.hop.neighbour) > 0;
        const bool by_policy = at < line.by_policy;
        BookedWay &spare = avoid ? last_resort : first;
        if (spare.hop.link == kNoLink) spare = {way.hop, 0, by_policy};
        if (avoid) continue;
        if (by_policy) break;
        if (way.booked_bytes == 0) continue;
        // A later contact with the same neighbour may be a separate way.
        const auto same = std::ranges::find(ways, way.hop, &BookedWay::hop);
        if (same == ways.end())
            ways.push_back({way.hop, way.booked_bytes});
        else
            same->bytes += way.booked_bytes;
    }
    if (first.hop.link == kNoLink) first = last_resort;
    if (ways.empty() && first.hop.link != kNoLink) ways.push_back(first);
}

void ForwardingTable::add_nodes_beyond(NodeNumber neighbour, NodeNumber destination,
                                       std::vector<NodeNumber> &nodes) const {
    const auto route = routes_.find(destination);
    if (route == routes_.end()) return;
    for (const bus::RouteCandidate &candidate : route->second.candidates)
        if (candidate.next_hop == neighbour)
            nodes.insert(nodes.end(), candidate.nodes.begin(), candidate.nodes.end());
}

Priority ForwardingTable::priority_of(NodeNumber source, const Destination &destination) const {
    for (const Policy &policy : policies_) {
        if (!policy.rule.assign_priority) continue;
        const Key key{source, destination.node, destination.service, Priority::kNormal,
                      key_name(destination.name)};
        if (covers(policy, key)) return *policy.rule.assign_priority;
    }
    return Priority::kNormal;
}

bool ForwardingTable::finds_critical(const Key &key) const {
    return std::ranges::any_of(policies_, [&key](const Policy &policy) {
        return policy.rule.critical && covers(policy, key);
    });
}

const ForwardingTable::Line &ForwardingTable::line_of(const Key &key) {
    std::uint64_t hash =
        mix(key.destination.value() +
            mix(key.source.value() +
                mix(key.service * kPriorityCount + static_cast<std::uint64_t>(key.priority))));
    if (!key.name.empty()) hash += hash_of(key.name);
    Line &line = lines_[hash % kLines];
    if (!line.known || line.key != key) fill(line, key);
    return line;
}

void ForwardingTable::fill(Line &line, const Key &key) const {
    line.key = key;
    line.name = key.name;
    line.key.name = line.name;
    line.known = true;
    line.count = 0;
    line.by_policy = 0;
    line.fallback = false;
    line.detour = false;
    if (is_held(key.destination)) return;
    add_policy(line, key);
    line.by_policy = line.count;
    add_plan(line, key);
    line.fallback = line.count == line.by_policy;
    if (line.fallback) add_fallbacks(line, key);
}

bool ForwardingTable::covers(const Policy &policy, const Key &key) {
    const config::RoutingPolicy &rule = policy.rule;
    if (rule.source != NodeNumber{} && rule.source != key.source) return false;
    if (rule.service && (!key.name.empty() || *rule.service != key.service)) return false;
    if (rule.priority && *rule.priority != key.priority) return false;
    return !policy.destination || policy.destination->matches(endpoint_of(key));
}

// Of spread paths the one drawn for this key comes first, then the others.
void ForwardingTable::add_policy(Line &line, const Key &key) const {
    for (const Policy &policy : policies_) {
        if (policy.rule.paths.empty() || !covers(policy, key)) continue;
        std::vector<config::PolicyPath> up;
        std::uint64_t weights = 0;
        for (const config::PolicyPath &path : policy.rule.paths) {
            const bus::NeighbourLink *known = neighbour(path.next_hop);
            if (known == nullptr || !known->up) continue;
            up.push_back(path);
            weights += path.weight;
        }
        if (policy.rule.spread && !up.empty()) {
            const std::uint64_t endpoint =
                mix(key.destination.value() + mix(key.service)) + hash_of(key.name);
            std::uint64_t drawn = mix(key.source.value() + endpoint) % weights;
            std::size_t first = 0;
            for (; drawn >= up[first].weight; ++first) drawn -= up[first].weight;
            std::ranges::rotate(up, up.begin() + static_cast<std::ptrdiff_t>(first));
        }
        for (const config::PolicyPath &path : up)
            add(line, {.hop = {path.next_hop, neighbour(path.next_hop)->link}});
        return;
    }
}

// In the order of arrival, behind the bundles that wait for the first hop.
void ForwardingTable::add_plan(Line &line, const Key &key) const {
    const auto route = routes_.find(key.destination);
    if (route == routes_.end()) return;
    line.detour = route->second.detour;
    const auto priority = static_cast<std::size_t>(key.priority);
    std::vector<Way> ways;
    for (const bus::RouteCandidate &candidate : route->second.candidates) {
        Way way = way_by(candidate);
        way.arrival = saturating_add(way.arrival, candidate.delay_ms[priority]);
        way.room_bytes = candidate.room_bytes[priority];
        way.booked_bytes = candidate.booked_bytes[priority];
        ways.push_back(way);
    }
    std::ranges::stable_sort(ways, {}, &Way::arrival);
    for (const Way &way : ways) add(line, way);
}

// Without the bundles that wait for it.
ForwardingTable::Way ForwardingTable::way_by(const bus::RouteCandidate &candidate) {
    return {{candidate.next_hop, candidate.link},
            candidate.arrival,
            candidate.on_time_until,
            candidate.leave_by,
            candidate.octet_ps,
            bus::kAnyBytes};
}

NodeNumber ForwardingTable::static_hop(const Key &key) const {
    const bp::EidView endpoint = endpoint_of(key);
    const NodeNumber exact = named_statics_.find_endpoint(endpoint);
    if (exact != NodeNumber{}) return exact;
    const auto route = statics_.find(key.destination);
    if (route != statics_.end() && key.destination != NodeNumber{}) return route->second;
    return named_statics_.find_wider(endpoint);
}

void ForwardingTable::add_fallbacks(Line &line, const Key &key) const {
    std::vector<const bus::NeighbourLink *> links;
    links.push_back(neighbour(static_hop(key)));
    links.push_back(neighbour(default_gateway_));
    std::erase(links, nullptr);
    std::ranges::stable_partition(links, &bus::NeighbourLink::up);
    for (const bus::NeighbourLink *link : links) add(line, {.hop = {link->neighbour, link->link}});
}

void ForwardingTable::add(Line &line, const Way &way) {
    if (line.count < kMaxWays) line.ways[line.count++] = way;
}

const bus::NeighbourLink *ForwardingTable::neighbour(NodeNumber node) const {
    const auto found = std::ranges::find(neighbours_, node, &bus::NeighbourLink::neighbour);
    return node == NodeNumber{} || found == neighbours_.end() ? nullptr : &*found;
}

bool ForwardingTable::fits(const Way &way, const BundleFacts &bundle, DtnTime now) {
    if (bundle.size_bytes > way.room_bytes || now > way.leave_by) return false;
    return bundle.expiry == kDtnNever ||
           arrival_of(way, bundle, now) < static_cast<double>(bundle.expiry);
}

double ForwardingTable::arrival_of(const Way &way, const BundleFacts &bundle, DtnTime now) {
    const DtnTime late = now > way.on_time_until ? now - way.on_time_until : 0;
    constexpr double kPicosecondsPerMs = 1e9;
    const double sending_ms = static_cast<double>(bundle.size_bytes) *
                              static_cast<double>(way.octet_ps) / kPicosecondsPerMs;
    return static_cast<double>(saturating_add(way.arrival, late)) + sending_ms;
}

}  // namespace farlink::routing
