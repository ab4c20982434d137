// SPDX-License-Identifier: Apache-2.0
#include "module/storage/core/fragments/piece_label.hpp"

#include <algorithm>

namespace farlink::storage {
namespace {

constexpr std::uint8_t kPiece = 7;  // beside the kinds of an endpoint's label, and a fragment's
constexpr std::size_t kSizeAt = 9;
constexpr std::size_t kSpoolAt = 17;
constexpr std::size_t kBundleAt = 33;
static_assert(kBundleAt + 16 == kFragmentLabelBytes);

}  // namespace

Bytes encode_piece_label(const PieceLabel &label) {
    Bytes out(kFragmentLabelBytes + label.endpoint.size());
    out[0] = kPiece;
    store_be(&out[1], label.offset);
    store_be(&out[kSizeAt], label.bundle_bytes);
    store_be(&out[kSpoolAt], label.spool.high);
    store_be(&out[kSpoolAt + 8], label.spool.low);
    store_be(&out[kBundleAt], label.bundle.high);
    store_be(&out[kBundleAt + 8], label.bundle.low);
    std::ranges::copy(label.endpoint, out.begin() + kFragmentLabelBytes);
    return out;
}

std::optional<PieceLabel> decode_piece_label(ByteView label) {
    if (label.size() < kFragmentLabelBytes || label[0] != kPiece) return std::nullopt;
    PieceLabel piece;
    piece.offset = load_be<std::uint64_t>(&label[1]);
    piece.bundle_bytes = load_be<std::uint64_t>(&label[kSizeAt]);
    piece.spool.high = load_be<std::uint64_t>(&label[kSpoolAt]);
    piece.spool.low = load_be<std::uint64_t>(&label[kSpoolAt + 8]);
    piece.bundle.high = load_be<std::uint64_t>(&label[kBundleAt]);
    piece.bundle.low = load_be<std::uint64_t>(&label[kBundleAt + 8]);
    piece.endpoint = label.subspan(kFragmentLabelBytes);
    if (piece.offset >= piece.bundle_bytes) return std::nullopt;
    return piece;
}

}  // namespace farlink::storage
