// SPDX-License-Identifier: Apache-2.0
// The router: keeps the contact plan and the state of links, and publishes the routing table.
// Owned by the router's agent, which brings messages and time and sends what poll_message()
// yields; one thread.
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

/// A planned link that has not connected for so long counts as lost.
inline constexpr Duration kConnectGrace = seconds(10);

/// An outduct: the link and the neighbour at its other end. Several may lead to one neighbour.
struct OutductEntry {
    LinkId link = kNoLink;
    NodeNumber neighbour;
};

struct RouterSetup {
    NodeNumber node;  ///< this node
    std::vector<OutductEntry> outducts;
    std::uint64_t epoch = 0;  ///< of the published events; another one after every start
    WallClock clock;
    /// The operator's holds are told first: no table before the last of them.
    bool awaits_holds = false;
};

/// Publishes a RouteUpdate with the whole table when it has changed: for a new plan, when a route
/// ends or another one becomes earlier, when a link comes up or goes
/// down, and when what waits leaves more or less room on a route.
/// Nothing is published before the first ContactsUpdate; who asks earlier is answered then. The
/// table is published again some time after the last change, in case that event was lost.
class RouterCore {
public:
    explicit RouterCore(RouterSetup setup);

    void handle(const bus::ContactsUpdate &update, TimePoint now);
    /// Answers the supervisor with what that has changed.
    void handle(const bus::ContactsChange &change, TimePoint now);
    void handle(const bus::ContactStart &event, TimePoint now);
    void handle(const bus::ContactEnd &event, TimePoint now);
    void handle(const bus::LinkUp &event, TimePoint now);
    void handle(const bus::LinkDown &event, TimePoint now);
    void handle(const bus::LinkSnapshot &snapshot, TimePoint now);
    void handle(const bus::SnapshotRequest &request, TimePoint now);
    /// Bundles avoid the neighbour for a while, where there is another way.
    void handle(const bus::NeighbourDepleted &report, TimePoint now);
    /// Answers the supervisor with what the plan would change.
    void handle(const bus::ContactsProposal &proposal, TimePoint now);
    void handle(const bus::BacklogReport &report, TimePoint now);
    /// What is for that node goes nowhere, from now on or no longer. Destination 0: all holds have
    /// been told.
    void handle(const bus::DestinationHold &hold, TimePoint now);
    /// A module of another process is gone; what waits in it is told anew when it is back.
    void handle(const bus::ModuleLost &lost, TimePoint now);
    void handle_timeout(TimePoint now);
    [[nodiscard]] TimePoint next_timeout() const {
        return std::min(recompute_at_, repeat_.next_timeout());
    }
    /// When the table may become another one.
    [[nodiscard]] TimePoint next_recompute() const { return recompute_at_; }

    /// A new reading of the clock. A step of it is taken at once, a drift moves the timer only.
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
        TimePoint lost_from = kNever;  ///< planned but not up: counts as lost from here on

        [[nodiscard]] bool lost(TimePoint now) const { return planned && !up && lost_from <= now; }
    };
    struct Link {
        LinkId id = kNoLink;
        NodeNumber neighbour;
        LinkState state;
        bool disabled = false;       ///< by the operator: no way at all until it is enabled again
        TimePoint depleted_until{};  ///< its neighbour has no room

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
    /// Returns the table before.
    RouteTable recompute(TimePoint now);
    void arm(TimePoint now);
    [[nodiscard]] bus::RouteUpdate route_update(bus::RequestId id = bus::kNoRequest) const {
        return {last_event_, table_.routes(), neighbours_, held_, id};
    }

    bus::EventHeader last_event_;
    bus::EventRepeat repeat_;
    WallClock clock_;
    std::vector<Link> links_;  ///< ascending by neighbour, then by id
    RoutePlanner planner_;
    WaitingBundles waiting_bundles_;
    /// What each instance of egress has reported; all of it is in waiting_bundles_.
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
