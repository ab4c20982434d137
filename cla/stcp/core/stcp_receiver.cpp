// SPDX-License-Identifier: Apache-2.0
#include "cla/stcp/core/stcp_receiver.hpp"

#include <algorithm>

namespace farlink::cla::stcp {

MutableBytes StcpReceiver::prepare(ReadBuffer &buffer) {
    // What is handed back holds no slab, so only a bundle that has begun may have to be finished.
    return reader_.prepare(buffer, missing_ > 0 ? session_ : kNoUpstream);
}

StcpFault StcpReceiver::handle_bytes(std::size_t size, ReadBuffer &buffer, ReceivedBundles &out) {
    ByteView fresh = reader_.take(size, buffer);
    const SlabRef &slab = buffer.slab();
    if (missing_ > 0) fresh = continue_bundle(fresh, buffer, out);

    while (!fresh.empty()) {
        const auto head = decode_frame_head(framing_, fresh);
        if (!begun_ && looks_like_tcpcl(fresh, max_bundle_bytes_))
            return StcpFault::kLooksLikeTcpcl;
        const Beginning first = begun_ ? Beginning::kFrame : judge_beginning(framing_, fresh);
        if (first == Beginning::kOtherFraming) return StcpFault::kOtherFraming;
        if (first == Beginning::kUndecided) break;
        if (!head && head.error() == FrameError::kNotAFrame) return StcpFault::kNotAFrame;
        if (!head) break;
        const ByteView body = fresh.subspan(head->size);
        begun_ = begun_ || !body.empty() || head->length == 0;
        if (head->length == 0) {
            ++keep_alives_;
            fresh = body;
            continue;
        }
        if (head->length > max_bundle_bytes_) return StcpFault::kFrameTooLarge;
        if (body.size() >= head->length) {
            out.add(slab, body.first(head->length));
            fresh = body.subspan(head->length);
            continue;
        }
        if (fresh.size() <= StreamReader::kCarryBytes) break;
        missing_ = head->length - body.size();
        assembly_.add(slab, body, buffer.spool_above(), out);
        return StcpFault::kNone;
    }
    reader_.hand_back(fresh);
    return StcpFault::kNone;
}

ByteView StcpReceiver::continue_bundle(ByteView fresh, ReadBuffer &buffer, ReceivedBundles &out) {
    const auto taken = static_cast<std::size_t>(std::min<std::uint64_t>(missing_, fresh.size()));
    const std::size_t delivered = out.bundles.size();
    assembly_.add(buffer.slab(), fresh.first(taken), buffer.spool_above(), out);
    missing_ -= taken;
    if (missing_ == 0) assembly_.emit(out);
    // After a piece another session may be the one that exceeds the memory.
    if (out.bundles.size() > delivered) buffer.finished(session_);
    return fresh.subspan(taken);
}

}  // namespace farlink::cla::stcp
