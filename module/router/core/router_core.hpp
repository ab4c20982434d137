// SPDX-License-Identifier: Apache-2.0
// The router: keeps the contact plan and the state of links, and publishes the routing table.
// Owned by the router's agent, which passes in messages and time and sends the messages of
// poll_message(); one thread.
#pragma once

#include <algorithm>
#include <array>
#include <deque>
#include <optional>
#include <vector>

#include "common/base/time.hpp"
#include "common/bus/event_stream.hpp"
#include "common/bus/messages.hpp"
#include "module/router/core/backlog_booking.hpp"

namespace farlink::router {

/// A planned link counts as lost if it has not connected for this time.
inline constexpr Duration kConnectGrace = seconds(10);

/// An outduct: the link and the neighbour at its other end. Several may lead to one neighbour.
struct OutductEntry {
    LinkId link = kNoLink;
    NodeNumber neighbour;
};

struct RouterSetup {
    NodeNumber node;  ///< this node
    std::vector<OutductEntry> outducts;
    std::uint64_t epoch = 0;  ///< of the published events; differs after every start
    WallClock clock;
    /// Whether to wait for the operator's holds before the first table.
    bool awaits_holds = false;
};

/// Publishes a RouteUpdate with the whole table when it changes: for a new plan, when a route ends
/// or another one becomes earlier, when a link comes up or goes down, and when waiting bundles
/// leave more or less room on a route.
/// The first table follows the first ContactsUpdate; earlier requests are answered then. The table
/// is published again some time after the last change, in case that event was lost.
class RouterCore {
public:
    explicit RouterCore(RouterSetup setup);

    void handle(const bus::ContactsUpdate &update, TimePoint now);
    /// Answers the supervisor with the changes of the table.
    void handle(const bus::ContactsChange &change, TimePoint now);
    void handle(const bus::ContactStart &event, TimePoint now);
    void handle(const bus::ContactEnd &event, TimePoint now);
    void handle(const bus::LinkUp &event, TimePoint now);
    void handle(const bus::LinkDown &event, TimePoint now);
    void handle(const bus::LinkSnapshot &snapshot, TimePoint now);
    void handle(const bus::SnapshotRequest &request, TimePoint now);
    /// Bundles avoid the neighbour for the pause if there is another way.
    void handle(const bus::NeighbourDepleted &report, TimePoint now);
    /// Answers the supervisor with the changes that the plan would make.
    void handle(const bus::ContactsProposal &proposal, TimePoint now);
    void handle(const bus::BacklogReport &report, TimePoint now);
    /// Holds the bundles for a node in storage, or releases them. Destination 0: the list of holds
    /// is complete.
    void handle(const bus::DestinationHold &hold, TimePoint now);
    /// A module in another process is lost; it reports its backlog again when it is back.
    void handle(const bus::ModuleLost &lost, TimePoint now);
    void handle_timeout(TimePoint now);
    [[nodiscard]] TimePoint next_timeout() const {
        return std::min(recompute_at_, repeat_.next_timeout());
    }
    /// When the table may change next.
    [[nodiscard]] TimePoint next_recompute() const { return recompute_at_; }

    /// Sets the clock. A step recomputes the table, a drift moves the timer only.
    void set_wall_clock(const WallClock &clock, TimePoint now);

    [[nodiscard]] std::optional<bus::Outgoing> poll_message();

    [[nodiscard]] const RouteTable &table() const { return table_; }

private:
    static constexpr std::size_t kMostWaiting = 256;

    void note_egress(const bus::BacklogReport &report);
    [[nodiscard]] WaitingBundles released_bundles() const;
    struct LinkState {
        bool planned = false;
        bool up = false;
        TimePoint lost_from = kNever;  ///< planned and not up: counts as lost from then on

        [[nodiscard]] bool lost(TimePoint now) const { return planned && !up && lost_from <= now; }
    };
    struct Link {
        LinkId id = kNoLink;
        NodeNumber neighbour;
        LinkState state;
        bool disabled = false;         ///< by the operator: not a way until it is enabled again
        bool cuts_to_contact = false;  ///< as in bus::LinkUp
        TimePoint depleted_until{};    ///< until then its neighbour's storage is depleted

        [[nodiscard]] bool avoided(TimePoint now) const {
            return state.lost(now) || depleted_until > now;
        }
    };

    void answer_waiting();
    void note_waiting(const bus::SnapshotRequest &request);
    [[nodiscard]] Link *find(LinkId id);
    Link &find_or_add(LinkId id, NodeNumber neighbour);
    [[nodiscard]] std::vector<NextHop> next_hops(TimePoint now) const;
    [[nodiscard]] std::vector<bus::NeighbourLink> neighbours(const std::vector<NextHop> &hops);
    /// Returns the previous table.
    RouteTable recompute(TimePoint now);
    void arm(TimePoint now);
    [[nodiscard]] bus::RouteUpdate route_update(bus::RequestId id = bus::kNoRequest) const {
        return {last_event_, table_.routes(), neighbours_, held_, id};
    }

    bus::EventHeader last_event_;
    bus::EventRepeat repeat_;
    WallClock clock_;
    std::vector<Link> links_;  ///< ascending by neighbour, then by id
    NextHopPlanner planner_;
    WaitingBundles waiting_bundles_;
    /// The reports of the instances of egress; waiting_bundles_ contains all of them.
    std::array<std::vector<bus::WaitingBytes>, kMostInstances> waiting_in_egress_;
    bool backlog_changed_ = false;
    std::vector<NodeNumber> held_;  ///< by the operator; ascending
    bool holds_changed_ = false;
    bool awaits_holds_ = false;
    RouteTable table_;
    std::vector<bus::NeighbourLink> neighbours_;
    bool planned_ = false;
    bool published_ = false;
    TimePoint recompute_at_ = kNever;
    /// Requests from before the first plan, the oldest first. Beyond kMostWaiting the oldest goes:
    /// its requester has given up long ago.
    std::deque<bus::SnapshotRequest> waiting_;
    std::deque<bus::Outgoing> messages_;
};

}  // namespace farlink::router
