// SPDX-License-Identifier: Apache-2.0
// Books waiting bytes on the contacts that will carry them, and computes the room that is left.
// Rebuilt by the router's core for each backlog; borrows a graph; one thread.
// Bookings are never returned: bundles that were sent or have expired are not in the next backlog.
#pragma once

#include <array>
#include <span>
#include <unordered_map>
#include <vector>

#include "module/router/core/route_search.hpp"
#include "module/router/core/widest_path.hpp"

namespace farlink::router {

/// Maximum number of routes beyond those of the table, per destination and priority.
inline constexpr std::size_t kMaxExtraRoutes = 8;

/// The bytes in storage for one destination with one priority.
struct Demand {
    std::uint64_t bytes = 0;
    std::uint64_t head_bytes = 0;  ///< of the first bundle; a smaller share carries nothing,
                                   ///< unless the link cuts the bundle
};

/// The distribution of a demand over routes.
struct Shares {
    struct Other {
        FoundRoute route;
        std::uint64_t bytes = 0;
    };
    std::vector<std::uint64_t> bytes;  ///< by route, in the order of the argument
    std::vector<Other> others;         ///< further routes, by arrival
};

class VolumeBooking {
public:
    /// For bundles that leave `source` from `time` on; `closed` as for AlternativeRoutes.
    /// `cutting`: contacts whose link cuts a bundle that does not fit; empty: none does.
    VolumeBooking(const ContactGraph &graph, NodeIndex source, DtnTime time,
                  ContactMask closed = {}, ContactMask cutting = {})
        : graph_(graph),
          source_(source),
          time_(time),
          closed_(std::move(closed)),
          cutting_(std::move(cutting)) {}

    /// Books the bytes in egress for a neighbour on the next contacts to it.
    void book_next_hop(NodeIndex neighbour, Priority priority, std::uint64_t bytes);
    /// Books the bytes in storage for a destination on these routes, each bundle on the one with
    /// the earliest arrival behind earlier bundles; then, when they are full, on others. A bundle
    /// that a link cuts is booked part by part.
    /// Higher priorities must have been booked before.
    Shares book(std::span<const FoundRoute> routes, NodeIndex destination, Priority priority,
                const Demand &demand);

    /// The room for one more bundle of that priority on a route: the minimum over the hops of the
    /// effective volume, (effective stop - first octet) x rate, and of the bytes not booked for the
    /// priority and above.
    [[nodiscard]] std::uint64_t room(std::span<const ContactIndex> contacts,
                                     Priority priority) const;
    /// How much later such a bundle arrives because of earlier bundles on the first contact.
    [[nodiscard]] std::uint64_t delay_ms(std::span<const ContactIndex> contacts,
                                         Priority priority) const;

private:
    using Booked = std::array<std::uint64_t, kPriorityCount>;
    /// The bytes that fit on a route, and the contact that limits them.
    struct Narrowest {
        std::uint64_t bytes = 0;
        ContactIndex contact = 0;
    };

    [[nodiscard]] std::uint64_t booked(ContactIndex contact, Priority priority) const;
    [[nodiscard]] std::uint64_t free_of(ContactIndex contact, Priority priority) const;
    void add(ContactIndex contact, Priority priority, std::uint64_t bytes);
    /// The route with the earliest arrival of the next bundle, and the arrival by the second best.
    struct Choice {
        std::size_t route = kNone;
        DtnTime arrival = kDtnNever;
        DtnTime second = kDtnNever;
        std::uint64_t part_bytes = 0;  ///< of the bundle that fit; 0: all of it
        static constexpr std::size_t kNone = ~std::size_t{0};
    };
    [[nodiscard]] Choice choose(std::span<const FoundRoute> routes, Priority priority,
                                std::uint64_t head_bytes) const;
    [[nodiscard]] bool ends_first(std::span<const FoundRoute> routes, const Choice &part,
                                  const Choice &whole, std::uint64_t head_bytes) const;
    /// The bundle may leave in part: only the first contact of the route is too short for it.
    [[nodiscard]] bool carries_part(std::span<const ContactIndex> contacts,
                                    const Narrowest &room) const;
    /// Returns what is left.
    [[nodiscard]] Demand share_out(std::span<const FoundRoute> routes, Priority priority,
                                   const Demand &demand, Shares &shares);
    void spill(NodeIndex destination, Priority priority, Demand left, const Demand &demand,
               Shares &shares);
    [[nodiscard]] std::uint64_t take(const FoundRoute &route, Priority priority,
                                     std::uint64_t bytes);
    [[nodiscard]] Narrowest narrowest(std::span<const ContactIndex> contacts,
                                      Priority priority) const;

    const ContactGraph &graph_;
    NodeIndex source_;
    DtnTime time_;
    ContactMask closed_;
    ContactMask cutting_;
    std::unordered_map<ContactIndex, Booked> booked_;
};

}  // namespace farlink::router
