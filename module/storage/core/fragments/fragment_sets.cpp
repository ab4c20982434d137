// SPDX-License-Identifier: Apache-2.0
#include "module/storage/core/fragments/fragment_sets.hpp"

#include <algorithm>
#include <utility>

namespace farlink::storage {

bool FragmentSet::complete() const {
    if (flushed_bytes < total) return false;
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

SetIndex FragmentSets::find(const Hash128 &key) const {
    const auto found = by_key_.find(key);
    return found == by_key_.end() ? kNoSet : *found;
}

SetIndex FragmentSets::begin(const FragmentLabel &label) {
    if (free_.empty()) {
        free_.push_back(static_cast<SetIndex>(sets_.size()));
        sets_.emplace_back();
    }
    const SetIndex index = free_.back();
    free_.pop_back();
    FragmentSet &set = sets_[index];
    set.key = set.identity = label.set;
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
    set.pieces.insert(
        std::ranges::upper_bound(set.pieces, piece.offset, {}, &FragmentPiece::offset), piece);
    set.furthest = std::max(set.furthest, piece.end);
    set.bytes += label.extent.length;
    ++pieces_;
    if (set.whole == kNoEntry) count_piece(set.source, piece, true);
    return index;
}

void FragmentSets::remove(SetIndex index, EntryIndex entry) {
    FragmentSet &set = sets_[index];
    const FragmentPiece piece = piece_of(index, entry);
    if (set.whole == kNoEntry) count_piece(set.source, piece, false);
    set.bytes -= piece.end - piece.offset;
    if (piece.flushed) set.flushed_bytes -= piece.end - piece.offset;
    std::erase_if(set.pieces, [entry](const FragmentPiece &each) { return each.entry == entry; });
    --pieces_;
    if (set.pieces.empty()) end(index);
}

std::vector<FragmentPiece> FragmentSets::remove_all(SetIndex index) {
    FragmentSet &set = sets_[index];
    if (set.whole == kNoEntry)
        for (const FragmentPiece &piece : set.pieces) count_piece(set.source, piece, false);
    pieces_ -= set.pieces.size();
    std::vector<FragmentPiece> pieces = std::exchange(set.pieces, {});
    end(index);
    return pieces;
}

std::vector<FragmentPiece> FragmentSets::drop(SetIndex index) {
    FragmentSet &set = sets_[index];
    set.dropped = true;
    std::vector<FragmentPiece> gone;
    std::vector<FragmentPiece> kept;
    for (const FragmentPiece &piece : set.pieces) (piece.flushed ? gone : kept).push_back(piece);
    if (kept.empty()) return remove_all(index);
    for (const FragmentPiece &piece : gone) {
        if (set.whole == kNoEntry) count_piece(set.source, piece, false);
        set.bytes -= piece.end - piece.offset;
    }
    set.flushed_bytes = 0;
    set.pieces = std::move(kept);
    pieces_ -= gone.size();
    return gone;
}

void FragmentSets::end(SetIndex index) {
    FragmentSet &set = sets_[index];
    if (set.whole != kNoEntry) set_whole(index, kNoEntry);
    by_key_.erase(index);
    const auto source = sources_.find(set.source);
    if (--source->second.sets == 0) sources_.erase(source);
    set = {};
    free_.push_back(index);
}

void FragmentSets::set_flushed(SetIndex set, EntryIndex entry) {
    FragmentPiece &piece = piece_of(set, entry);
    piece.flushed = true;
    sets_[set].flushed_bytes += piece.end - piece.offset;
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
    const std::uint64_t bytes = piece.end - piece.offset;
    usage.fragments = held ? usage.fragments + 1 : usage.fragments - 1;
    usage.bytes = held ? usage.bytes + bytes : usage.bytes - bytes;
}

// Most fragments come in order, so the last one is looked at first.
FragmentPiece &FragmentSets::piece_of(SetIndex set, EntryIndex entry) {
    auto &pieces = sets_[set].pieces;
    const auto piece = std::find_if(pieces.rbegin(), pieces.rend(),
                                    [entry](const auto &each) { return each.entry == entry; });
    FARLINK_INVARIANT(piece != pieces.rend());
    return *piece;
}

std::vector<FragmentPiece> FragmentSets::overlapping(SetIndex set,
                                                     const bp::FragmentExtent &extent) const {
    std::vector<FragmentPiece> found;
    if (extent.offset >= sets_[set].furthest) return found;
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
    constexpr std::size_t kSetNode = 4 * kPointer;
    constexpr std::size_t kWholeNode = 5 * kPointer;
    constexpr std::size_t kSourceNode = 6 * kPointer;
    return sets_.size() * sizeof(FragmentSet) + free_.capacity() * sizeof(SetIndex) +
           pieces_ * sizeof(FragmentPiece) + by_key_.size() * kSetNode +
           by_key_.bucket_count() * kPointer + by_whole_.size() * kWholeNode +
           by_whole_.bucket_count() * kPointer + sources_.size() * kSourceNode +
           sources_.bucket_count() * kPointer;
}

}  // namespace farlink::storage
