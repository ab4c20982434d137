// SPDX-License-Identifier: Apache-2.0
// The state of the node as far as alarms need it, at one moment.
// Values; alarm_facts_of() reads them from the view of the node.
// Any thread.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/base/time.hpp"
#include "common/base/types.hpp"

namespace farlink::telemetry {

inline constexpr std::uint64_t kUnlimitedBytes = ~std::uint64_t{0};

/// The contacts in which this node sends to a neighbour.
struct NeighbourContacts {
    NodeNumber neighbour{};
    DtnTime ends = 0;                                 ///< the last of them, also when it is over
    std::uint64_t remaining_bytes = kUnlimitedBytes;  ///< what they can carry from now on
};

/// The contact plan; without one every link is always open.
struct PlanFacts {
    bool in_force = false;
    std::vector<NeighbourContacts> neighbours{};
};

/// Bundles in storage for a node.
struct WaitingFacts {
    NodeNumber destination{};
    std::uint64_t bundles = 0;
    std::uint64_t bytes = 0;
    NodeNumber next_hop{};  ///< 0: no route leads to the destination
};

struct DiskFacts {
    std::string path;
    std::uint64_t used_bytes = 0;
    std::uint64_t capacity_bytes = 0;
    bool full = false;  ///< nothing is written, whatever is in use
};

/// A link by which bundles leave.
struct LinkFacts {
    LinkId link = kNoLink;
    NodeNumber neighbour{};
    bool open = false;  ///< a contact is open, and the operator has not taken the link down
    bool connected = false;
    bool opened_by_neighbour = false;  ///< its session is one of an induct
    std::uint64_t sent = 0;            ///< bundles that the neighbour has taken
    std::uint64_t refused = 0;         ///< bundles that it has refused
    std::uint64_t too_large = 0;       ///< attempts to send a bundle that it does not take
    std::uint64_t unacknowledged = 0;  ///< attempts to send a bundle without an answer
    std::string ends{};                ///< the contact, in UTC; empty: open for ever
    std::string reason{};              ///< why it is not connected; empty: unknown
    std::string address{};             ///< to which this node connects; empty: unknown
};

struct ModuleFacts {
    std::string name;
    std::string state;  ///< "starting", "ready", "silent", "lost" or "stopping"
};

/// A certificate in a file of the configuration.
struct CertificateFacts {
    std::string use;   ///< "the API", "link 2"
    std::string file;  ///< its path
    std::string name;  ///< of its subject
    DtnTime ends = 0;
    LinkId link = kNoLink;
    bool authority = false;  ///< it signs the certificates of peers
};

/// A link on which any peer is believed.
struct UncheckedFacts {
    LinkId link = kNoLink;
    std::string reason;  ///< the setting: "tlsInsecure is set"
    std::string action;
};

struct AlarmFacts {
    NodeNumber node{};  ///< this one
    PlanFacts plan{};
    std::uint64_t stored_bundles = 0;
    std::vector<WaitingFacts> waiting{};
    std::vector<DiskFacts> disks{};
    bool storage_full = false;
    bool storage_recovers =
        false;  ///< it was full: the cause is over, and nothing was refused since
    bool reserve_missing = false;  ///< of the store, which accepts no bundles until it is complete
    std::uint64_t without_room = 0;  ///< bundles that wait in memory for storage
    std::vector<LinkFacts> links{};
    std::uint64_t refused_now = 0;    ///< bundles in storage that wait after a refusal
    std::uint64_t too_large_now = 0;  ///< bundles in storage that are too large for their link
    std::uint64_t exceeding_now = 0;  ///< stored bundles that exceed every contact on their routes
    std::vector<ModuleFacts> modules{};
    std::vector<CertificateFacts> certificates{};
    std::vector<UncheckedFacts> unchecked{};
    std::uint64_t modules_suspended = 0;  ///< modules in which expiration is suspended
    std::uint64_t clock_ahead_s = 0;      ///< until it is confirmed
    std::uint64_t clock_behind_s = 0;     ///< the same
    bool clock_synchronised = true;
    std::string history_fault{};  ///< why no history is written; empty: it is, or is not wanted
};

}  // namespace farlink::telemetry
