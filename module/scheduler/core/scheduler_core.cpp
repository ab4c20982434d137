// SPDX-License-Identifier: Apache-2.0
#include "module/scheduler/core/scheduler_core.hpp"

#include <algorithm>
#include <ranges>
#include <span>
#include <tuple>
#include <utility>

#include "common/routing/contact_changes.hpp"

namespace farlink::scheduler {
namespace {

/// Timers further away than this are not armed: a century, well within the range of TimePoint.
constexpr std::uint64_t kFarAwayMs = 100ULL * 366 * 24 * 3600 * 1000;

TimePoint timer_at(const WallClock &clock, DtnTime when) {
    if (when > clock.dtn_ms && when - clock.dtn_ms > kFarAwayMs) return kNever;
    if (when < clock.dtn_ms && clock.dtn_ms - when > kFarAwayMs) return clock.at;
    return clock.point_of(when);
}

}  // namespace

std::vector<bus::Contact> permanent_contacts(NodeNumber node,
                                             const std::vector<OutductEntry> &outducts) {
    std::vector<bus::Contact> contacts;
    for (const OutductEntry &outduct : outducts) {
        const bool known = std::ranges::find(contacts, outduct.neighbour,
                                             &bus::Contact::destination) != contacts.end();
        if (!known)
            contacts.push_back({contacts.size(), node, outduct.neighbour, 0, kDtnNever, {}, {}});
    }
    return contacts;
}

SchedulerCore::SchedulerCore(SchedulerSetup setup)
    : node_(setup.node),
      placement_(std::move(setup.placement)),
      last_event_{setup.epoch, 0},
      clock_(setup.clock) {
    std::ranges::sort(setup.outducts, {}, [](const OutductEntry &outduct) {
        return std::tuple(outduct.neighbour, outduct.link);
    });
    for (const OutductEntry &outduct : setup.outducts) {
        if (neighbours_.empty() || neighbours_.back().number != outduct.neighbour)
            neighbours_.push_back({outduct.neighbour, {}, {}, kDtnNever, {}, {}});
        Link link;
        link.id = outduct.link;
        link.cuts_to_contact = outduct.cuts_to_contact;
        neighbours_.back().links.push_back(link);
    }
    plan_ = setup.plan ? std::move(*setup.plan) : permanent_contacts(node_, setup.outducts);
    rebuild_timelines();
    send_plan();
    update_all(clock_.at);
}

void SchedulerCore::rebuild_timelines() {
    std::vector<std::vector<bus::Contact>> contacts(neighbours_.size());
    for (const bus::Contact &contact : plan_) {
        if (contact.source != node_) continue;
        const auto place =
            std::ranges::lower_bound(neighbours_, contact.destination, {}, &Neighbour::number);
        if (place != neighbours_.end() && place->number == contact.destination)
            contacts[static_cast<std::size_t>(place - neighbours_.begin())].push_back(contact);
    }
    for (std::size_t at = 0; at < neighbours_.size(); ++at)
        neighbours_[at].timeline = ContactTimeline(std::move(contacts[at]));
    add_unplanned();
}

// A link without contacts in the plan is planned for ever. The ids of these contacts count down
// from the largest number, so that they differ from those of the plan.
void SchedulerCore::add_unplanned() {
    for (Neighbour &neighbour : neighbours_) {
        if (std::ranges::none_of(neighbour.links, &Link::adopted) ||
            !neighbour.timeline.runs().empty())
            continue;
        plan_.push_back({~neighbour.number.value(), node_, neighbour.number, 0, kDtnNever, {}, {}});
        neighbour.timeline = ContactTimeline({plan_.back()});
        ++unplanned_;
    }
}

void SchedulerCore::handle(const bus::LinkStatus &status, TimePoint now) {
    if (status.removed) return forget(status, now);
    Link &link = adopt(status, now);
    Neighbour &neighbour = neighbour_of(status.neighbour);
    update(neighbour, now);
    set_connected(neighbour, link, status);
    repeat_.note(last_event_.sequence, now);
}

void SchedulerCore::handle(const bus::ModuleLost &lost, TimePoint now) {
    if (!bus::is_egress(lost.module)) return;
    const auto was_there = [&](const Link &link) {
        return placement_.instance_of(link.id) == bus::instance_of(lost.module);
    };
    for (Neighbour &neighbour : neighbours_)
        for (Link &link : neighbour.links | std::views::filter(was_there))
            set_connected(neighbour, link,
                          {.link = link.id,
                           .neighbour = neighbour.number,
                           .max_bundle_bytes = link.max_bundle_bytes,
                           .fragments = link.fragments,
                           .cuts_to_contact = link.cuts_to_contact});
    repeat_.note(last_event_.sequence, now);
}

SchedulerCore::Neighbour &SchedulerCore::neighbour_of(NodeNumber number) {
    auto place = std::ranges::lower_bound(neighbours_, number, {}, &Neighbour::number);
    if (place == neighbours_.end() || place->number != number)
        place = neighbours_.insert(place, {number, {}, {}, kDtnNever, {}, {}});
    return *place;
}

// Returns the link of the report; a new link is added with its contacts.
SchedulerCore::Link &SchedulerCore::adopt(const bus::LinkStatus &status, TimePoint now) {
    Neighbour &neighbour = neighbour_of(status.neighbour);
    const auto known = std::ranges::find(neighbour.links, status.link, &Link::id);
    if (known != neighbour.links.end()) {
        // A restarted egress reports the link as disconnected: it has not received ContactStart.
        if (neighbour.running && known->enabled && !known->connected && !status.connected)
            announce(neighbour, *known);
        return *known;
    }
    Link link;
    link.id = status.link;
    link.adopted = true;
    neighbour.links.push_back(link);
    const std::size_t known_contacts = plan_.size();
    rebuild_timelines();  // the neighbour may be new
    if (plan_.size() != known_contacts) send_plan();
    if (neighbour.running) announce(neighbour);
    update(neighbour, now);
    return neighbour.links.back();
}

void SchedulerCore::forget(const bus::LinkStatus &status, TimePoint now) {
    Neighbour &neighbour = neighbour_of(status.neighbour);
    const auto link = std::ranges::find(neighbour.links, status.link, &Link::id);
    if (link == neighbour.links.end()) return;
    if (neighbour.running && link->enabled && link->connected)
        link_down(neighbour, *link, bus::LinkDownReason::kRemoved);
    if (neighbour.running || !link->enabled)
        publish(bus::ContactEnd{{}, link->id, neighbour.number});
    neighbour.links.erase(link);
    // ContactEnd does not mean that the link is removed; its absence from a snapshot does.
    publish_snapshot(now);
}

void SchedulerCore::set_connected(const Neighbour &neighbour, Link &link,
                                  const bus::LinkStatus &status) {
    const bool was_connected = std::exchange(link.connected, status.connected);
    link.max_bundle_bytes = status.max_bundle_bytes;
    link.fragments = status.fragments;
    link.cuts_to_contact = status.cuts_to_contact;
    if (!neighbour.running || !link.enabled || was_connected == status.connected) return;
    if (status.connected)
        link_up(neighbour, link);
    else
        link_down(neighbour, link, bus::LinkDownReason::kConnectionLost);
}

void SchedulerCore::handle(const bus::SnapshotRequest &request, TimePoint now) {
    if (request.publisher != bus::AgentId::kScheduler) return;
    update_all(now);
    if (request.from == bus::AgentId::kRouter) send_plan();
    messages_.push_back({request.from, false, snapshot(request.id, now)});
}

void SchedulerCore::handle_timeout(TimePoint now) {
    update_all(now);
    if (repeat_.take_due(now))
        messages_.push_back({bus::AgentId::kScheduler, true, snapshot(bus::kNoRequest, now)});
}

void SchedulerCore::update_all(TimePoint now) {
    for (Neighbour &neighbour : neighbours_) update(neighbour, now);
    repeat_.note(last_event_.sequence, now);
}

TimePoint SchedulerCore::next_contact() const {
    TimePoint earliest = kNever;
    for (const Neighbour &neighbour : neighbours_) {
        if (neighbour.running) {
            const Running &running = *neighbour.running;
            const DtnTime change = running.run.next_change(running.step.start);
            earliest = std::min(earliest, timer_at(running.clock, change));
        } else {
            earliest = std::min(earliest, timer_at(clock_, neighbour.next_start));
        }
    }
    return earliest;
}

// ---- commands: plans, the operator, depleted neighbours

void SchedulerCore::handle(bus::PlanReplace change, TimePoint now) {
    if (!change.dry_run) {
        const auto planned = std::span(plan_).first(plan_.size() - unplanned_);
        return handle(
            bus::PlanChange{
                {planned.begin(), planned.end()}, std::move(change.contacts), change.id},
            now);
    }
    SchedulerCore trial(*this);
    trial.replace_plan(std::move(change.contacts), now);
    messages_.push_back(
        {bus::AgentId::kRouter, false, bus::ContactsProposal{std::move(trial.plan_), change.id}});
    messages_.push_back({bus::AgentId::kSupervisor, false, trial.snapshot(change.id, now)});
}

// The change for the router includes the contacts that this node added for links without a plan.
void SchedulerCore::handle(bus::PlanChange change, TimePoint now) {
    update_all(now);
    std::vector<bus::Contact> gone(plan_.end() - static_cast<std::ptrdiff_t>(unplanned_),
                                   plan_.end());
    plan_.resize(plan_.size() - std::exchange(unplanned_, 0));
    routing::change_contacts(plan_, change.removed, change.added);
    follow_plan(now);
    const auto come = std::span(plan_).last(unplanned_);
    for (const bus::Contact &contact : gone)
        if (std::ranges::find(come, contact) == come.end()) change.removed.push_back(contact);
    for (const bus::Contact &contact : come)
        if (std::ranges::find(gone, contact) == gone.end()) change.added.push_back(contact);
    messages_.push_back(
        {bus::AgentId::kRouter, false,
         bus::ContactsChange{std::move(change.removed), std::move(change.added), change.id}});
    update_all(now);
    messages_.push_back({bus::AgentId::kSupervisor, false, snapshot(change.id, now)});
}

void SchedulerCore::replace_plan(std::vector<bus::Contact> plan, TimePoint now) {
    update_all(now);
    plan_ = std::move(plan);
    unplanned_ = 0;
    follow_plan(now);
    send_plan();
    update_all(now);
}

// A link stays up if it is up by the old plan and by the new one.
void SchedulerCore::follow_plan(TimePoint now) {
    rebuild_timelines();
    const DtnTime time = clock_.dtn_at(now);
    for (Neighbour &neighbour : neighbours_) {
        if (!neighbour.running) continue;
        const ContactRun *run = neighbour.timeline.current_or_next(time);
        if (run != nullptr && run->start <= time) {
            const bool end_moves = neighbour.running->run.end != run->end;
            neighbour.running->run = *run;
            neighbour.running->clock = clock_;
            step(neighbour, time);
            if (!end_moves) continue;
            // LinkUp is repeated for subscribers that depend on the end of the contact.
            announce(neighbour);
            for (const Link &link : neighbour.links)
                if (link.enabled && link.connected) link_up(neighbour, link);
        } else {
            end(neighbour);
        }
    }
}

void SchedulerCore::handle(const bus::LinkAdmin &order, TimePoint now) {
    update_all(now);
    for (Neighbour &neighbour : neighbours_) {
        const auto link = std::ranges::find(neighbour.links, order.link, &Link::id);
        if (link == neighbour.links.end() || link->enabled == order.enabled) continue;
        if (order.enabled)
            enable(neighbour, *link);
        else
            disable(neighbour, *link);
        publish_snapshot(now);
    }
}

// For a link that is up, this is published like any other change of its rate.
void SchedulerCore::handle(const bus::LinkOverride &order, TimePoint now) {
    update_all(now);
    for (Neighbour &neighbour : neighbours_) {
        const auto link = std::ranges::find(neighbour.links, order.link, &Link::id);
        if (link == neighbour.links.end()) continue;
        const Link before = *link;
        link->rate.reset();
        link->owlt.reset();
        if (order.rate_given) link->rate = order.rate;
        if (order.owlt_given) link->owlt = order.owlt;
        if (before.rate == link->rate && before.owlt == link->owlt) continue;
        const bool open = neighbour.running && link->enabled;
        if (open && before.of(neighbour.running->step) != link->of(neighbour.running->step)) {
            if (link->connected)
                link_up(neighbour, *link);
            else
                announce(neighbour, *link);
        }
        publish_snapshot(now);
    }
}

// Numbered like an event, so that subscribers accept it although they have missed none.
void SchedulerCore::publish_snapshot(TimePoint now) {
    ++last_event_.sequence;
    messages_.push_back({bus::AgentId::kScheduler, true, snapshot(bus::kNoRequest, now)});
    repeat_.note(last_event_.sequence, now);
}

void SchedulerCore::enable(const Neighbour &neighbour, Link &link) {
    link.enabled = true;
    if (!neighbour.running) return;
    announce(neighbour, link);
    if (link.connected) link_up(neighbour, link);
}

void SchedulerCore::disable(const Neighbour &neighbour, Link &link) {
    link.enabled = false;
    if (!neighbour.running) return;
    if (link.connected) link_down(neighbour, link, bus::LinkDownReason::kAdministrative);
    publish(bus::ContactEnd{{}, link.id, neighbour.number});
}

void SchedulerCore::handle(const bus::NeighbourDepleted &report, TimePoint now) {
    const auto neighbour =
        std::ranges::lower_bound(neighbours_, report.neighbour, {}, &Neighbour::number);
    if (neighbour == neighbours_.end() || neighbour->number != report.neighbour) return;
    neighbour->depleted_until = now + report.pause;
    messages_.push_back({bus::AgentId::kRouter, false, report});
}

// ---- time and contacts

milliseconds SchedulerCore::set_wall_clock(const WallClock &clock, TimePoint now) {
    update_all(now);
    const DtnTime before = clock_.dtn_at(now);
    clock_ = clock;
    update_all(now);
    return milliseconds(static_cast<std::int64_t>(clock.dtn_at(now) - before));
}

std::optional<bus::Outgoing> SchedulerCore::Outbox::poll() {
    if (queue_.empty()) return std::nullopt;
    std::optional<bus::Outgoing> next(std::move(queue_.front()));
    queue_.pop_front();
    return next;
}

std::optional<bus::Outgoing> SchedulerCore::poll_message() {
    return messages_.poll();
}

void SchedulerCore::update(Neighbour &neighbour, TimePoint now) {
    const DtnTime time = clock_.dtn_at(now);
    const ContactRun *run = neighbour.timeline.current_or_next(time);
    const bool open = run != nullptr && run->start <= time;
    if (neighbour.running) {
        Running &running = *neighbour.running;
        const DtnTime running_time = running.clock.dtn_at(now);
        if (running_time < running.run.end) return step(neighbour, running_time);
        if (open && run->end == running.run.end) {
            // The clock was set back in the meantime: the contact continues by it.
            running.clock = clock_;
            return step(neighbour, time);
        }
        end(neighbour);
    }
    if (open)
        begin(neighbour, *run, time);
    else
        neighbour.next_start = run == nullptr ? kDtnNever : run->start;
}

void SchedulerCore::begin(Neighbour &neighbour, const ContactRun &run, DtnTime time) {
    neighbour.running = Running{run, clock_, run.step_at(time)};
    announce(neighbour);
    for (const Link &link : neighbour.links)
        if (link.enabled && link.connected) link_up(neighbour, link);
}

void SchedulerCore::announce(const Neighbour &neighbour) {
    for (const Link &link : neighbour.links)
        if (link.enabled) announce(neighbour, link);
}

void SchedulerCore::announce(const Neighbour &neighbour, const Link &link) {
    const Running &running = neighbour.open_contact();
    const RateStep step = link.of(running.step);
    publish(
        bus::ContactStart{{}, link.id, neighbour.number, step.rate, step.owlt, running.run.end});
}

void SchedulerCore::end(Neighbour &neighbour) {
    for (const Link &link : neighbour.links) {
        if (!link.enabled) continue;
        if (link.connected) link_down(neighbour, link, bus::LinkDownReason::kContactEnded);
        publish(bus::ContactEnd{{}, link.id, neighbour.number});
    }
    neighbour.running.reset();
}

void SchedulerCore::step(Neighbour &neighbour, DtnTime time) {
    FARLINK_INVARIANT(neighbour.running);
    Running &running = *neighbour.running;
    RateStep before = std::exchange(running.step, running.run.step_at(time));
    before.start = running.step.start;
    for (const Link &link : neighbour.links)
        if (link.enabled && link.connected && link.of(before) != link.of(running.step))
            link_up(neighbour, link);
}

void SchedulerCore::link_up(const Neighbour &neighbour, const Link &link) {
    const RateStep step = link.of(neighbour.open_contact().step);
    publish(bus::LinkUp{{},
                        link.id,
                        neighbour.number,
                        step.rate,
                        step.owlt,
                        link.max_bundle_bytes,
                        link.fragments,
                        link.cuts_to_contact});
}

void SchedulerCore::link_down(const Neighbour &neighbour, const Link &link,
                              bus::LinkDownReason reason) {
    publish(bus::LinkDown{{}, link.id, neighbour.number, reason});
}

void SchedulerCore::send_plan() {
    messages_.push_back({bus::AgentId::kRouter, false, bus::ContactsUpdate{last_event_, plan_}});
}

bus::LinkSnapshot SchedulerCore::snapshot(bus::RequestId id, TimePoint now) const {
    bus::LinkSnapshot snapshot{last_event_, {}, id};
    for (const Neighbour &neighbour : neighbours_)
        for (const Link &link : neighbour.links)
            snapshot.links.push_back(entry_of(neighbour, link, now));
    return snapshot;
}

bus::LinkEntry SchedulerCore::entry_of(const Neighbour &neighbour, const Link &link,
                                       TimePoint now) const {
    bus::LinkEntry entry;
    entry.link = link.id;
    entry.neighbour = neighbour.number;
    entry.max_bundle_bytes = link.max_bundle_bytes;
    entry.fragments = link.fragments;
    entry.cuts_to_contact = link.cuts_to_contact;
    entry.connected = link.connected;
    entry.enabled = link.enabled;
    entry.overridden = link.overridden();
    entry.next_contact = neighbour.timeline.next_start(clock_.dtn_at(now));
    entry.depleted_for = std::max(neighbour.depleted_until - now, Duration::zero());
    if (neighbour.running) {
        const RateStep step = link.of(neighbour.running->step);
        entry.planned = link.enabled;
        entry.rate = step.rate;
        entry.owlt = step.owlt;
        entry.ends = neighbour.running->run.end;
    }
    return entry;
}

}  // namespace farlink::scheduler
