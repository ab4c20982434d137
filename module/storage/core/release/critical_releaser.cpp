// SPDX-License-Identifier: Apache-2.0
#include "module/storage/core/release/critical_releaser.hpp"

#include <algorithm>

namespace farlink::storage {

using State = CriticalCopy::State;

void CriticalReleaser::list_all(TimePoint now) {
    for (EntryIndex index; (index = context_.critical.poll_unseen()) != kNoEntry;) list(index, now);
}

/// Lists the bundle for every neighbour that is on a route now and has not got it, and ends it when
/// none is left, or it has arrived.
void CriticalReleaser::list(EntryIndex index, TimePoint now) {
    Inventory &inventory = context_.inventory;
    const Entry &entry = inventory.entry(index);
    if (entry.state() != EntryState::kCritical) return;  // its head is read for a report
    if (context_.critical.has_arrived(index)) {
        if (!context_.critical.any(index, State::kLent)) complete(index, now);
        return;
    }
    if (context_.expired(entry.expiry, now))
        return end(index, StorageCounter::kExpired, DeletionReporter::kReasonLifetimeExpired);
    const auto ways = inventory.destinations().all_ways(entry.flow, entry, context_.dtn_at(now));
    CriticalTable::Copies &copies = context_.critical.copies(index);
    std::erase_if(copies, [&ways](const CriticalCopy &copy) {
        const bool waits = copy.state == State::kListed || copy.state == State::kTooLate;
        return waits && std::ranges::none_of(ways, [&copy](const routing::NextHop &way) {
                   return way.neighbour == copy.neighbour && way.link == copy.link;
               });
    });
    for (const routing::NextHop &way : ways) {
        if (way.link == kNoLink) continue;
        if (std::ranges::count(copies, way.neighbour, &CriticalCopy::neighbour) > 0) continue;
        copies.push_back({way.neighbour, way.link});
        links_[way.link].critical.push_back(inventory.entries().handle_of(index));
    }
    // While the destination is held, routes are missing that the bundle has yet to take.
    if (!inventory.destinations().is_held(entry.flow) && is_complete(index)) complete(index, now);
}

/// Every neighbour on a route has the bundle, and its destination, if it was sent there, had its
/// time to answer. Without any neighbour the bundle waits for one.
bool CriticalReleaser::is_complete(EntryIndex index) {
    const auto sent = [](const CriticalCopy &copy) { return copy.state == State::kSent; };
    const CriticalTable::Copies &copies = context_.critical.copies(index);
    return !copies.empty() && std::ranges::all_of(copies, sent) && !custodian_.holds(index) &&
           !custodian_.awaits_destination(index);
}

/// All neighbours have the bundle. If one of them has given it back meanwhile, it goes on like any
/// other bundle: otherwise it could be lost. If it goes round in a loop, it rests before.
void CriticalReleaser::complete(EntryIndex index, TimePoint now) {
    Inventory &inventory = context_.inventory;
    Entry &entry = inventory.entry(index);
    const auto why =
        entry.in_custody() ? StorageCounter::kCustodyReleased : StorageCounter::kCriticalReleased;
    const NodeNumber destination = inventory.destinations().node_of(entry.flow);
    const bool delivered =
        context_.critical.has_arrived(index) ||
        std::ranges::any_of(context_.critical.copies(index),
                            [destination](const CriticalCopy &copy) {
                                return copy.neighbour == destination && copy.state == State::kSent;
                            });
    if (delivered || !entry.take_return()) return context_.discard(index, why);
    context_.counters.increment(why);
    context_.critical.forget(index, entry.identity, destination);
    entry.requests &= static_cast<std::uint8_t>(~kRequestCritical);
    inventory.give_back(index);
    if (!context_.rest(index, now)) flows_.offer(entry.flow);
}

/// The copy that waits for this link; null when none does. A link with another neighbour takes no
/// copy for the former one, and none for the new one while the former one has it still: that copy
/// waits for the next contact of the link.
CriticalCopy *CriticalReleaser::listed_on(LinkId id, const ReleaseLink &link, EntryIndex index) {
    const bool busy = context_.critical.lent_to(id, index) != nullptr;
    for (CriticalCopy &copy : context_.critical.copies(index)) {
        if (copy.link != id || copy.state != State::kListed) continue;
        if (!busy && copy.neighbour == link.neighbour) return &copy;
        copy.state = State::kTooLate;
    }
    return nullptr;
}

bool CriticalReleaser::queue_read(LinkId id, ReleaseLink &link, TimePoint now) {
    Inventory &inventory = context_.inventory;
    for (; !link.critical.empty(); (void)link.critical.pop_front()) {
        const auto index = inventory.entries().find(link.critical.front());
        const auto held = [&] {
            return index && inventory.entries().find(link.critical.front()) &&
                   inventory.entry(*index).state() == EntryState::kCritical;
        };
        // It may have expired, and a contact that it needs may be over.
        if (held()) list(*index, now);
        CriticalCopy *const copy = held() ? listed_on(id, link, *index) : nullptr;
        if (copy == nullptr) continue;
        if (!links_.has_room_for(link, *index, now)) return false;
        (void)link.critical.pop_front();
        copy->state = State::kLent;
        requests_.queue_alone(id, link, *index);
        return true;
    }
    return false;
}

void CriticalReleaser::give_up(LinkId id, EntryIndex index, bool readable) {
    CriticalCopy *const copy = context_.critical.lent_to(id, index);
    FARLINK_INVARIANT(copy != nullptr);
    if (readable) return context_.critical.drop(*copy, index);
    // Another link may have a copy that was read before. This one is read again for the next
    // contact.
    copy->state = State::kTooLate;
    if (!context_.critical.any(index, State::kLent)) context_.quarantine(index);
}

void CriticalReleaser::set_outcome(LinkId id, const ReleaseLink &link, EntryIndex index,
                                   Outcome outcome, TimePoint now) {
    CriticalCopy *const copy = context_.critical.lent_to(id, index);
    FARLINK_INVARIANT(copy != nullptr);
    switch (outcome) {
        case Outcome::kSent:
            copy->state = State::kSent;
            if (context_.inventory.entry(index).in_custody())
                custodian_.set_copy_sent(index, link.owlt, now);
            else
                context_.counters.increment(StorageCounter::kCriticalSent);
            break;
        // Egress would delete the copy for any other neighbour too. It counts each copy.
        case Outcome::kDeletedHopLimit:
        case Outcome::kDeletedUnreadable:
            copy->state = State::kSent;
            if (!context_.critical.any(index, State::kLent))
                return context_.discard(index, StorageCounter::kUnsendable);
            context_.counters.increment(StorageCounter::kCriticalSent);
            break;
        case Outcome::kRefused:
        case Outcome::kTooLarge:
            context_.counters.increment(StorageCounter::kReturned);
            copy->state = State::kTooLate;
            context_.note_refusal(index, link.neighbour, outcome, now);
            context_.refused.wait(context_.inventory.entries().handle_of(index), TimePoint{});
            break;
        case Outcome::kTooLate:
            context_.counters.increment(StorageCounter::kReturned);
            copy->state = State::kTooLate;
            break;
        default:
            if (outcome != Outcome::kExpired)
                context_.counters.increment(StorageCounter::kReturned);
            context_.critical.drop(*copy, index);
            break;
    }
    list(index, now);
}

void CriticalReleaser::end(EntryIndex index, StorageCounter why, std::uint8_t reason) {
    if (context_.critical.any(index, State::kLent)) return;  // judged again when it comes back
    const bool sent = context_.critical.any(index, State::kSent);
    if (sent && !custodian_.holds(index))
        return context_.discard(index, context_.inventory.entry(index).in_custody()
                                           ? StorageCounter::kCustodyReleased
                                           : StorageCounter::kCriticalReleased);
    context_.inventory.give_back(index);
    reporter_.remove(index, why, reason);
}

}  // namespace farlink::storage
