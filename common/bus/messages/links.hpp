// SPDX-License-Identifier: Apache-2.0
// Contacts and links: what the scheduler publishes, what egress and ingress report, what the
// operator changes.
// Part of messages.hpp; a message is owned by whoever holds it.
// Values without behaviour; any thread, one at a time.
#pragma once

#include <cstdint>
#include <vector>

#include "common/base/bytes.hpp"
#include "common/base/time.hpp"
#include "common/base/types.hpp"
#include "common/bus/messages/event_header.hpp"
#include "common/bus/messages/request_id.hpp"

namespace farlink::bus {

enum class LinkDownReason : std::uint8_t {
    kContactEnded = 0,
    kConnectionLost = 1,
    kAdministrative = 2,
    kRemoved = 3,  ///< the link, also for one with other settings
};
/// Scheduler: a contact begins; egress opens the link.
struct ContactStart {
    EventHeader header;
    LinkId link = kNoLink;
    NodeNumber neighbour;
    BitRate rate;
    Duration owlt{};
    DtnTime ends = kDtnNever;
};
/// Scheduler: a contact ends; egress finishes the bundle begun and closes the link.
struct ContactEnd {
    EventHeader header;
    LinkId link = kNoLink;
    NodeNumber neighbour;
};
/// Scheduler: the link can be used now (planned and connected).
struct LinkUp {
    EventHeader header;
    LinkId link = kNoLink;
    NodeNumber neighbour;
    BitRate rate;
    Duration owlt{};
    std::uint64_t max_bundle_bytes = ~std::uint64_t{0};  ///< larger ones need another link,
    bool fragments = true;         ///< unless they may be cut, and egress cuts for this one
    bool cuts_to_contact = false;  ///< likewise at the end of a contact, so that a part of it fits
};
/// Scheduler: the link can no longer be used.
struct LinkDown {
    EventHeader header;
    LinkId link = kNoLink;
    NodeNumber neighbour;
    LinkDownReason reason = LinkDownReason::kContactEnded;
};
/// One link in a LinkSnapshot.
struct LinkEntry {
    LinkId link = kNoLink;
    NodeNumber neighbour;
    BitRate rate;
    Duration owlt{};
    DtnTime ends = kDtnNever;
    bool planned = false;    ///< a contact is open
    bool connected = false;  ///< egress reports a connection
    std::uint64_t max_bundle_bytes = ~std::uint64_t{0};
    bool enabled = true;               ///< the operator has not taken it down; else not `planned`
    DtnTime next_contact = kDtnNever;  ///< when the next contact begins, this one apart
    Duration depleted_for{};           ///< its neighbour has no room, for so long from now on
    bool overridden = false;           ///< the operator has set the rate or the light time
    bool fragments = true;             ///< as in LinkUp
    bool cuts_to_contact = false;      ///< the same
};
/// Scheduler: all links; `header` is that of its last event. An event, and the reply to
/// SnapshotRequest, PlanReplace and PlanChange.
struct LinkSnapshot {
    EventHeader header;
    std::vector<LinkEntry> links;
    RequestId id{};
};
/// Egress to scheduler: the state of a link's connection. The scheduler adds a link that it does
/// not have yet, and removes one that is `removed`.
struct LinkStatus {
    LinkId link = kNoLink;
    NodeNumber neighbour;
    bool connected = false;
    bool removed = false;
    std::uint64_t max_bundle_bytes = ~std::uint64_t{0};
    bool fragments = true;         ///< larger ones are cut, if they may be
    bool cuts_to_contact = false;  ///< likewise those that the rest of a contact is too short for
};
/// Ingress to egress: a neighbour whose node number is certain has opened a session that bundles
/// can leave by, known as `link` from now on; or that session is gone.
struct SessionChange {
    LinkId link = kNoLink;
    NodeNumber neighbour;
    bool open = false;
    Bytes node_id;  ///< what this node calls itself in the session, as text
    std::uint64_t max_bundle_bytes = ~std::uint64_t{0};  ///< that the neighbour takes
    std::uint8_t fault = 0;  ///< why it is gone: a cla::LinkFault, as a number
};
/// Egress to ingress: how the contact paces a link that a session of ingress carries, this one and
/// those that follow.
struct LinkPace {
    LinkId link = kNoLink;
    BitRate rate;  ///< 0: as fast as it goes
    Duration owlt{};
    bool owlt_known = false;  ///< false: no contact has set it
};
/// Supervisor to ingress or egress: a link is added, changed or removed while the node runs.
enum class LinkVerb : std::uint8_t { kAdd = 0, kChange = 1, kRemove = 2 };
struct LinkChange {
    LinkVerb verb = LinkVerb::kAdd;
    LinkId link = kNoLink;
    bool outduct = false;
    Bytes config;  ///< JSON of the link, as in the configuration file; empty to remove
    RequestId id{};
};
/// The reply to it; `error` is empty when it has been done.
struct LinkChangeResult {
    LinkId link = kNoLink;
    Bytes error;
    std::uint16_t port = 0;  ///< of an induct
    RequestId id{};
};
/// Supervisor to scheduler: the operator takes a link down, or lets it go by the plan again.
struct LinkAdmin {
    LinkId link = kNoLink;
    bool enabled = true;
};
/// Supervisor to scheduler: the operator sets the rate or the light time of a link, in place of
/// those of the contact, or restores those of the contact.
struct LinkOverride {
    LinkId link = kNoLink;
    bool rate_given = false;
    BitRate rate;  ///< 0: unlimited
    bool owlt_given = false;
    Duration owlt{};
};
/// Storage to scheduler, and scheduler to router: a neighbour has no room for bundles and is tried
/// again after `pause`; 0: it has room again.
struct NeighbourDepleted {
    NodeNumber neighbour;
    Duration pause{};
};

}  // namespace farlink::bus
