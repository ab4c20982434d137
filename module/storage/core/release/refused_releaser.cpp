// SPDX-License-Identifier: Apache-2.0
#include "module/storage/core/release/refused_releaser.hpp"

#include <algorithm>

namespace farlink::storage {
namespace {

/// How many one call looks at: all of them may be due when a route changes.
constexpr std::size_t kPlacedAtOnce = 4096;

}  // namespace

void RefusedReleaser::park(EntryIndex index) {
    Inventory &inventory = context_.inventory;
    if (inventory.entry(index).state() != EntryState::kWaiting) inventory.give_back(index);
    inventory.take(index);
    inventory.set_aside(index);
    context_.refused.wait(inventory.entries().handle_of(index), TimePoint{});
}

void RefusedReleaser::place_due(TimePoint now) {
    for (std::size_t placed = 0; placed < kPlacedAtOnce; ++placed) {
        const std::uint64_t bundle = context_.refused.poll_due(now);
        if (bundle == 0) return;
        const auto index = context_.inventory.entries().find(bundle);
        if (!index) continue;
        const EntryState state = context_.inventory.entry(*index).state();
        if (state == EntryState::kExceedsContacts) place(*index, bundle, now);
        if (state == EntryState::kCritical) list_again(*index, bundle, now);
    }
}

void RefusedReleaser::place(EntryIndex index, std::uint64_t bundle, TimePoint now) {
    const Entry &entry = context_.inventory.entry(index);
    for (const routing::NextHop &way :
         context_.inventory.destinations().all_ways(entry.flow, entry, context_.dtn_at(now))) {
        if (!links_.leads_to(way.link, way.neighbour) ||
            context_.refused.keeps_from(bundle, way.neighbour, now))
            continue;
        context_.refused.send_by(bundle, way.link, way.neighbour);
        return links_[way.link].refused.push_back(bundle);
    }
    // A change of links or routes ends the wait, too.
    const TimePoint next = context_.refused.next_try(bundle, now);
    context_.refused.wait(bundle, std::min(next, now + RefusedTable::kLongestPause));
}

/// A critical bundle is listed again for the neighbours whose pause is over.
void RefusedReleaser::list_again(EntryIndex index, std::uint64_t bundle, TimePoint now) {
    context_.critical.retry(index, [&](NodeNumber neighbour) {
        return !context_.refused.keeps_from(bundle, neighbour, now);
    });
    context_.refused.wait(bundle, context_.refused.next_try(bundle, now));
}

bool RefusedReleaser::queue_read(LinkId id, ReleaseLink &link, TimePoint now) {
    Inventory &inventory = context_.inventory;
    for (; !link.refused.empty(); (void)link.refused.pop_front()) {
        const std::uint64_t bundle = link.refused.front();
        const auto index = inventory.entries().find(bundle);
        if (!index || inventory.entry(*index).state() != EntryState::kExceedsContacts ||
            !context_.refused.goes_by(bundle, id, link.neighbour))
            continue;
        if (context_.expired(inventory.entry(*index).expiry, now)) {
            remover_.expire(*index);
            continue;
        }
        if (!links_.has_room_for(link, *index, now)) return false;
        (void)link.refused.pop_front();
        inventory.give_back(*index);
        inventory.take(*index);
        requests_.queue_alone(id, link, *index);
        return true;
    }
    return false;
}

void RefusedReleaser::release(ReleaseLink &link) {
    while (!link.refused.empty()) context_.refused.wait(link.refused.pop_front(), TimePoint{});
}

}  // namespace farlink::storage
