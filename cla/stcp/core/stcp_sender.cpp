// SPDX-License-Identifier: Apache-2.0
#include "cla/stcp/core/stcp_sender.hpp"

#include <algorithm>
#include <array>

#include "common/base/invariant.hpp"

namespace farlink::cla::stcp {

void StcpSender::restart() {
    queue_.clear();
    marks_.clear();
    acknowledged_ = 0;
    left_ = 0;
}

void StcpSender::handle_send(std::span<const TxBundle> bundles) {
    for (const TxBundle &bundle : bundles) {
        const bool in_pieces = left_ > 0 || bundle.left > 0;
        if (!bundle.is_further_piece) frame_begin_ = queue_.queued_offset();
        if (bundle.rest.empty() && bundle.size <= kCopyBytes && !in_pieces)
            frame_small(bundle);
        else
            frame_large(bundle);
        marks_.push_back({frame_begin_, queue_.queued_offset(), bundle.token + 1});
    }
}

void StcpSender::frame_small(const TxBundle &bundle) {
    std::uint8_t *const begin = queue_.reserve(kMaxFrameHeadBytes + bundle.size).data();
    std::uint8_t *out = begin + encode_frame_head(framing_, bundle.size, begin);
    // std::ranges::copy would go octet by octet here.
    out = std::copy(bundle.head.begin(), bundle.head.end(), out);
    out = std::copy(bundle.body.begin(), bundle.body.end(), out);
    queue_.commit(static_cast<std::size_t>(out - begin));
}

void StcpSender::queue_head(std::uint64_t length) {
    std::array<std::uint8_t, kMaxFrameHeadBytes> head;
    const std::size_t size = encode_frame_head(framing_, length, head.data());
    queue_.copy(ByteView(head).first(size));
}

void StcpSender::frame_large(const TxBundle &bundle) {
    if (bundle.is_further_piece)
        FARLINK_INVARIANT(bundle.size + bundle.left == left_);
    else
        queue_head(bundle.size + bundle.left);
    left_ = bundle.left;
    queue_.copy(bundle.head);
    queue_.reference(bundle.body);
    for (const ByteView piece : bundle.rest) queue_.reference(piece);
}

void StcpSender::handle_keep_alive_due() {
    if (queue_.pending() > 0 || inside_bundle()) return;
    const std::uint64_t begin = queue_.queued_offset();
    queue_head(0);
    marks_.push_back(
        {begin, queue_.queued_offset(), marks_.empty() ? safe_token_ : marks_.back().safe_below});
}

std::uint64_t StcpSender::handle_acknowledged(std::uint64_t offset) {
    acknowledged_ = offset;
    while (!marks_.empty() && marks_.front().end <= offset)
        safe_token_ = marks_.pop_front().safe_below;
    return safe_token_;
}

void StcpSender::finish() {
    const std::uint64_t written = queue_.written_offset();
    while (!marks_.empty() && marks_.back().begin >= written) marks_.pop_back();
    const bool begun = !marks_.empty() && marks_.back().end > written;
    queue_.truncate(begun ? marks_.back().end : written);
}

}  // namespace farlink::cla::stcp
