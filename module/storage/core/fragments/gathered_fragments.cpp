// SPDX-License-Identifier: Apache-2.0
#include "module/storage/core/fragments/gathered_fragments.hpp"

#include <algorithm>

namespace farlink::storage {
namespace {

/// Octets that a head takes beyond those of a fragment's.
constexpr std::uint64_t kHeadGrowth = 32;

}  // namespace

EntryIndex GatheredFragments::add(const RecordHead &head, FlowIndex flow, DiskIndex disk,
                                  const FragmentLabel &label) {
    const EntryIndex index = inventory_.add(head, flow, disk, EntryKind::kFragment);
    inventory_.entry(index).next = sets_.add(label, index);
    return index;
}

EntryIndex GatheredFragments::gather(EntryIndex fragment) {
    inventory_.shelve(fragment);
    const SetIndex set = inventory_.entry(fragment).next;
    sets_.set_flushed(set, fragment);
    const bool last = sets_[set].whole == kNoEntry && sets_[set].complete();
    return last ? join(set) : kNoEntry;
}

/// The bundle is as old as its oldest fragment, and has the requests of the first part. Its size is
/// known when it is read.
EntryIndex GatheredFragments::join(SetIndex index) {
    const FragmentSet &set = sets_[index];
    const FragmentPiece &front = set.pieces.front();
    const Entry &first = inventory_.entry(front.entry);
    constexpr std::uint8_t kOfFragments = kRequestCustody | kRequestCritical;
    RecordHead head;
    head.identity = set.key;
    head.arrival = first.arrival;
    head.expiry = first.expiry;
    head.requests = first.requests & static_cast<std::uint8_t>(~kOfFragments);
    head.size = set.total + first.size - (front.end - front.offset) + kHeadGrowth;
    for (const FragmentPiece &piece : set.pieces) {
        head.arrival = std::min(head.arrival, inventory_.entry(piece.entry).arrival);
        head.expiry = std::min(head.expiry, inventory_.entry(piece.entry).expiry);
    }
    const EntryIndex whole = inventory_.add(head, first.flow, 0, EntryKind::kJoined);
    sets_.set_whole(index, whole);
    inventory_.shelve(whole);
    return whole;
}

void GatheredFragments::leave(EntryIndex fragment) {
    Entry &entry = inventory_.entry(fragment);
    sets_.remove(entry.next, fragment);
    entry.next = kNoSet;
}

EntryIndex GatheredFragments::whole_of(EntryIndex fragment) const {
    const SetIndex set = inventory_.entry(fragment).next;
    return set == kNoSet ? kNoEntry : sets_[set].whole;
}

bool GatheredFragments::is_read(EntryIndex fragment) const {
    const SetIndex set = inventory_.entry(fragment).next;
    if (set == kNoSet) return false;
    const EntryIndex whole = sets_[set].whole;
    return sets_[set].readers > 0 ||
           (whole != kNoEntry && inventory_.entry(whole).state() == EntryState::kReading);
}

std::vector<EntryIndex> GatheredFragments::of(EntryIndex whole) const {
    std::vector<EntryIndex> fragments;
    for (const FragmentPiece &piece : sets_[sets_.of_whole(whole)].pieces)
        if (piece.flushed) fragments.push_back(piece.entry);
    return fragments;
}

void GatheredFragments::disjoin(EntryIndex whole) {
    sets_.set_whole(sets_.of_whole(whole), kNoEntry);
    inventory_.remove(whole);
}

// One that is being written stays, and begins a set anew.
std::vector<EntryIndex> GatheredFragments::end(EntryIndex whole) {
    const SetIndex set = sets_.of_whole(whole);
    const std::vector<EntryIndex> fragments = of(whole);
    disjoin(whole);
    if (fragments.size() == sets_[set].pieces.size())
        (void)sets_.remove_all(set);
    else
        for (const EntryIndex fragment : fragments) sets_.remove(set, fragment);
    for (const EntryIndex fragment : fragments) inventory_.entry(fragment).next = kNoSet;
    return fragments;
}

std::uint64_t GatheredFragments::bytes_to_read(EntryIndex index) const {
    if (!inventory_.entry(index).joined) return inventory_.record_bytes_of(index);
    std::uint64_t sum = 0;
    for (const EntryIndex fragment : of(index)) sum += inventory_.record_bytes_of(fragment);
    return sum;
}

}  // namespace farlink::storage
