// SPDX-License-Identifier: Apache-2.0
#include "module/storage/core/fragments/fragment_sets.hpp"

#include <algorithm>

namespace farlink::storage {

bool FragmentSet::complete() const {
    if (pieces.flushed_bytes() < total) return false;
    std::uint64_t covered = 0;
    for (const FragmentPiece &piece : pieces) {
        if (!piece.flushed) continue;
        if (piece.offset > covered) return false;
        covered = std::max(covered, piece.end);
    }
    return covered == total;
}

std::vector<bp::FragmentExtent> FragmentSet::gaps(std::size_t most) const {
    std::vector<bp::FragmentExtent> gaps;
    std::uint64_t covered = 0;
    const auto note = [&](std::uint64_t until) {
        if (until > covered && gaps.size() < most) gaps.push_back({covered, until - covered});
    };
    for (const FragmentPiece &piece : pieces) {
        note(piece.offset);
        covered = std::max(covered, piece.end);
    }
    note(total);
    return gaps;
}

SetIndex FragmentSets::begin(const FragmentLabel &label) {
    if (free_.empty()) {
        free_.push_back(static_cast<SetIndex>(sets_.size()));
        sets_.emplace_back();
    }
    const SetIndex index = free_.back();
    free_.pop_back();
    FragmentSet &set = sets_[index];
    set.key = label.set;
    set.total = label.total_adu_length;
    set.source = label.source;
    by_key_.insert(index);
    ++sources_[set.source].sets;
    return index;
}

SetIndex FragmentSets::add(const FragmentLabel &label, EntryIndex entry) {
    SetIndex index = find(label.set);
    if (index == kNoSet) index = begin(label);
    FragmentSet &set = sets_[index];
    const FragmentPiece piece{label.extent.offset, label.extent.offset + label.extent.length,
                              entry};
    const std::size_t before = set.pieces.memory_bytes();
    set.pieces.add(piece);
    piece_bytes_ += set.pieces.memory_bytes() - before;
    if (set.whole == kNoEntry) count_piece(set.source, piece, true);
    return index;
}

void FragmentSets::remove(SetIndex index, EntryIndex entry) {
    FragmentSet &set = sets_[index];
    const FragmentPiece piece = set.pieces.remove(entry);
    if (set.whole == kNoEntry) count_piece(set.source, piece, false);
    if (set.pieces.empty()) end(index);
}

std::vector<FragmentPiece> FragmentSets::remove_all(SetIndex index) {
    const PieceList &pieces = sets_[index].pieces;
    std::vector<FragmentPiece> removed(pieces.begin(), pieces.end());
    end(index);
    return removed;
}

std::vector<FragmentPiece> FragmentSets::drop(SetIndex index) {
    FragmentSet &set = sets_[index];
    set.dropped = true;
    std::vector<FragmentPiece> gone = set.pieces.remove_flushed();
    if (set.whole == kNoEntry)
        for (const FragmentPiece &piece : gone) count_piece(set.source, piece, false);
    if (set.pieces.empty()) end(index);
    return gone;
}

void FragmentSets::end(SetIndex index) {
    FragmentSet &set = sets_[index];
    if (set.whole == kNoEntry)
        count(set, false);
    else
        by_whole_.erase(set.whole);
    if (const auto source = sources_.find(set.source);
        source != sources_.end() && source->second.sets == 0)
        sources_.erase(source);
    by_key_.erase(index);
    identities_.erase(index);
    piece_bytes_ -= set.pieces.memory_bytes();
    set = {};
    free_.push_back(index);
}

void FragmentSets::set_flushed(SetIndex set, EntryIndex entry) {
    sets_[set].pieces.set_flushed(entry);
}

const Hash128 &FragmentSets::identity_of(SetIndex set) const {
    const auto found = identities_.find(set);
    return found == identities_.end() ? sets_[set].key : found->second;
}

void FragmentSets::set_whole(SetIndex index, EntryIndex whole) {
    FragmentSet &set = sets_[index];
    if (set.whole != kNoEntry) {
        by_whole_.erase(set.whole);
        count(set, true);
    }
    set.whole = whole;
    if (whole == kNoEntry) return;
    by_whole_.emplace(whole, index);
    count(set, false);
}

/// A complete set does not count for the limits of its source.
void FragmentSets::count(const FragmentSet &set, bool incomplete) {
    SourceUsage &usage = sources_[set.source];
    for (const FragmentPiece &piece : set.pieces) count_piece(set.source, piece, incomplete);
    usage.sets = incomplete ? usage.sets + 1 : usage.sets - 1;
}

void FragmentSets::count_piece(std::uint64_t source, const FragmentPiece &piece, bool held) {
    SourceUsage &usage = sources_[source];
    usage.fragments = held ? usage.fragments + 1 : usage.fragments - 1;
    usage.bytes = held ? usage.bytes + piece.bytes() : usage.bytes - piece.bytes();
}

std::vector<FragmentPiece> FragmentSets::overlapping(SetIndex set,
                                                     const bp::FragmentExtent &extent) const {
    std::vector<FragmentPiece> found;
    if (extent.offset >= sets_[set].pieces.furthest()) return found;
    const std::uint64_t end = extent.offset + extent.length;
    for (const FragmentPiece &piece : sets_[set].pieces)
        if (piece.offset < end && piece.end > extent.offset) found.push_back(piece);
    return found;
}

SourceUsage FragmentSets::usage_of(std::uint64_t source) const {
    const auto found = sources_.find(source);
    return found == sources_.end() ? SourceUsage{} : found->second;
}

std::size_t FragmentSets::memory_bytes() const {
    constexpr std::size_t kPointer = sizeof(std::uintptr_t);
    constexpr std::size_t kIdentityNode = 5 * kPointer;
    constexpr std::size_t kWholeNode = 5 * kPointer;
    constexpr std::size_t kSourceNode = 6 * kPointer;
    return sets_.size() * sizeof(FragmentSet) + free_.capacity() * sizeof(SetIndex) + piece_bytes_ +
           by_key_.memory_bytes() + identities_.size() * kIdentityNode +
           identities_.bucket_count() * kPointer + by_whole_.size() * kWholeNode +
           by_whole_.bucket_count() * kPointer + sources_.size() * kSourceNode +
           sources_.bucket_count() * kPointer;
}

}  // namespace farlink::storage
