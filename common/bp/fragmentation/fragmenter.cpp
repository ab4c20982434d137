// SPDX-License-Identifier: Apache-2.0
#include "common/bp/fragmentation/fragmenter.hpp"

#include <algorithm>

#include "common/base/invariant.hpp"
#include "common/bp/base/slices.hpp"
#include "common/bp/fragmentation/fragment_v6.hpp"
#include "common/bp/fragmentation/fragment_v7.hpp"

namespace farlink::bp {
namespace {

ByteView written(MutableBytes space, const std::uint8_t *end) {
    return {space.data(), end};
}

/// The payload of a fragment with `room` bytes for it, when `left` bytes remain; 0: too little.
std::uint64_t share_of(std::uint64_t room, std::uint64_t left) {
    if (room >= left) return left;
    return room < Fragmenter::kLeastPayload ? 0 : room;
}

/// A later fragment may need so much more for its offset and its age: what cannot be cut to the end
/// is not begun.
constexpr std::uint64_t kLaterGrowth = 16;

std::uint64_t room_within(std::uint64_t max_bytes, std::uint64_t used) {
    return max_bytes > used ? max_bytes - used : 0;
}

}  // namespace

Fragmenter::Fragmenter(const BundleView &view, ByteView head, std::span<const ByteView> slices,
                       std::uint64_t cut)
    : view_(view),
      head_(head),
      payload_head_(slices[0].subspan(view.head_end, view.payload_offset - view.head_end)),
      slices_(slices),
      cut_(cut),
      first_(cut == 0) {
    if (view.version == kBpVersion6) return;
    codec::CborReader reader(payload_head_);
    FARLINK_INVARIANT(v7::read_block_head(reader, payload_v7_).has_value());
}

std::size_t Fragmenter::head_bound() const {
    const std::size_t growth =
        view_.version == kBpVersion6 ? v6::kFragmentHeadGrowth : v7::kFragmentHeadGrowth;
    return head_.size() + payload_head_.size() + growth;
}

std::size_t Fragmenter::tail_bound() const {
    return view_.version == kBpVersion6 ? trailing().size() : v7::payload_tail_size(payload_v7_);
}

std::optional<Fragment> Fragmenter::next(std::uint64_t max_bytes, MutableBytes head,
                                         MutableBytes tail) {
    FARLINK_INVARIANT(head.size() >= head_bound() && tail.size() >= tail_bound());
    if (done()) return std::nullopt;
    return view_.version == kBpVersion6 ? next_v6(max_bytes, head, tail)
                                        : next_v7(max_bytes, head, tail);
}

// parse() accepts blocks behind the payload only in one piece.
ByteView Fragmenter::trailing() const {
    ByteView octets;
    for_each_piece(slices_, view_.payload_offset + view_.payload_length, view_.size,
                   [&](ByteView piece) { octets = piece; });
    return octets;
}

FragmentPlace Fragmenter::place() const {
    return {.offset = (view_.is_fragment ? view_.fragment_offset : 0) + cut_,
            .total_adu_length = view_.is_fragment ? view_.total_adu_length : view_.payload_length,
            .first = first_};
}

Fragment Fragmenter::take(std::uint64_t payload_bytes, ByteView head, ByteView tail) {
    const std::uint64_t from = view_.payload_offset + cut_;
    cut_ += payload_bytes;
    first_ = false;
    return {head, tail, from, from + payload_bytes, head.size() + payload_bytes + tail.size()};
}

std::optional<Fragment> Fragmenter::next_v7(std::uint64_t max_bytes, MutableBytes head,
                                            MutableBytes tail) {
    const std::uint64_t left = view_.payload_length - cut_;
    std::uint8_t *const blocks_end =
        v7::write_fragment_blocks(head.data(), head_, view_.primary_end, place());
    const std::uint64_t used = written(head, blocks_end).size() +
                               v7::payload_head_size(payload_v7_, std::min(left, max_bytes)) +
                               v7::payload_tail_size(payload_v7_);
    if (first_ && share_of(room_within(max_bytes, used + kLaterGrowth), left) == 0)
        return std::nullopt;
    std::uint64_t bytes = share_of(room_within(max_bytes, used), left);
    if (bytes == 0) return std::nullopt;
    // RFC 9171 section 5.8: no fragment has all of the payload, even if the bundle's own encoding
    // is longer than a fragment's.
    if (bytes == view_.payload_length) --bytes;
    std::uint8_t *const head_end = v7::write_payload_head(blocks_end, payload_v7_, bytes);
    const std::uint64_t from = view_.payload_offset + cut_;
    std::uint8_t *const tail_end = v7::write_payload_tail(
        tail.data(), payload_v7_, {blocks_end, head_end}, slices_, from, from + bytes);
    return take(bytes, written(head, head_end), written(tail, tail_end));
}

// RFC 5050 section 5.8: the blocks behind the payload go with the last fragment.
std::optional<Fragment> Fragmenter::next_v6(std::uint64_t max_bytes, MutableBytes head,
                                            MutableBytes tail) {
    const std::uint64_t left = view_.payload_length - cut_;
    std::uint8_t *const blocks_end =
        v6::write_fragment_blocks(head.data(), head_, view_.primary_end, place());
    const std::uint64_t used = written(head, blocks_end).size() +
                               v6::payload_head_size(payload_head_, std::min(left, max_bytes));
    const ByteView behind = trailing();
    const std::uint64_t last_used = used + behind.size();
    // Otherwise the last fragment would be too large.
    if (first_ && share_of(room_within(max_bytes, last_used + kLaterGrowth), left) == 0)
        return std::nullopt;
    std::uint64_t bytes = share_of(room_within(max_bytes, last_used), left);
    if (bytes == left && bytes < view_.payload_length) {
        std::uint8_t *const end =
            v6::write_payload_head(blocks_end, payload_head_, bytes, behind.empty());
        return take(bytes, written(head, end), behind);
    }
    const ByteView replicated = written(tail, v6::write_replicated(tail.data(), behind));
    bytes = share_of(room_within(max_bytes, used + replicated.size()), left);
    if (bytes == 0) return std::nullopt;
    if (bytes == left) --bytes;  // the last fragment has payload, too
    if (bytes == 0) return std::nullopt;
    std::uint8_t *const end =
        v6::write_payload_head(blocks_end, payload_head_, bytes, replicated.empty());
    return take(bytes, written(head, end), replicated);
}

}  // namespace farlink::bp
