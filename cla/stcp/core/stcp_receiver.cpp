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

    while (fresh.size() >= kLengthBytes) {
        const auto length = load_be<std::uint32_t>(fresh.data());
        if (length == 0) {
            ++keep_alives_;
            fresh = fresh.subspan(kLengthBytes);
            continue;
        }
        if (length > max_bundle_bytes_) return StcpFault::kFrameTooLarge;
        if (fresh.size() - kLengthBytes < length) break;
        out.add(slab, fresh.subspan(kLengthBytes, length));
        fresh = fresh.subspan(kLengthBytes + length);
    }
    if (fresh.size() <= StreamReader::kCarryBytes) {
        reader_.hand_back(fresh);
    } else {
        missing_ = load_be<std::uint32_t>(fresh.data()) - (fresh.size() - kLengthBytes);
        assembly_.add(slab, fresh.subspan(kLengthBytes));
    }
    return StcpFault::kNone;
}

ByteView StcpReceiver::continue_bundle(ByteView fresh, ReadBuffer &buffer, ReceivedBundles &out) {
    const auto taken = static_cast<std::size_t>(std::min<std::uint64_t>(missing_, fresh.size()));
    assembly_.add(buffer.slab(), fresh.first(taken));
    missing_ -= taken;
    if (missing_ == 0) {
        buffer.finished(session_);
        assembly_.emit(out);
    }
    return fresh.subspan(taken);
}

}  // namespace farlink::cla::stcp
