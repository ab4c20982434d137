// SPDX-License-Identifier: Apache-2.0
// Critical bundles: each goes to every neighbour that may bring it there in time, as soon as the
// link of that one is up, and stays until all have it. One record on disk serves them all.
#include "module/storage/core/release/releaser.hpp"

#include <algorithm>

namespace farlink::storage {

using State = CriticalCopy::State;

/// Those that have come, or whose ways may have changed.
void Releaser::list_critical(TimePoint now) {
    for (EntryIndex index; (index = context_.critical.poll_unseen()) != kNoEntry;)
        list_ways(index, now);
}

/// Puts the bundle down for every neighbour that is a way now and has not got it, and lets it go
/// when there is none left, or nobody needs it any more.
void Releaser::list_ways(EntryIndex index, TimePoint now) {
    Inventory &inventory = context_.inventory;
    const Entry &entry = inventory.entry(index);
    if (entry.state != EntryState::kCritical) return;  // its head is read for a report
    if (context_.critical.has_arrived(index)) {
        if (!context_.critical.any(index, State::kLent)) let_go(index);
        return;
    }
    if (context_.expired(entry.expiry, now))
        return end_critical(index, StorageCounter::kExpired, kReasonLifetimeExpired);
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
    // What is held has yet to go to those that are no ways meanwhile.
    if (!inventory.destinations().is_held(entry.flow) && over(index)) let_go(index);
}

/// Everybody has it who could get it, and its destination, if it was sent there, has had its time
/// to say so. Without any neighbour it waits for one.
bool Releaser::over(EntryIndex index) {
    const auto sent = [](const CriticalCopy &copy) { return copy.state == State::kSent; };
    const CriticalTable::Copies &copies = context_.critical.copies(index);
    return !copies.empty() && std::ranges::all_of(copies, sent) && !custodian_.holds(index) &&
           !custodian_.awaits_destination(index);
}

/// All have it. If one of them has given it back meanwhile, it goes on like any other bundle: else
/// nobody might have it.
void Releaser::let_go(EntryIndex index) {
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
    if (delivered || !inventory.take_return(index)) return context_.discard(index, why);
    context_.counters.increment(why);
    context_.critical.forget(index, entry.identity, destination);
    entry.requests &= static_cast<std::uint8_t>(~kRequestCritical);
    inventory.give_back(index);
    offer(entry.flow);
}

/// The copy that waits for this link; null when none does. A link that has got another neighbour
/// takes nothing for the one before, and nothing for the new one while that one has it still: this
/// waits for its next contact.
CriticalCopy *Releaser::listed_on(LinkId id, const Link &link, EntryIndex index) {
    const bool busy = context_.critical.lent_to(id, index) != nullptr;
    for (CriticalCopy &copy : context_.critical.copies(index)) {
        if (copy.link != id || copy.state != State::kListed) continue;
        if (!busy && copy.neighbour == link.neighbour) return &copy;
        copy.state = State::kTooLate;
    }
    return nullptr;
}

/// Reads the first critical bundle that waits for the link; false when there is none, or no room.
bool Releaser::queue_critical(LinkId id, Link &link, TimePoint now) {
    Inventory &inventory = context_.inventory;
    for (; !link.critical.empty(); (void)link.critical.pop_front()) {
        const auto index = inventory.entries().find(link.critical.front());
        const auto held = [&] {
            return index && inventory.entries().find(link.critical.front()) &&
                   inventory.entry(*index).state == EntryState::kCritical;
        };
        // It may have expired, and a contact that it needs may be over.
        if (held()) list_ways(*index, now);
        CriticalCopy *const copy = held() ? listed_on(id, link, *index) : nullptr;
        if (copy == nullptr) continue;
        if (!has_room_for(link, *index, now)) return false;
        (void)link.critical.pop_front();
        copy->state = State::kLent;
        fetch_alone(id, link, *index);
        return true;
    }
    return false;
}

void Releaser::lend_copy(LinkId id, Link &link, BatchPtr &batch, DiskRequest &request,
                         const DiskRecord &record, TimePoint now) {
    CriticalCopy *const copy = context_.critical.lent_to(id, record.entry);
    FARLINK_INVARIANT(copy != nullptr);
    const bool read = record.status == DiskStatus::kOk;
    const auto view = read ? bp::parse_again({&record.octets, 1}) : fail(bp::ParseError::kEmpty);
    if (view && link.up && copy->neighbour == link.neighbour) {
        // Who has taken custody of it already does not keep it from the others.
        (void)custodian_.lend(record.entry, link.neighbour, *view, record.octets);
        return lend_one(id, link, batch, request, record, *view, now);
    }
    set_outcome(link, context_.inventory.entry(record.entry).size);
    if (view) return context_.critical.drop(*copy, record.entry);
    // What another link has of it was read before. It is read again for the next contact.
    copy->state = State::kTooLate;
    if (!context_.critical.any(record.entry, State::kLent)) context_.quarantine(record.entry);
}

void Releaser::set_copy_outcome(LinkId id, const Link &link, EntryIndex index, Outcome outcome,
                                TimePoint now) {
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
        // So would egress do for every other neighbour. Each copy that it deletes it counts.
        case Outcome::kDeletedHopLimit:
        case Outcome::kDeletedUnreadable:
            copy->state = State::kSent;
            if (!context_.critical.any(index, State::kLent))
                return context_.discard(index, StorageCounter::kUnsendable);
            context_.counters.increment(StorageCounter::kCriticalSent);
            break;
        case Outcome::kRefused:
            context_.counters.increment(StorageCounter::kReturned);
            copy->state = State::kTooLate;
            note_refusal(index, link.neighbour, now);
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
    list_ways(index, now);
}

/// It expires or is deleted. What somebody has got has not come to nothing here, unless this node
/// still answers for it.
void Releaser::end_critical(EntryIndex index, StorageCounter why, std::uint8_t reason) {
    if (context_.critical.any(index, State::kLent)) return;  // looked at again when it comes back
    const bool sent = context_.critical.any(index, State::kSent);
    if (sent && !custodian_.holds(index))
        return context_.discard(index, context_.inventory.entry(index).in_custody()
                                           ? StorageCounter::kCustodyReleased
                                           : StorageCounter::kCriticalReleased);
    context_.inventory.give_back(index);
    remove(index, why, reason);
}

}  // namespace farlink::storage
