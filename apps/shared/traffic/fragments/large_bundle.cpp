// SPDX-License-Identifier: Apache-2.0
#include "apps/shared/traffic/fragments/large_bundle.hpp"

#include <algorithm>
#include <array>

#include "common/bp/base/slices.hpp"

namespace farlink::traffic {

void LargeBundle::add(std::span<const ByteView> piece) {
    if (taken_ == 0) begin(piece);
    if (keeps_)
        for (const ByteView slice : piece) append(kept_, slice);
    else
        check(piece);
    taken_ += bp::total_size(piece);
}

void LargeBundle::begin(std::span<const ByteView> first) {
    Bytes joined;
    ByteView whole;
    auto view = bundle_.begin(first);
    if (!view && view.error() == bp::ParseError::kHeadNotContiguous) {
        for (const ByteView slice : first) append(joined, slice);
        whole = joined;
        view = bundle_.begin({&whole, 1});
    }
    keeps_ = !view || view->is_fragment;
    if (keeps_) return;
    view_ = *view;
    if (view_.payload_offset + PayloadHeader::kBytes > bp::total_size(first)) return;
    std::array<std::uint8_t, PayloadHeader::kBytes> room;
    header_ =
        PayloadHeader::read(bp::peek(first, view_.payload_offset, room), view_.payload_length);
    if (header_) pattern_.emplace(header_->seed);
}

void LargeBundle::check(std::span<const ByteView> piece) {
    if (!error_)
        if (const auto added = bundle_.add(piece); !added) error_ = added.error();
    if (!pattern_) return;
    const std::uint64_t begin = view_.payload_offset + PayloadHeader::kBytes;
    const std::uint64_t end = view_.payload_offset + view_.payload_length;
    const std::uint64_t from = std::max(taken_, begin);
    if (from >= end) return;
    std::uint64_t offset = from - begin;
    bp::for_each_piece(piece, from - taken_, end - taken_, [&](ByteView part) {
        matches_ = matches_ && pattern_->matches(part, offset);
        offset += part.size();
    });
}

Result<bp::BundleView, bp::ParseError> LargeBundle::finish() {
    if (!error_)
        if (const auto whole = bundle_.finish(); !whole) error_ = whole.error();
    if (error_) return fail(*error_);
    return view_;
}

}  // namespace farlink::traffic
