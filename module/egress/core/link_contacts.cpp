// SPDX-License-Identifier: Apache-2.0
#include "module/egress/core/link_contacts.hpp"

#include <utility>

#include "common/bus/link_snapshot.hpp"

namespace farlink::egress {

void LinkContacts::handle(const bus::ContactStart &event, TimePoint now) {
    set_end(event.link, event.ends);
    set_owlt(event.link, event.owlt);
    plan(event.link, true, event.rate, now);
}

void LinkContacts::handle(const bus::ContactEnd &event, TimePoint now) {
    plan(event.link, false, {}, now);
}

// A contact's rate changes while it is open: that comes as another LinkUp.
void LinkContacts::handle(const bus::LinkUp &event, TimePoint now) {
    set_owlt(event.link, event.owlt);
    plan(event.link, true, event.rate, now);
}

void LinkContacts::handle(const bus::LinkSnapshot &snapshot, TimePoint now) {
    for (const bus::LinkEntry &entry : snapshot.links) {
        if (entry.planned) set_end(entry.link, entry.ends);
        if (entry.planned) set_owlt(entry.link, entry.owlt);
        plan(entry.link, entry.planned, entry.rate, now);
    }
    for (const EgressLink &link : links_.all())
        if (!bus::names(snapshot, link.id)) plan(link.id, false, {}, now);
}

void LinkContacts::plan(LinkId id, bool planned, BitRate rate, TimePoint now) {
    EgressLink *link = links_.find(id);
    if (link == nullptr || link->removed || (planned && draining_)) return;
    if (planned && link->rate != rate) {
        link->rate = rate;
        link->volume.set_rate(rate, now);
        orders_.push_back({id, LinkCommand::kSetRate, rate});
    }
    if (link->planned == planned) return;
    link->planned = planned;
    link->suspended = !planned;
    orders_.push_back({id, planned ? LinkCommand::kOpen : LinkCommand::kSuspend});
    // The link finishes what it has begun; what still waits goes back at once.
    if (!planned) returns_.return_queue(*link);
}

void LinkContacts::set_owlt(LinkId id, Duration owlt) {
    EgressLink *link = links_.find(id);
    if (link == nullptr || link->removed || link->owlt == owlt) return;
    link->owlt = owlt;
    if (link->needs_answers) link->volume.set_answer_time(2 * owlt);
    orders_.push_back({id, LinkCommand::kSetOwlt, {}, owlt});
}

// In monotonic time, so that a step of the clock moves it no more than it moves the contact.
void LinkContacts::set_end(LinkId id, DtnTime end) {
    constexpr std::uint64_t kFarAwayMs = 100ULL * 366 * 24 * 3600 * 1000;
    EgressLink *link = links_.find(id);
    if (link == nullptr || link->end == end) return;
    link->end = end;
    const bool far = end > reading_.dtn_ms && end - reading_.dtn_ms > kFarAwayMs;
    link->volume.set_end(far ? kNever : reading_.point_of(end));
}

void LinkContacts::close(EgressLink &link) {
    if (!link.planned && !std::exchange(link.suspended, false)) return;
    link.planned = false;
    orders_.push_back({link.id, LinkCommand::kClose});
    returns_.return_queue(link);
}

void LinkContacts::drain() {
    draining_ = true;
    for (EgressLink &link : links_.all()) close(link);
}

std::optional<LinkOrder> LinkContacts::poll_order() {
    if (orders_.empty()) return std::nullopt;
    return orders_.pop_front();
}

}  // namespace farlink::egress
