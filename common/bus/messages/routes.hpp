// SPDX-License-Identifier: Apache-2.0
// Routes, and what waits for them.
// Part of messages.hpp; a message is owned by whoever holds it.
// Values without behaviour; any thread, one at a time.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "common/base/time.hpp"
#include "common/base/types.hpp"
#include "common/bus/messages/agent_id.hpp"
#include "common/bus/messages/event_header.hpp"
#include "common/bus/messages/request_id.hpp"

namespace farlink::bus {

inline constexpr std::uint64_t kAnyBytes = ~std::uint64_t{0};

/// One way towards a destination; candidates are ordered, best first.
struct RouteCandidate {
    NodeNumber next_hop;
    LinkId link = kNoLink;
    DtnTime arrival = 0;  ///< earliest arrival of a bundle of size zero, nothing before it
    /// A bundle that leaves by then arrives so early; what leaves later arrives later, too.
    DtnTime on_time_until = kDtnNever;
    DtnTime leave_by = kDtnNever;  ///< the last moment at which a first octet can leave
    /// Picoseconds of sending for each octet, all hops together: a bundle arrives by `arrival` and
    /// this for its size.
    std::uint64_t octet_ps = 0;
    /// The bytes that are free for a bundle of that priority, behind those that wait.
    std::array<std::uint64_t, kPriorityCount> room_bytes{kAnyBytes, kAnyBytes, kAnyBytes};
    /// How much later a bundle of that priority arrives, for those that wait for the first hop.
    std::array<std::uint64_t, kPriorityCount> delay_ms{};
    /// What of the bytes that wait for the destination in storage is laid onto this way.
    std::array<std::uint64_t, kPriorityCount> booked_bytes{};
    /// The nodes between the next hop and the destination; each may accept custody.
    std::vector<NodeNumber> nodes{};
    /// Its link cuts a bundle that does not fit the contact: a part of it leaves, if it may be cut.
    bool cuts_to_contact = false;
};
struct Route {
    NodeNumber destination;
    std::vector<RouteCandidate> candidates;
    /// What the largest contact of the best series of contacts can carry: a larger bundle never
    /// arrives, unless a link cuts it.
    std::uint64_t max_bundle_bytes = ~std::uint64_t{0};
    /// The best way by the plan begins with a link that this node cannot use now. Other nodes do
    /// not know that: bundles may come back.
    bool detour = false;
};
/// The link that leads to a neighbour now.
struct NeighbourLink {
    NodeNumber neighbour;
    LinkId link = kNoLink;
    bool up = false;
    friend bool operator==(const NeighbourLink &, const NeighbourLink &) = default;
};
/// Router: the whole table; a destination that is absent has no route. An event, and the reply to
/// SnapshotRequest.
struct RouteUpdate {
    EventHeader header;
    std::vector<Route> routes;
    std::vector<NeighbourLink> neighbours{};
    /// The operator holds bundles for these nodes: they stay in storage, even with a route.
    std::vector<NodeNumber> held{};
    RequestId id{};
};
/// A destination whose candidates are others by a proposed plan; best first.
struct RouteDifference {
    NodeNumber destination;
    std::vector<RouteCandidate> before;
    std::vector<RouteCandidate> after;
};
/// Router to supervisor: what a proposed plan would change, or a change of the plan has.
struct RoutesPreview {
    std::vector<RouteDifference> differences;
    RequestId id{};
};
/// Supervisor to router: the operator holds bundles for a node, or not; 0: the list is complete.
struct DestinationHold {
    NodeNumber destination;
    bool held = false;
};
/// What waits, of one priority: in storage for a destination, or in egress for a neighbour.
struct WaitingBytes {
    NodeNumber node;
    Priority priority = Priority::kNormal;
    std::uint64_t bytes = 0;
    /// The largest of the bundles whose turn it is: a contact without room for it carries nothing,
    /// unless its link cuts it.
    std::uint64_t head_bytes = 0;
    friend bool operator==(const WaitingBytes &, const WaitingBytes &) = default;
};
/// Storage or egress to router: the whole backlog there, after each change. The router books it on
/// the contacts of its routes; bytes that the next report does not contain are free again. Of more
/// than 4,096 destinations, storage reports those with a route of the plan. Router
/// to supervisor: the report of storage, before the RouteUpdate that the supervisor requests; both
/// repeat the id.
struct BacklogReport {
    AgentId module = AgentId::kStorage;
    std::vector<WaitingBytes> waiting;
    RequestId id{};
};

}  // namespace farlink::bus
