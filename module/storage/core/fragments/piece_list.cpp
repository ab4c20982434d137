// SPDX-License-Identifier: Apache-2.0
#include "module/storage/core/fragments/piece_list.hpp"

#include <algorithm>
#include <iterator>
#include <span>
#include <utility>

namespace farlink::storage {
namespace {

/// Room for the first of several pieces.
constexpr std::size_t kFewPieces = 4;

}  // namespace

void PieceList::add(const FragmentPiece &piece) {
    if (empty() && many_ == nullptr) {
        one_ = piece;
        return;
    }
    if (many_ == nullptr) {
        many_ = std::make_unique<Many>();
        many_->pieces.reserve(kFewPieces);
        insert(one_);
    }
    insert(piece);
}

void PieceList::insert(const FragmentPiece &piece) {
    std::vector<FragmentPiece> &pieces = many_->pieces;
    pieces.insert(std::ranges::upper_bound(pieces, piece.offset, {}, &FragmentPiece::offset),
                  piece);
    many_->bytes += piece.bytes();
    if (piece.flushed) many_->flushed_bytes += piece.bytes();
    many_->furthest = std::max(many_->furthest, piece.end);
}

FragmentPiece PieceList::remove(EntryIndex entry) {
    FragmentPiece &place = find(entry);
    const FragmentPiece piece = place;
    if (many_ == nullptr) {
        one_ = {};
        return piece;
    }
    many_->pieces.erase(many_->pieces.begin() + (&place - many_->pieces.data()));
    many_->bytes -= piece.bytes();
    if (piece.flushed) many_->flushed_bytes -= piece.bytes();
    return piece;
}

std::vector<FragmentPiece> PieceList::remove_flushed() {
    std::vector<FragmentPiece> removed;
    std::ranges::copy_if(*this, std::back_inserter(removed), &FragmentPiece::flushed);
    if (many_ == nullptr) {
        if (!removed.empty()) one_ = {};
        return removed;
    }
    std::erase_if(many_->pieces, [](const FragmentPiece &each) { return each.flushed; });
    many_->bytes -= std::exchange(many_->flushed_bytes, 0);
    return removed;
}

void PieceList::set_flushed(EntryIndex entry) {
    FragmentPiece &piece = find(entry);
    piece.flushed = true;
    if (many_ != nullptr) many_->flushed_bytes += piece.bytes();
}

// Most fragments come in order, so the last one is looked at first.
FragmentPiece &PieceList::find(EntryIndex entry) {
    const std::span<FragmentPiece> pieces =
        many_ == nullptr ? std::span(&one_, 1) : std::span(many_->pieces);
    const auto piece = std::find_if(pieces.rbegin(), pieces.rend(),
                                    [entry](const auto &each) { return each.entry == entry; });
    FARLINK_INVARIANT(piece != pieces.rend());
    return *piece;
}

}  // namespace farlink::storage
