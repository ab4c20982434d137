// SPDX-License-Identifier: Apache-2.0
#include "module/storage/core/index/destination_table.hpp"

#include <algorithm>
#include <functional>
#include <utility>

#include "common/bp/eid/eid_pattern.hpp"
#include "common/bp/eid/reserved.hpp"
#include "common/bp/flow.hpp"
#include "common/config/applications/own_services.hpp"
#include "module/storage/core/index/endpoint_label.hpp"

namespace farlink::storage {
namespace {

/// Tables of so many places are given back when they are empty.
constexpr std::size_t kManyPlaces = 4096;
/// Of a name in a report; longer ones with this beginning are one.
constexpr std::size_t kLongestName = 200;
constexpr std::uint32_t kFlowKeys = (1U << bp::kFlowBits) - 1;

/// The node of an endpoint without a node number: "dtn://node/", or the whole endpoint. Octets that
/// no URI has become '?', since a peer chooses them.
Bytes report_name(const bp::EidView &endpoint) {
    std::string name = bp::to_string(endpoint);
    if (endpoint.scheme == bp::EidScheme::kDtn)
        if (const std::string_view node = bp::dtn_node_of(endpoint.name); !node.empty())
            name = "dtn:" + std::string(node);
    name.resize(std::min(name.size(), kLongestName));
    std::ranges::replace_if(name, [](char octet) { return octet <= ' ' || octet > '~'; }, '?');
    return {name.begin(), name.end()};
}

/// A row of a report bears the name of the endpoint, and not the number of its node.
bool is_named(NodeNumber node, bool here, const bp::EidView &endpoint,
              const routing::EndpointTable &applications) {
    return node == NodeNumber{} || (here && applications.find(endpoint).has_value());
}

}  // namespace

FlowIndex DestinationTable::find_or_add(ByteView label, const bp::EidView &endpoint,
                                        Priority priority, QuotaSet quotas, NodeNumber sender,
                                        NodeNumber source) {
    const Name name{as_text(label), sender, source};
    std::uint32_t index = find(name);
    if (index == kNone) index = add(name, endpoint, quotas);
    Destination &destination = *destinations_[index];
    if (destination.find_flow(priority) == nullptr)
        destination.add_flow(priority).key = bp::flow_key(endpoint, priority) & kFlowKeys;
    return static_cast<FlowIndex>(index * kPriorityCount + static_cast<std::size_t>(priority));
}

Flow &DestinationTable::Destination::add_flow(Priority priority) {
    Flow *flow = &first;
    if (std::exchange(has_flow, true)) {
        if (others == nullptr) others = std::make_unique<Flows>();
        auto &place = (*others)[static_cast<std::size_t>(priority)];
        place = std::make_unique<Flow>();
        flow = place.get();
    }
    flow->priority = priority;
    return *flow;
}

std::optional<FlowIndex> DestinationTable::flow_from(FlowIndex flow, NodeNumber sender,
                                                     const bp::EidView &source) {
    const Destination &known = destination_of(flow);
    if (!known.routable) return std::nullopt;
    Name name = name_of(known);
    if (name.sender == NodeNumber{} && table_.keeps_from(sender, known.node)) name.sender = sender;
    if (name.source == NodeNumber{}) name.source = source_that_matters(source);
    if (name == name_of(known)) return std::nullopt;
    return find_or_add(as_bytes(known.label.text()), known.endpoint(), priority_of(flow),
                       known.quotas, name.sender, name.source);
}

void DestinationTable::set_policies(const config::RoutingConfig &config) {
    table_ = routing::ForwardingTable(config);
    note_sources(config);
}

void DestinationTable::change_policies(const config::RoutingConfig &config) {
    table_.set_rules(config);
    note_sources(config);
    ++routes_seen_;
}

void DestinationTable::note_sources(const config::RoutingConfig &config) {
    sources_.clear();
    for (const config::RoutingPolicy &policy : config.policies)
        if (policy.source != NodeNumber{} && !policy.paths.empty())
            sources_.push_back(policy.source);
    std::ranges::sort(sources_);
}

bp::EidView DestinationTable::Destination::endpoint() const {
    return decode_label(as_bytes(label.text())).value_or(bp::EidView{});
}

routing::BundleFacts DestinationTable::Destination::facts(Priority priority) const {
    const bp::EidView to = endpoint();
    return {.source = source,
            .destination = node,
            .service = to.service,
            .priority = priority,
            .sender = sender,
            .name = to.name};
}

std::uint32_t DestinationTable::find(const Name &name) {
    if (last_found_ != kNone && name_of(*destinations_[last_found_]) == name) return last_found_;
    const auto found = by_name_.find(name);
    if (found == by_name_.end()) return kNone;
    return last_found_ = *found;
}

std::uint32_t DestinationTable::add(const Name &name, const bp::EidView &endpoint,
                                    QuotaSet quotas) {
    if (free_.empty()) {
        free_.push_back(static_cast<std::uint32_t>(destinations_.size()));
        destinations_.emplace_back();
    }
    const std::uint32_t index = free_.back();
    free_.pop_back();
    destinations_[index] = std::make_unique<Destination>();
    Destination &destination = *destinations_[index];
    destination.label = ShortLabel(name.label);
    destination.sender = name.sender;
    destination.source = name.source;
    destination.node = table_.destination_of(endpoint).node;
    destination.routable = !bp::leads_nowhere(endpoint) && !bp::is_local_node(endpoint);
    destination.here =
        bp::is_local_node(endpoint) || (endpoint.scheme == bp::EidScheme::kIpn &&
                                        node_ != NodeNumber{} && endpoint.node_number() == node_);
    destination.quotas = quotas;
    by_name_.insert(index);
    return index;
}

void DestinationTable::let_go(FlowIndex flow) {
    Destination &destination = destination_of(flow);
    FARLINK_INVARIANT(destination.holders > 0);
    if (--destination.holders > 0) return;
    const auto index = static_cast<std::uint32_t>(flow / kPriorityCount);
    last_found_ = kNone;
    by_name_.erase(index);
    destinations_[index].reset();
    free_.push_back(index);
    if (!by_name_.empty() || destinations_.size() < kManyPlaces) return;
    // Nothing is held at all: the tables themselves begin anew.
    destinations_ = std::vector<std::unique_ptr<Destination>>();
    free_ = std::vector<std::uint32_t>();
    by_name_.rehash(0);
}

bool DestinationTable::set_routes(const bus::RouteUpdate &update) {
    const bool planned = std::ranges::any_of(update.routes, [this](const bus::Route &route) {
        return !route.detour && !table_.has_planned_route(route.destination);
    });
    table_.handle(update);
    ++routes_seen_;
    return planned;
}

void DestinationTable::set_avoided(std::vector<NodeNumber> neighbours) {
    avoided_ = std::move(neighbours);
    ++routes_seen_;
}

void DestinationTable::resolve(const Destination &destination, Flow &flow) {
    flow.ways.clear();
    flow.by_policy = false;
    const bp::EidView endpoint = destination.endpoint();
    if (const auto application = endpoints_.find(endpoint))
        return flow.ways.push_back({*application, node_, bus::kAnyBytes});
    // A bundle for an application that was here waits for it to come again.
    const bool own = echo_service_ == 0 || config::is_own_service(endpoint.service, echo_service_);
    if (destination.here && own) flow.ways.push_back({kServicesLink, node_, bus::kAnyBytes});
    if (destination.here || !destination.routable) return;
    table_.find_ways(destination.facts(flow.priority), avoided_, found_);
    for (const routing::BookedWay &way : found_)
        flow.ways.push_back({way.hop.link, way.hop.neighbour, way.bytes});
    flow.by_policy = !found_.empty() && found_.front().by_policy;
}

std::vector<routing::NextHop> DestinationTable::all_ways(FlowIndex index, const Entry &entry,
                                                         DtnTime now_ms) const {
    const Destination &destination = destination_of(index);
    if (!destination.routable) return {};
    routing::BundleFacts facts = destination.facts(priority_of(index));
    facts.size_bytes = entry.bytes();
    facts.expiry = entry.expiry;
    return table_.decide_all(facts, now_ms);
}

void DestinationTable::add_nodes_by(NodeNumber neighbour, FlowIndex index,
                                    std::vector<NodeNumber> &nodes) const {
    const Destination &destination = destination_of(index);
    nodes.push_back(neighbour);
    // A dtn name may be no node's; `ipn:0.7` must not answer for it.
    if (!destination.routable || destination.node == NodeNumber{}) return;
    nodes.push_back(destination.node);
    table_.add_nodes_beyond(neighbour, destination.node, nodes);
}

DestinationTable::HeldCount DestinationTable::count_held(std::size_t place) {
    if (place >= destinations_.size() || destinations_[place] == nullptr) return {};
    const Destination &destination = *destinations_[place];
    const bp::EidView endpoint = destination.endpoint();
    const std::uint32_t bundles = destination.held.bundles;
    if (!is_named(destination.node, destination.here, endpoint, endpoints_))
        return {destination.node.value(), bundles, false};
    return {std::hash<std::string_view>{}(as_text(report_name(endpoint))), bundles, true};
}

bus::PendingReport DestinationTable::held(std::size_t place, const EntryTable &entries) {
    if (destinations_[place] == nullptr) return {};
    Destination &destination = *destinations_[place];
    bus::PendingReport report{.destination = destination.node,
                              .bundles = destination.held.bundles,
                              .bytes = destination.held.bytes,
                              .custody_bundles = destination.held.custody_bundles};
    const bp::EidView endpoint = destination.endpoint();
    if (is_named(destination.node, destination.here, endpoint, endpoints_))
        report.name = report_name(endpoint);
    for (std::size_t level = 0; level < kPriorityCount; ++level) {
        Flow *const flow = destination.find_flow(static_cast<Priority>(level));
        if (flow == nullptr) continue;
        // Where none waits, one that is being sent or in custody expires next.
        EntryIndex head = flow->queue.first_waiting(entries);
        if (head == kNoEntry) head = flow->queue.first();
        if (head != kNoEntry)
            report.next_expiry = std::min(report.next_expiry, entries[head].expiry);
    }
    return report;
}

// What is lent is egress's to report.
std::vector<bus::WaitingBytes> DestinationTable::waiting(const EntryTable &entries,
                                                         std::span<const SentPart> parts) {
    std::vector<bus::WaitingBytes> waiting;
    const bool many = by_name_.size() > kMostReported;
    for (const auto &destination : destinations_) {
        if (destination == nullptr || destination->node == NodeNumber{} || destination->here)
            continue;
        // The router books nothing for them. An unknown peer can name a million.
        if (many && !table_.has_route(destination->node)) continue;
        for (std::size_t level = 0; level < kPriorityCount; ++level) {
            Flow *const flow = destination->find_flow(static_cast<Priority>(level));
            const EntryIndex head = flow == nullptr ? kNoEntry : flow->queue.first_waiting(entries);
            if (head == kNoEntry) continue;
            waiting.push_back({destination->node, flow->priority, flow->queue.waiting_bytes(),
                               entries[head].bytes()});
            const FlowIndex of_head = entries[head].flow;
            for (const SentPart &part : parts) {
                if (entries[part.entry].flow != of_head) continue;
                waiting.back().bytes -= part.bytes;
                if (part.entry == head) waiting.back().head_bytes -= part.bytes;
            }
        }
    }
    // The endpoints of a node make one sum. Sorting takes less memory than a map.
    const auto key_of = [](const bus::WaitingBytes &each) {
        return std::pair(each.node, each.priority);
    };
    std::ranges::sort(waiting, {}, key_of);
    std::size_t kept = 0;
    for (const bus::WaitingBytes &each : waiting) {
        if (kept > 0 && key_of(waiting[kept - 1]) == key_of(each)) {
            waiting[kept - 1].bytes += each.bytes;
            waiting[kept - 1].head_bytes = std::max(waiting[kept - 1].head_bytes, each.head_bytes);
        } else {
            waiting[kept++] = each;
        }
    }
    waiting.resize(kept);
    return waiting;
}

}  // namespace farlink::storage
