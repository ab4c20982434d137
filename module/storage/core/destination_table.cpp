// SPDX-License-Identifier: Apache-2.0
#include "module/storage/core/destination_table.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "common/bp/flow.hpp"

namespace farlink::storage {

FlowIndex DestinationTable::find_or_add(ByteView label, const bp::EidView &endpoint,
                                        Priority priority, QuotaSet quotas, NodeNumber sender,
                                        NodeNumber source) {
    const Name name{as_text(label), sender, source};
    std::uint32_t index = find(name);
    if (index == kNone) index = add(name, endpoint, quotas);
    return static_cast<FlowIndex>(index * kPriorityCount + static_cast<std::size_t>(priority));
}

std::optional<FlowIndex> DestinationTable::flow_from(FlowIndex flow, NodeNumber sender,
                                                     const bp::EidView &source) {
    const Destination &known = destination_of(flow);
    if (!known.routable) return std::nullopt;
    Name name = name_of(known);
    if (name.sender == NodeNumber{} && table_.keeps_from(sender, known.node)) name.sender = sender;
    if (name.source == NodeNumber{}) name.source = source_that_matters(source);
    if (name == name_of(known)) return std::nullopt;
    return find_or_add(as_bytes(known.label), bp::ipn_eid(known.node.value(), known.service),
                       known.flows[flow % kPriorityCount].priority, known.quotas, name.sender,
                       name.source);
}

void DestinationTable::set_policies(const config::RoutingConfig &config) {
    table_ = routing::ForwardingTable(config);
    sources_.clear();
    for (const config::RoutingPolicy &policy : config.policies)
        if (policy.source != NodeNumber{} && !policy.paths.empty())
            sources_.push_back(policy.source);
    std::ranges::sort(sources_);
}

std::uint32_t DestinationTable::find(const Name &name) {
    if (last_found_ != kNone && name_of(destinations_[last_found_]) == name) return last_found_;
    const auto found = by_name_.find(name);
    if (found == by_name_.end()) return kNone;
    return last_found_ = found->second;
}

std::uint32_t DestinationTable::add(const Name &name, const bp::EidView &endpoint,
                                    QuotaSet quotas) {
    if (free_.empty()) {
        free_.push_back(static_cast<std::uint32_t>(destinations_.size()));
        destinations_.emplace_back();
    }
    const std::uint32_t index = free_.back();
    free_.pop_back();
    Destination &destination = destinations_[index];
    destination.label = name.label;
    destination.sender = name.sender;
    destination.source = name.source;
    destination.node = endpoint.node_number();
    destination.routable = endpoint.scheme == bp::EidScheme::kIpn;
    destination.quotas = quotas;
    destination.service = endpoint.service;
    for (std::size_t at = 0; at < kPriorityCount; ++at) {
        Flow &flow = destination.flows[at];
        flow = Flow{};
        flow.priority = static_cast<Priority>(at);
        flow.key = bp::flow_key(endpoint, flow.priority);
        flow.destination = index;
    }
    by_name_.emplace(name_of(destination), index);
    return index;
}

void DestinationTable::let_go(FlowIndex flow) {
    Destination &destination = destination_of(flow);
    FARLINK_INVARIANT(destination.holders > 0);
    if (--destination.holders > 0) return;
    last_found_ = kNone;
    by_name_.erase(name_of(destination));
    for (Flow &unused : destination.flows) unused.listed_on.clear();
    free_.push_back(static_cast<std::uint32_t>(flow / kPriorityCount));
}

void DestinationTable::set_routes(const bus::RouteUpdate &update) {
    table_.handle(update);
    ++routes_seen_;
}

void DestinationTable::set_avoided(std::vector<NodeNumber> neighbours) {
    avoided_ = std::move(neighbours);
    ++routes_seen_;
}

void DestinationTable::resolve(const Destination &destination, Flow &flow) {
    flow.ways.clear();
    if (!destination.routable) return;
    table_.find_ways({.source = destination.source,
                      .destination = destination.node,
                      .service = destination.service,
                      .priority = flow.priority,
                      .sender = destination.sender},
                     avoided_, found_);
    for (const routing::BookedWay &way : found_)
        flow.ways.push_back({way.hop.link, way.hop.neighbour, way.bytes});
}

std::vector<routing::NextHop> DestinationTable::all_ways(FlowIndex index, const Entry &entry,
                                                         DtnTime now_ms) const {
    const Destination &destination = destination_of(index);
    if (!destination.routable) return {};
    return table_.decide_all({.source = destination.source,
                              .destination = destination.node,
                              .service = destination.service,
                              .priority = destination.flows[index % kPriorityCount].priority,
                              .size_bytes = entry.size,
                              .expiry = entry.expiry,
                              .sender = destination.sender},
                             now_ms);
}

void DestinationTable::add_nodes_by(NodeNumber neighbour, FlowIndex index,
                                    std::vector<NodeNumber> &nodes) const {
    const Destination &destination = destination_of(index);
    nodes.push_back(neighbour);
    if (!destination.routable) return;
    nodes.push_back(destination.node);
    table_.add_nodes_beyond(neighbour, destination.node, nodes);
}

bus::PendingReport DestinationTable::held(std::size_t place, const EntryTable &entries) {
    Destination &destination = destinations_[place];
    bus::PendingReport report{.destination = destination.node,
                              .bundles = destination.held.bundles,
                              .bytes = destination.held.bytes,
                              .custody_bundles = destination.held.custody_bundles};
    if (destination.holders == 0) return report;
    for (Flow &flow : destination.flows)
        if (const EntryIndex head = flow.queue.first_waiting(entries); head != kNoEntry)
            report.next_expiry = std::min(report.next_expiry, entries[head].expiry);
    return report;
}

// What is lent is egress's to report.
std::vector<bus::WaitingBytes> DestinationTable::waiting(const EntryTable &entries) {
    std::map<std::pair<NodeNumber, Priority>, bus::WaitingBytes> sums;
    for (Destination &destination : destinations_) {
        if (destination.holders == 0 || !destination.routable) continue;
        for (Flow &flow : destination.flows) {
            const EntryIndex head = flow.queue.first_waiting(entries);
            if (head == kNoEntry) continue;
            bus::WaitingBytes &sum = sums[{destination.node, flow.priority}];
            sum.bytes += flow.queue.waiting_bytes();
            sum.head_bytes = std::max<std::uint64_t>(sum.head_bytes, entries[head].size);
        }
    }
    std::vector<bus::WaitingBytes> waiting;
    for (const auto &[key, sum] : sums)
        waiting.push_back({key.first, key.second, sum.bytes, sum.head_bytes});
    return waiting;
}

}  // namespace farlink::storage
