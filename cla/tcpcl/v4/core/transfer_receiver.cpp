// SPDX-License-Identifier: Apache-2.0
#include "cla/tcpcl/v4/core/transfer_receiver.hpp"

#include <algorithm>

#include "common/base/invariant.hpp"

namespace farlink::cla::tcpclv4 {

void TransferReceiver::transition(State to) {
    FARLINK_INVARIANT(to != State::kTaking || state_ != State::kTaking);
    state_ = to;
}

void TransferReceiver::forget() {
    assembly_.clear();
    missing_ = 0;
    transition(State::kBetween);
}

Parsed TransferReceiver::handle_segments(ByteView &fresh, const SlabRef &slab,
                                         ReceivedBundles &received) {
    constexpr auto kType = static_cast<std::uint8_t>(MessageType::kXferSegment);
    while (!fresh.empty() && fresh[0] == kType) {
        const auto segment = decode_segment(fresh);
        if (!segment && segment.error() == DecodeError::kIncomplete) return Parsed::kIncomplete;
        if (!segment) {
            out_.reject(RejectReason::kUnsupported, MessageType::kXferSegment);
            return Parsed::kFault;
        }
        const std::size_t head = segment->head_bytes();
        // A small one that is not all here is waited for, to find it in one piece.
        if (fresh.size() <= kMaxHeadBytes && segment->data_bytes > fresh.size() - head)
            return Parsed::kIncomplete;
        if (!begin_segment(*segment, static_cast<bool>(slab), received)) return Parsed::kFault;
        fresh = fresh.subspan(head);
        continue_segment(fresh, slab, received);
        if (missing_ > 0) break;
    }
    return Parsed::kDone;
}

void TransferReceiver::continue_segment(ByteView &fresh, const SlabRef &slab,
                                        ReceivedBundles &received) {
    const auto part = static_cast<std::size_t>(std::min<std::uint64_t>(missing_, fresh.size()));
    const ByteView data = fresh.first(part);
    fresh = fresh.subspan(part);
    missing_ -= part;
    if (state_ == State::kTaking && !slab && part > 0) refuse(Refusal::kNoResources, received);
    if (state_ == State::kTaking) {
        const bool whole = missing_ == 0 && segment_.ends();
        if (whole && assembly_.empty()) {
            if (!data.empty()) received.add(slab, data);
        } else {
            assembly_.add(slab, data, spool_above_, received);
            spooled_ = assembly_.in_pieces();
            if (whole) assembly_.emit(received);
        }
    }
    if (missing_ == 0) finish_segment();
}

bool TransferReceiver::begin_segment(const Segment &segment, bool has_memory,
                                     ReceivedBundles &received) {
    segment_ = segment;
    missing_ = segment.data_bytes;
    stray_ = false;
    if (segment.starts()) {
        if (!begin_transfer(segment, received)) return false;
    } else if (state_ == State::kBetween || segment.id != transfer_id_) {
        // Never interleaved (RFC 9174 section 5.2); without its start it is only unexpected
        // (5.1.2).
        if (state_ == State::kTaking) return reject(RejectReason::kUnexpected);
        stray_ = true;
        out_.reject(RejectReason::kUnexpected, MessageType::kXferSegment);
    } else if (state_ == State::kSkipping) {
        ack_queue_.handle_refused_again();
    }
    if (state_ != State::kTaking) return true;
    if ((segment.flags & ~(kSegmentStart | kSegmentEnd)) != 0)
        deviations_.note(ProtocolDeviation::kReservedFlags);
    if (segment.data_bytes > limits_.segment_mru &&
        !deviations_.allow(ProtocolDeviation::kSegmentAboveMru))
        return reject(RejectReason::kUnsupported);
    if (const auto reason = refusal_of(segment))
        refuse(*reason, received);
    else if (!has_memory && segment.data_bytes > 0)
        refuse(Refusal::kNoResources, received);
    else if (segment.ends() && taken_ + segment.data_bytes == 0 &&
             !deviations_.allow(ProtocolDeviation::kEmptyTransfer))
        return reject(RejectReason::kUnsupported);
    return true;
}

bool TransferReceiver::begin_transfer(const Segment &segment, ReceivedBundles &received) {
    if (state_ == State::kTaking) return reject(RejectReason::kUnexpected);
    ++begun_;
    transfer_id_ = segment.id;
    taken_ = 0;
    spooled_ = false;
    announced_.reset();
    transition(State::kTaking);
    if (const auto reason = refusal_at_start(segment)) refuse(*reason, received);
    return true;
}

std::optional<Refusal> TransferReceiver::refusal_at_start(const Segment &segment) {
    if (ending_) return Refusal::kSessionTerminating;  // RFC 9174 section 6.1
    if (!segment.items.empty())
        if (const auto reason = read_items(segment)) return reason;
    if (segment.ends() && announced_) deviations_.note(ProtocolDeviation::kUnwantedTransferLength);
    if (!segment.ends() && !announced_) deviations_.note(ProtocolDeviation::kMissingTransferLength);
    if (announced_.value_or(0) > limits_.transfer_mru) return Refusal::kNotAcceptable;
    if (exceeds_unacknowledged(segment)) return Refusal::kNoResources;
    return std::nullopt;
}

// One bundle may always come while the host is not paused, however large it is.
bool TransferReceiver::exceeds_unacknowledged(const Segment &segment) const {
    const std::uint64_t unacknowledged = ack_queue_.unacknowledged_bytes();
    if (!paused_ && !(limits_.always_limited && unacknowledged > 0)) return false;
    // More of it is never in memory.
    const std::uint64_t bytes =
        std::min(spool_above_, std::max(segment.data_bytes, announced_.value_or(0)));
    return unacknowledged > limits_.max_unacknowledged ||
           bytes > limits_.max_unacknowledged - unacknowledged;
}

/// RFC 9174 sections 5.2.5 and 5.2.5.1.
std::optional<Refusal> TransferReceiver::read_items(const Segment &segment) {
    ItemReader items(segment.items);
    while (const auto item = items.next()) {
        if ((item->flags & ~kCritical) != 0) deviations_.note(ProtocolDeviation::kReservedFlags);
        if (item->type == kTransferLengthType) {
            if (announced_ || item->value.size() != sizeof(std::uint64_t))
                return Refusal::kExtensionFailure;
            announced_ = load_be<std::uint64_t>(item->value.data());
        } else if (item->is_critical()) {
            return Refusal::kExtensionFailure;
        }
    }
    if (items.is_malformed()) return Refusal::kExtensionFailure;
    return std::nullopt;
}

/// Against the transfer MRU (section 4.6), and the length that binds its sender (section 5.2.5.1).
std::optional<Refusal> TransferReceiver::refusal_of(const Segment &segment) const {
    const std::uint64_t limit = announced_.value_or(limits_.transfer_mru);
    if (segment.data_bytes > limit - taken_) return Refusal::kNotAcceptable;
    if (segment.ends() && announced_ && taken_ + segment.data_bytes != *announced_)
        return Refusal::kNotAcceptable;
    return std::nullopt;
}

void TransferReceiver::refuse(Refusal reason, ReceivedBundles &received) {
    assembly_.break_off(received);
    transition(State::kSkipping);
    if (limits_.disconnect_without_room && reason == Refusal::kNoResources) {
        must_disconnect_ = true;
        return;
    }
    if (reason == Refusal::kNoResources) ++refused_;
    ack_queue_.handle_refused(transfer_id_, reason);
}

void TransferReceiver::finish_segment() {
    if (stray_) return;
    if (state_ == State::kSkipping) {
        if (segment_.ends()) transition(State::kBetween);
        return;
    }
    taken_ += segment_.data_bytes;
    if (!segment_.ends()) {
        out_.send(Ack{segment_.flags, transfer_id_, taken_});
        return;
    }
    if (taken_ > 0)
        ack_queue_.handle_delivered(transfer_id_, taken_, segment_.flags, spooled_);
    else
        ack_queue_.handle_empty(transfer_id_, segment_.flags);
    transition(State::kBetween);
}

bool TransferReceiver::reject(RejectReason reason) {
    out_.reject(reason, MessageType::kXferSegment);
    missing_ = 0;
    return false;
}

}  // namespace farlink::cla::tcpclv4
