// SPDX-License-Identifier: Apache-2.0
#include "module/storage/core/fragments/gathered_fragments.hpp"

#include <algorithm>
#include <iterator>

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

EntryIndex GatheredFragments::add_piece(const RecordHead &head, FlowIndex flow, DiskIndex disk,
                                        const PieceLabel &label) {
    const EntryIndex index = inventory_.add(head, flow, disk, EntryKind::kPiece);
    const SetIndex set = spools_.add({.extent = {label.offset, head.size},
                                      .total_adu_length = label.bundle_bytes,
                                      .set = label.spool,
                                      .source = 0,
                                      .endpoint = label.endpoint},
                                     index);
    spools_.set_identity(set, label.bundle);
    inventory_.entry(index).next = set;
    return index;
}

EntryIndex GatheredFragments::gather(EntryIndex fragment) {
    inventory_.shelve(fragment);
    FragmentSets &sets = table_of(fragment);
    const SetIndex set = inventory_.entry(fragment).next;
    sets.set_flushed(set, fragment);
    const bool spooled = inventory_.entry(fragment).spooled;
    const bool last =
        sets[set].whole == kNoEntry && (spooled ? is_complete(fragment) : sets[set].complete());
    const bool held = last && spooled && inventory_.find(sets.identity_of(set)) != kNoEntry;
    return last && !held ? join(sets, set) : kNoEntry;
}

/// Without overlaps: each octet is sent once.
bool GatheredFragments::is_complete(EntryIndex piece) const {
    const FragmentSet &set = spools_[inventory_.entry(piece).next];
    return set.pieces.flushed_bytes() == set.total && set.complete();
}

/// The bundle is as old as its oldest fragment, and has the requests of the first part. The size of
/// one that is joined from fragments is known when it is read.
EntryIndex GatheredFragments::join(FragmentSets &sets, SetIndex index) {
    const FragmentSet &set = sets[index];
    const FragmentPiece &front = set.pieces.front();
    const Entry &first = inventory_.entry(front.entry);
    constexpr std::uint8_t kOfFragments = kRequestCustody | kRequestCritical;
    RecordHead head;
    head.identity = sets.identity_of(index);
    head.arrival = first.arrival;
    head.expiry = first.expiry;
    head.requests = first.requests & static_cast<std::uint8_t>(~kOfFragments);
    head.size = set.total;
    if (!first.spooled) head.size += first.size - front.bytes() + kHeadGrowth;
    for (const FragmentPiece &piece : set.pieces) {
        head.arrival = std::min(head.arrival, inventory_.entry(piece.entry).arrival);
        head.expiry = std::min(head.expiry, inventory_.entry(piece.entry).expiry);
    }
    const EntryIndex whole = inventory_.add(
        head, first.flow, 0, first.spooled ? EntryKind::kSpooled : EntryKind::kJoined);
    sets.set_whole(index, whole);
    inventory_.shelve(whole);
    return whole;
}

void GatheredFragments::leave(EntryIndex fragment) {
    Entry &entry = inventory_.entry(fragment);
    table_of(fragment).remove(entry.next, fragment);
    entry.next = kNoSet;
}

EntryIndex GatheredFragments::whole_of(EntryIndex fragment) const {
    const SetIndex set = inventory_.entry(fragment).next;
    return set == kNoSet ? kNoEntry : table_of(fragment)[set].whole;
}

bool GatheredFragments::is_read(EntryIndex fragment) const {
    const SetIndex set = inventory_.entry(fragment).next;
    if (set == kNoSet) return false;
    const FragmentSets &sets = table_of(fragment);
    const EntryIndex whole = sets[set].whole;
    return sets[set].readers > 0 ||
           (whole != kNoEntry && inventory_.entry(whole).state() == EntryState::kReading);
}

std::vector<EntryIndex> GatheredFragments::of(EntryIndex whole) const {
    std::vector<EntryIndex> fragments;
    const FragmentSets &sets = table_of(whole);
    for (const FragmentPiece &piece : sets[sets.of_whole(whole)].pieces)
        if (piece.flushed) fragments.push_back(piece.entry);
    return fragments;
}

void GatheredFragments::disjoin(EntryIndex whole) {
    FragmentSets &sets = table_of(whole);
    sets.set_whole(sets.of_whole(whole), kNoEntry);
    inventory_.remove(whole);
}

// One that is being written stays, and begins a set anew.
std::vector<EntryIndex> GatheredFragments::end(EntryIndex whole) {
    FragmentSets &sets = table_of(whole);
    const SetIndex set = sets.of_whole(whole);
    const std::vector<EntryIndex> fragments = of(whole);
    disjoin(whole);
    if (fragments.size() == sets[set].pieces.size())
        (void)sets.remove_all(set);
    else
        for (const EntryIndex fragment : fragments) sets.remove(set, fragment);
    for (const EntryIndex fragment : fragments) inventory_.entry(fragment).next = kNoSet;
    return fragments;
}

std::uint64_t GatheredFragments::bytes_to_read(EntryIndex index) const {
    const Entry &entry = inventory_.entry(index);
    if (!entry.joined) return inventory_.record_bytes_of(index);
    if (entry.spooled) return inventory_.record_bytes_of(piece_at(index, 0));
    std::uint64_t sum = 0;
    for (const EntryIndex fragment : of(index)) sum += inventory_.record_bytes_of(fragment);
    return sum;
}

EntryIndex GatheredFragments::piece_at(EntryIndex whole, std::uint64_t offset) const {
    const auto &pieces = spools_[spools_.of_whole(whole)].pieces;
    const auto piece = std::ranges::lower_bound(pieces, offset, {}, &FragmentPiece::offset);
    FARLINK_INVARIANT(piece != pieces.end() && piece->offset == offset);
    return piece->entry;
}

const FragmentPiece &GatheredFragments::piece_with(EntryIndex whole, std::uint64_t offset) const {
    const auto &pieces = spools_[spools_.of_whole(whole)].pieces;
    const auto next = std::ranges::upper_bound(pieces, offset, {}, &FragmentPiece::offset);
    FARLINK_INVARIANT(next != pieces.begin());
    return *std::prev(next);
}

std::vector<EntryIndex> GatheredFragments::drop(SetIndex spool) {
    std::vector<EntryIndex> gone;
    for (const FragmentPiece &piece : spools_.drop(spool)) {
        inventory_.entry(piece.entry).next = kNoSet;
        gone.push_back(piece.entry);
    }
    return gone;
}

}  // namespace farlink::storage
