// SPDX-License-Identifier: Apache-2.0
// Bundles that a neighbour has refused for their own sake: each goes by itself, to another
// neighbour where there is one, else to the same again after a pause, until its lifetime ends.
#include "module/storage/core/release/releaser.hpp"

namespace farlink::storage {
namespace {

/// How many one call looks at: all of them may be due when a route changes.
constexpr std::size_t kPlacedAtOnce = 4096;

}  // namespace

/// Takes it out of its flow, whose younger bundles need not wait behind it.
void Releaser::park_refused(EntryIndex index) {
    Inventory &inventory = context_.inventory;
    if (inventory.entry(index).state != EntryState::kWaiting) inventory.give_back(index);
    inventory.take(index);
    inventory.set_aside(index);
    context_.refused.wait(inventory.entries().handle_of(index), TimePoint{});
}

void Releaser::place_refused(TimePoint now) {
    for (std::size_t placed = 0; placed < kPlacedAtOnce; ++placed) {
        const std::uint64_t bundle = context_.refused.poll_due(now);
        if (bundle == 0) return;
        const auto index = context_.inventory.entries().find(bundle);
        if (!index) continue;
        const EntryState state = context_.inventory.entry(*index).state;
        if (state == EntryState::kExceedsContacts) place_refused(*index, bundle, now);
        if (state == EntryState::kCritical) list_again(*index, bundle, now);
    }
}

/// Whether it may go there now.
bool Releaser::takes_refused(std::uint64_t bundle, const routing::NextHop &way, TimePoint now) {
    const auto link = links_.find(way.link);
    return link != links_.end() && link->second.up && link->second.neighbour == way.neighbour &&
           !held_back_.contains(way.neighbour) &&
           !context_.refused.keeps_from(bundle, way.neighbour, now);
}

void Releaser::place_refused(EntryIndex index, std::uint64_t bundle, TimePoint now) {
    const Entry &entry = context_.inventory.entry(index);
    for (const routing::NextHop &way :
         context_.inventory.destinations().all_ways(entry.flow, entry, context_.dtn_at(now))) {
        if (!takes_refused(bundle, way, now)) continue;
        context_.refused.send_by(bundle, way.link, way.neighbour);
        return links_[way.link].refused.push_back(bundle);
    }
    // Links and routes that change wake it, too.
    const TimePoint next = context_.refused.next_try(bundle, now);
    context_.refused.wait(bundle, std::min(next, now + RefusedTable::kLongestPause));
}

/// A critical bundle is listed again for the neighbours whose pause is over.
void Releaser::list_again(EntryIndex index, std::uint64_t bundle, TimePoint now) {
    context_.critical.retry(index, [&](NodeNumber neighbour) {
        return !context_.refused.keeps_from(bundle, neighbour, now);
    });
    context_.refused.wait(bundle, context_.refused.next_try(bundle, now));
}

/// Reads the first refused bundle that is to go by the link; false when there is none, or no room.
bool Releaser::queue_refused(LinkId id, Link &link, TimePoint now) {
    Inventory &inventory = context_.inventory;
    for (; !link.refused.empty(); (void)link.refused.pop_front()) {
        const std::uint64_t bundle = link.refused.front();
        const auto index = inventory.entries().find(bundle);
        if (!index || inventory.entry(*index).state != EntryState::kExceedsContacts ||
            !context_.refused.goes_by(bundle, id, link.neighbour))
            continue;
        if (context_.expired(inventory.entry(*index).expiry, now)) {
            expire(*index);
            continue;
        }
        if (!has_room_for(link, *index, now)) return false;
        (void)link.refused.pop_front();
        inventory.give_back(*index);
        inventory.take(*index);
        fetch_alone(id, link, *index);
        return true;
    }
    return false;
}

/// What was to go by a link that is down waits for another way.
void Releaser::release_refused(Link &link) {
    while (!link.refused.empty()) context_.refused.wait(link.refused.pop_front(), TimePoint{});
}

/// The neighbour did not take the bundle; what becomes of it is decided next.
void Releaser::note_refusal(EntryIndex index, NodeNumber by, TimePoint now) {
    context_.refused.refuse(context_.inventory.entries().handle_of(index), by, now);
    context_.counters.set(StorageCounter::kRefusedNow, context_.refused.size());
}

}  // namespace farlink::storage
