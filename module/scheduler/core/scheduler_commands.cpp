// SPDX-License-Identifier: Apache-2.0
// What changes the scheduler's truth beside time and links: plans, the operator, full neighbours.
#include <algorithm>
#include <span>
#include <utility>

#include "common/routing/contact_changes.hpp"
#include "module/scheduler/core/scheduler_core.hpp"

namespace farlink::scheduler {

void SchedulerCore::handle(bus::PlanReplace change, TimePoint now) {
    if (!change.dry_run) {
        const auto planned = std::span(plan_).first(plan_.size() - unplanned_);
        return handle(bus::PlanChange{{planned.begin(), planned.end()}, std::move(change.contacts)},
                      now);
    }
    SchedulerCore trial(*this);
    trial.replace_plan(std::move(change.contacts), now);
    messages_.push_back(
        {bus::AgentId::kRouter, false, bus::ContactsProposal{std::move(trial.plan_)}});
    messages_.push_back({bus::AgentId::kSupervisor, false, trial.snapshot(now)});
}

// The router is told of contacts that only this node has given itself, too.
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
    messages_.push_back({bus::AgentId::kRouter, false,
                         bus::ContactsChange{std::move(change.removed), std::move(change.added)}});
    update_all(now);
    messages_.push_back({bus::AgentId::kSupervisor, false, snapshot(now)});
}

void SchedulerCore::replace_plan(std::vector<bus::Contact> plan, TimePoint now) {
    update_all(now);
    plan_ = std::move(plan);
    unplanned_ = 0;
    follow_plan(now);
    send_plan();
    update_all(now);
}

// A link stays up when the plan that was and the plan that is agree that it is.
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
            // LinkUp tells those who wait that the contact has another length.
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

// A link that is up hears of it as of any other change of its rate.
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

// Numbered like an event: subscribers take it although they have missed none.
void SchedulerCore::publish_snapshot(TimePoint now) {
    ++last_event_.sequence;
    messages_.push_back({bus::AgentId::kScheduler, true, snapshot(now)});
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

}  // namespace farlink::scheduler
