// SPDX-License-Identifier: Apache-2.0
// What waits, laid onto the contacts that will carry it: how much room is left for whom.
// Made anew from each backlog by the router's core; borrows a graph; one thread.
// It is a view and no ledger: what has been sent, or has expired, is not in the next backlog, so
// nothing has to be given back.
#pragma once

#include <array>
#include <span>
#include <unordered_map>
#include <vector>

#include "module/router/core/route_search.hpp"
#include "module/router/core/widest_path.hpp"

namespace farlink::router {

/// At most so many routes are looked for beyond those of the table, for what waits for one
/// destination with one priority.
inline constexpr std::size_t kMaxExtraRoutes = 8;

/// What waits in storage for one destination with one priority.
struct Demand {
    std::uint64_t bytes = 0;
    std::uint64_t head_bytes = 0;  ///< of the bundle whose turn it is; it takes no less room
};

/// Which way how much of a demand goes.
struct Shares {
    struct Other {
        FoundRoute route;
        std::uint64_t bytes = 0;
    };
    std::vector<std::uint64_t> bytes;  ///< by route, in the order they were given in
    std::vector<Other> others;         ///< further routes, by arrival
};

class VolumeBooking {
public:
    /// For bundles that leave `source` from `time` on; `closed` as for AlternativeRoutes.
    VolumeBooking(const ContactGraph &graph, NodeIndex source, DtnTime time,
                  ContactMask closed = {})
        : graph_(graph), source_(source), time_(time), closed_(std::move(closed)) {}

    /// What egress holds for a neighbour takes the next contacts to it.
    void book_next_hop(NodeIndex neighbour, Priority priority, std::uint64_t bytes);
    /// What storage holds for a destination goes by these routes, each next bundle by the one that
    /// it arrives by earliest behind those before it; then, when they have no room, by others.
    /// Higher priorities must have been booked before.
    Shares book(std::span<const FoundRoute> routes, NodeIndex destination, Priority priority,
                const Demand &demand);

    /// What one more bundle of that priority finds free on a route: the effective volume of each
    /// hop, (effective stop - first octet) x rate, capped by what is not booked for the priority
    /// and above; the smallest of them.
    [[nodiscard]] std::uint64_t room(std::span<const ContactIndex> contacts,
                                     Priority priority) const;
    /// How much later such a bundle arrives for what goes by the first contact before it.
    [[nodiscard]] std::uint64_t delay_ms(std::span<const ContactIndex> contacts,
                                         Priority priority) const;

private:
    using Booked = std::array<std::uint64_t, kPriorityCount>;
    /// Where a route is full first, and by which contact: its own volume, or that it ends.
    struct Narrowest {
        std::uint64_t bytes = 0;
        ContactIndex contact = 0;
    };

    [[nodiscard]] std::uint64_t booked(ContactIndex contact, Priority priority) const;
    [[nodiscard]] std::uint64_t free_of(ContactIndex contact, Priority priority) const;
    void add(ContactIndex contact, Priority priority, std::uint64_t bytes);
    /// The route by which the next bundle arrives earliest, and when it would by the second best.
    struct Choice {
        std::size_t route = kNone;
        DtnTime arrival = kDtnNever;
        DtnTime second = kDtnNever;
        static constexpr std::size_t kNone = ~std::size_t{0};
    };
    [[nodiscard]] Choice choose(std::span<const FoundRoute> routes, Priority priority,
                                std::uint64_t head_bytes) const;
    [[nodiscard]] std::uint64_t share_out(std::span<const FoundRoute> routes, Priority priority,
                                          const Demand &demand, Shares &shares);
    void spill(NodeIndex destination, Priority priority, Demand left, Shares &shares);
    [[nodiscard]] std::uint64_t take(const FoundRoute &route, Priority priority,
                                     std::uint64_t bytes);
    [[nodiscard]] Narrowest narrowest(std::span<const ContactIndex> contacts,
                                      Priority priority) const;

    const ContactGraph &graph_;
    NodeIndex source_;
    DtnTime time_;
    ContactMask closed_;
    std::unordered_map<ContactIndex, Booked> booked_;
};

}  // namespace farlink::router
