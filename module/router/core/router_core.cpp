// SPDX-License-Identifier: Apache-2.0
#include "module/router/core/router_core.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

#include "common/bus/link_snapshot.hpp"
#include "module/router/core/table_difference.hpp"

namespace farlink::router {
namespace {

/// Timers further away than this are not armed: a century, well within the range of TimePoint.
constexpr std::uint64_t kFarAwayMs = 100ULL * 366 * 24 * 3600 * 1000;

/// Readings of the clock differ slightly; a step is larger than this.
constexpr std::uint64_t kClockStepMs = 100;

TimePoint timer_at(const WallClock &clock, DtnTime when) {
    if (when > clock.dtn_ms && when - clock.dtn_ms > kFarAwayMs) return kNever;
    return clock.point_of(when);
}

}  // namespace

RouterCore::RouterCore(RouterSetup setup)
    : last_event_{setup.epoch, 0},
      clock_(setup.clock),
      planner_(setup.node),
      awaits_holds_(setup.awaits_holds) {
    for (const OutductEntry &outduct : setup.outducts)
        links_.push_back({outduct.link, outduct.neighbour, {}, false, false, {}});
    std::ranges::sort(links_, {},
                      [](const Link &link) { return std::tuple(link.neighbour, link.id); });
}

void RouterCore::handle(const bus::ContactsUpdate &update, TimePoint now) {
    planner_.set_plan(update.contacts);
    planned_ = true;
    recompute(now);
    answer_waiting();
}

void RouterCore::answer_waiting() {
    if (!published_) return;
    for (const bus::SnapshotRequest &request : std::exchange(waiting_, {}))
        messages_.push_back({request.from, false, route_update(request.id)});
}

void RouterCore::note_waiting(const bus::SnapshotRequest &request) {
    const bool known = std::ranges::any_of(waiting_, [&](const bus::SnapshotRequest &earlier) {
        return earlier.from == request.from && earlier.id == request.id;
    });
    if (known) return;
    if (waiting_.size() == kMostWaiting) waiting_.pop_front();
    waiting_.push_back(request);
}

// Before the first plan a change has no effect: the whole plan follows.
void RouterCore::handle(const bus::ContactsChange &change, TimePoint now) {
    bus::RoutesPreview changed{.differences = {}, .id = change.id};
    if (planned_) {
        planner_.change_plan(change.removed, change.added);
        const RouteTable before = recompute(now);
        changed.differences = difference(before, table_);
    }
    messages_.push_back({bus::AgentId::kSupervisor, false, std::move(changed)});
}

void RouterCore::handle(const bus::ContactStart &event, TimePoint now) {
    Link &link = find_or_add(event.link, event.neighbour);
    link.disabled = false;
    // ContactStart is repeated when a contact is extended, which changes no route.
    if (link.state.planned) return;
    link.state = {true, false, now + kConnectGrace};
    recompute(now);
}

void RouterCore::handle(const bus::ContactEnd &event, TimePoint now) {
    Link *link = find(event.link);
    if (link == nullptr) return;
    link->state = {};
    recompute(now);
}

void RouterCore::handle(const bus::LinkUp &event, TimePoint now) {
    Link &link = find_or_add(event.link, event.neighbour);
    link.disabled = false;
    link.cuts_to_contact = event.cuts_to_contact;
    link.state = {true, true, kNever};
    recompute(now);
}

void RouterCore::handle(const bus::LinkDown &event, TimePoint now) {
    Link *link = find(event.link);
    if (link == nullptr) return;
    link->disabled = event.reason == bus::LinkDownReason::kAdministrative;
    if (event.reason != bus::LinkDownReason::kConnectionLost)
        link->state = {};
    else
        link->state = {true, false, now};
    recompute(now);
}

// Links that the snapshot does not name have been removed.
void RouterCore::handle(const bus::LinkSnapshot &snapshot, TimePoint now) {
    std::erase_if(links_, [&](const Link &link) { return !bus::names(snapshot, link.id); });
    for (const bus::LinkEntry &entry : snapshot.links) {
        Link *link = &find_or_add(entry.link, entry.neighbour);
        const TimePoint known = link->state.up ? kNever : link->state.lost_from;
        LinkState state{entry.planned, entry.planned && entry.connected, kNever};
        if (state.planned && !state.up) state.lost_from = std::min(known, now + kConnectGrace);
        link->state = state;
        link->disabled = !entry.enabled;
        link->cuts_to_contact = entry.cuts_to_contact;
        link->depleted_until =
            entry.depleted_for > Duration::zero() ? now + entry.depleted_for : TimePoint{};
    }
    recompute(now);
}

void RouterCore::handle(const bus::NeighbourDepleted &report, TimePoint now) {
    for (Link &link : links_)
        if (link.neighbour == report.neighbour) link.depleted_until = now + report.pause;
    recompute(now);
}

void RouterCore::handle(const bus::ContactsProposal &proposal, TimePoint now) {
    const DtnTime time = clock_.dtn_at(now);
    const std::vector<NextHop> hops = next_hops(now);
    const RouteTable current = planned_ ? planner_.table(hops, time) : RouteTable{};
    const RouteTable proposed = compute_table(proposal.contacts, planner_.node(), hops, time);
    messages_.push_back({bus::AgentId::kSupervisor, false,
                         bus::RoutesPreview{difference(current, proposed), proposal.id}});
}

void RouterCore::handle(const bus::SnapshotRequest &request, TimePoint now) {
    if (request.publisher != bus::AgentId::kRouter) return;
    handle_timeout(now);
    // The supervisor also gets the backlog for which the table was computed.
    if (request.from == bus::AgentId::kSupervisor)
        messages_.push_back(
            {request.from, false,
             bus::BacklogReport{bus::AgentId::kStorage, waiting_bundles_.storage, request.id}});
    if (published_)
        messages_.push_back({request.from, false, route_update(request.id)});
    else
        note_waiting(request);
}

// Room that shrinks with time alone is not published: `leave_by` implies it.
void RouterCore::handle(const bus::BacklogReport &report, TimePoint now) {
    if (report.module == bus::AgentId::kStorage)
        waiting_bundles_.storage = report.waiting;
    else
        note_egress(report);
    backlog_changed_ = true;
    recompute(now);
}

// Requests from before the first table are answered after the last hold of the start.
void RouterCore::handle(const bus::DestinationHold &hold, TimePoint now) {
    if (hold.destination == NodeNumber{}) {
        awaits_holds_ = false;
        recompute(now);
        return answer_waiting();
    }
    const auto place = std::ranges::lower_bound(held_, hold.destination);
    const bool known = place != held_.end() && *place == hold.destination;
    if (known == hold.held) return;
    if (hold.held)
        held_.insert(place, hold.destination);
    else
        held_.erase(place);
    holds_changed_ = true;
    recompute(now);
}

/// Held bundles occupy no room on the ways of others.
WaitingBundles RouterCore::released_bundles() const {
    WaitingBundles released = waiting_bundles_;
    std::erase_if(released.storage, [this](const bus::WaitingBytes &waiting) {
        return std::ranges::binary_search(held_, waiting.node);
    });
    return released;
}

void RouterCore::note_egress(const bus::BacklogReport &report) {
    waiting_in_egress_[bus::instance_of(report.module)] = report.waiting;
    std::vector<bus::WaitingBytes> &all = waiting_bundles_.egress;
    all.clear();
    for (const std::vector<bus::WaitingBytes> &each : waiting_in_egress_)
        all.insert(all.end(), each.begin(), each.end());
}

void RouterCore::handle(const bus::ModuleLost &lost, TimePoint now) {
    if (lost.module == bus::AgentId::kStorage || bus::is_egress(lost.module))
        handle(bus::BacklogReport{lost.module, {}, {}}, now);
}

void RouterCore::handle_timeout(TimePoint now) {
    if (recompute_at_ <= now) recompute(now);
    if (repeat_.take_due(now)) messages_.push_back({bus::AgentId::kRouter, true, route_update()});
}

void RouterCore::set_wall_clock(const WallClock &clock, TimePoint now) {
    const DtnTime before = clock_.dtn_at(now);
    const DtnTime after = clock.dtn_at(now);
    clock_ = clock;
    if (std::max(before, after) - std::min(before, after) > kClockStepMs)
        recompute(now);
    else
        arm(now);
}

std::optional<bus::Outgoing> RouterCore::poll_message() {
    if (messages_.empty()) return std::nullopt;
    std::optional<bus::Outgoing> next(std::move(messages_.front()));
    messages_.pop_front();
    return next;
}

RouterCore::Link *RouterCore::find(LinkId id) {
    const auto link = std::ranges::find(links_, id, &Link::id);
    return link == links_.end() ? nullptr : &*link;
}

// An event may be about a link that was added while the node runs, or that now leads to another
// neighbour.
RouterCore::Link &RouterCore::find_or_add(LinkId id, NodeNumber neighbour) {
    if (Link *known = find(id); known != nullptr && known->neighbour == neighbour) return *known;
    std::erase_if(links_, [id](const Link &link) { return link.id == id; });
    const auto before = [](const Link &link) { return std::tuple(link.neighbour, link.id); };
    const auto place = std::ranges::upper_bound(links_, std::tuple(neighbour, id), {}, before);
    return *links_.insert(place, {id, neighbour, {}, false, false, {}});
}

/// One entry per neighbour: its first link that is up, else its first one that is not lost. Links
/// that the operator has disabled are left out.
std::vector<NextHop> RouterCore::next_hops(TimePoint now) const {
    std::vector<NextHop> hops;
    for (auto first = links_.begin(); first != links_.end();) {
        const auto last = std::find_if(first, links_.end(), [&](const Link &link) {
            return link.neighbour != first->neighbour;
        });
        const auto merit = [now](const Link &link) {
            return link.disabled ? 0 : 1 + 2 * !link.avoided(now) + link.state.up;
        };
        const auto best = std::ranges::max_element(first, last, {}, merit);
        if (!best->disabled)
            hops.push_back({best->neighbour, best->id, best->avoided(now), best->cuts_to_contact});
        first = last;
    }
    return hops;
}

std::vector<bus::NeighbourLink> RouterCore::neighbours(const std::vector<NextHop> &hops) {
    std::vector<bus::NeighbourLink> links;
    for (const NextHop &hop : hops)
        links.push_back({hop.neighbour, hop.link, find(hop.link)->state.up});
    return links;
}

RouteTable RouterCore::recompute(TimePoint now) {
    if (!planned_ || awaits_holds_) return {};
    const std::vector<NextHop> hops = next_hops(now);
    RouteTable table = planner_.table(hops, clock_.dtn_at(now));
    book_backlog(planner_, hops, held_.empty() ? waiting_bundles_ : released_bundles(),
                 clock_.dtn_at(now), table);
    std::vector<bus::NeighbourLink> links = neighbours(hops);
    const bool backlog = std::exchange(backlog_changed_, false);
    const bool holds = std::exchange(holds_changed_, false);
    const bool changed = !published_ || holds || table.rows != table_.rows ||
                         links != neighbours_ || (backlog && !equal_rooms(table, table_));
    std::swap(table, table_);
    neighbours_ = std::move(links);
    arm(now);
    if (!changed) return table;
    published_ = true;
    repeat_.note(++last_event_.sequence, now);
    messages_.push_back({bus::AgentId::kRouter, true, route_update()});
    return table;
}

void RouterCore::arm(TimePoint now) {
    recompute_at_ = timer_at(clock_, table_.valid_until);
    for (const Link &link : links_) {
        if (link.state.lost_from > now)
            recompute_at_ = std::min(recompute_at_, link.state.lost_from);
        if (link.depleted_until > now) recompute_at_ = std::min(recompute_at_, link.depleted_until);
    }
}

}  // namespace farlink::router
