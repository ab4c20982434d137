// SPDX-License-Identifier: Apache-2.0
#include "apps/shared/traffic/fragments/bundle_pieces.hpp"

#include <algorithm>

#include "common/base/invariant.hpp"

namespace farlink::traffic {

// A piece begins where the pattern does.
static_assert(kPieceBytes % Pattern::kPeriod == 0);

BundlePieces::BundlePieces(BundleTemplate &bundles, const Pattern &pattern)
    : bundles_(bundles),
      stretch_(pattern.stretch()),
      tail_bytes_(bundles.tail_bytes()),
      trailer_bytes_(bundles.trailer(trailer_.data())),
      per_bundle_((tail_bytes_ + kPieceBytes - 1) / kPieceBytes + (trailer_bytes_ > 0 ? 1 : 0)) {}

void BundlePieces::begin(const PayloadHeader &header, std::uint64_t first_token) {
    FARLINK_INVARIANT(!under_way());
    head_bytes_ = bundles_.head(header, head_.data());
    (void)bundles_.trailer(trailer_.data());
    bundle_bytes_ = left_ = head_bytes_ + tail_bytes_ + trailer_bytes_;
    token_ = first_token;
}

TxBundle BundlePieces::next() {
    FARLINK_INVARIANT(under_way());
    TxBundle piece;
    piece.token = token_++;
    piece.is_further_piece = left_ < bundle_bytes_;
    if (!piece.is_further_piece) piece.head = ByteView(head_).first(head_bytes_);
    if (left_ == trailer_bytes_)
        piece.head = ByteView(trailer_).first(trailer_bytes_);
    else
        set_slices(piece, std::min(kPieceBytes, left_ - piece.head.size() - trailer_bytes_));
    piece.left = left_ -= piece.size += piece.head.size();
    return piece;
}

void BundlePieces::set_slices(TxBundle &piece, std::uint64_t bytes) {
    piece.size = bytes;
    slices_.clear();
    for (; bytes > 0; bytes -= slices_.back().size())
        slices_.push_back(stretch_.first(std::min<std::uint64_t>(bytes, stretch_.size())));
    piece.body = slices_.front();
    piece.rest = std::span(slices_).subspan(1);
}

}  // namespace farlink::traffic
