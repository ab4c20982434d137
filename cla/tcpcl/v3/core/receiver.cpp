// SPDX-License-Identifier: Apache-2.0
#include "cla/tcpcl/v3/core/receiver.hpp"

#include <algorithm>
#include <utility>

#include "common/base/invariant.hpp"
#include "common/buffer/stream_reader.hpp"

namespace farlink::cla::tcpclv3 {
namespace {

constexpr bool starts(const MessageHead &head) {
    return (head.flags & kStartFlag) != 0;
}
constexpr bool ends(const MessageHead &head) {
    return (head.flags & kEndFlag) != 0;
}

}  // namespace

void Receiver::transition(State to) {
    const bool allowed = (to == State::kOpen && state_ != State::kOpen) ||
                         (to == State::kRefused && state_ != State::kNone) ||
                         (to == State::kNone && state_ != State::kNone);
    FARLINK_INVARIANT(allowed);
    state_ = to;
}

LinkFault Receiver::handle_segment(const MessageHead &head, ByteView rest, const Reading &reading,
                                   std::size_t &used) {
    used = 0;
    if (const LinkFault fault = check_order(head); fault != LinkFault::kNone) return fault;
    if ((head.flags & ~kSegmentFlags) != 0 && !events_.tolerates(ProtocolDeviation::kReservedFlags))
        return LinkFault::kProtocolError;
    const ByteView data = rest.subspan(head.size);
    const LinkFault reason = reason_to_refuse(head, reading);
    if (reason == LinkFault::kNone) {
        const bool whole = data.size() >= head.number;
        if (!whole && rest.size() <= StreamReader::kCarryBytes) return LinkFault::kNone;
        if (whole && starts(head) && ends(head) && head.number > 0) {
            used = head.size + head.number;
            deliver_whole(data.first(head.number), reading);
            return LinkFault::kNone;
        }
        begin_segment(head);
    } else {
        if (!ack_queue_.can_refuse()) return reason;
        begin_segment(head);
        refuse_bundle(reason, reading);
    }
    const auto fault = missing_ > 0 ? handle_more(data, reading, used) : end_segment(reading);
    used += head.size;
    return fault;
}

// The usual case: a bundle in one segment, all of it here.
void Receiver::deliver_whole(ByteView bundle, const Reading &reading) {
    reading.out.add(*reading.slab, bundle);
    if (state_ == State::kRefused) transition(State::kNone);
    announced_.reset();
    ++delivered_;
    ack_queue_.handle_delivered(bundle.size());
}

// Section 5.2: segments of one bundle follow each other until one has the END flag. Only a
// refusal excuses the peer from that (section 5.4).
LinkFault Receiver::check_order(const MessageHead &head) const {
    if (starts(head) ? state_ == State::kOpen : state_ == State::kNone)
        return LinkFault::kProtocolError;
    const std::uint64_t before = received_before(head);
    if (head.number > ~std::uint64_t{0} - before) return LinkFault::kProtocolError;
    // Section 5.5: what the peer announced is what the bundle has.
    const std::uint64_t after = before + head.number;
    const std::uint64_t length = length_of(head).value_or(after);
    const bool wrong = ends(head) ? after != length : after > length;
    return wrong ? LinkFault::kProtocolError : LinkFault::kNone;
}

const std::optional<std::uint64_t> &Receiver::length_of(const MessageHead &head) const {
    return starts(head) ? announced_ : length_;
}

std::uint64_t Receiver::received_before(const MessageHead &head) const {
    return starts(head) ? 0 : received_;
}

// Names what ends a session that has no refusals.
LinkFault Receiver::reason_to_refuse(const MessageHead &head, const Reading &reading) const {
    if (state_ == State::kRefused && !starts(head)) return LinkFault::kNoRoom;
    const std::uint64_t after = received_before(head) + head.number;
    if (after > transfer_mru_ || length_of(head).value_or(0) > transfer_mru_)
        return LinkFault::kFrameTooLarge;
    if (reading.slab == nullptr) return LinkFault::kNoRoom;
    if (spools()) return LinkFault::kNone;
    if (ack_queue_.overfull()) return LinkFault::kNoRoom;
    const std::uint64_t in_memory = std::min(after, reading.buffer.spool_above());
    // One bundle may always come while the host is not paused, however large it is.
    const bool limited = paused_ || (always_limited_ && ack_queue_.unacknowledged_bytes() > 0);
    if (limited && ack_queue_.awaits_disposition() &&
        ack_queue_.unacknowledged_bytes() + AckQueue::cost(in_memory) > max_unacknowledged_)
        return LinkFault::kNoRoom;
    if (closing_ && starts(head) && ack_queue_.can_refuse()) return LinkFault::kNoRoom;
    return LinkFault::kNone;
}

// One answer for each segment: those of a refused bundle that were on their way are refused too
// (section 5.4). A LENGTH message alone is not answered, although it might be (section 5.5): the
// segment that follows it at once is, before its data, and so the peer can count.
void Receiver::refuse_bundle(LinkFault reason, const Reading &reading) {
    if (state_ == State::kOpen && reason == LinkFault::kNoRoom && !closing_) ++refused_;
    assembly_.break_off(reading.out);
    reading.buffer.finished(session_);
    transition(State::kRefused);
    ack_queue_.handle_refused(RefusalCode::kNoResources);
}

void Receiver::begin_segment(const MessageHead &head) {
    if (starts(head)) {
        transition(State::kOpen);
        received_ = 0;
        spooled_ = false;
        length_ = std::exchange(announced_, std::nullopt);
    }
    received_ += head.number;
    missing_ = head.number;
    last_segment_ = ends(head);
}

LinkFault Receiver::handle_more(ByteView rest, const Reading &reading, std::size_t &used) {
    used = static_cast<std::size_t>(std::min<std::uint64_t>(missing_, rest.size()));
    if (state_ == State::kOpen && reading.slab == nullptr) {
        // The memory has run out in the middle of a segment, which has no answer yet.
        if (!ack_queue_.can_refuse()) return LinkFault::kNoRoom;
        refuse_bundle(LinkFault::kNoRoom, reading);
    }
    if (state_ == State::kOpen) take(rest.first(used), reading);
    missing_ -= used;
    return missing_ > 0 ? LinkFault::kNone : end_segment(reading);
}

// After a piece another session may be the one that exceeds the memory.
void Receiver::take(ByteView octets, const Reading &reading) {
    const std::size_t delivered = reading.out.bundles.size();
    assembly_.add(*reading.slab, octets, reading.buffer.spool_above(), reading.out);
    spooled_ = assembly_.in_pieces();
    if (reading.out.bundles.size() > delivered) reading.buffer.finished(session_);
}

LinkFault Receiver::end_segment(const Reading &reading) {
    if (state_ == State::kRefused) {
        if (last_segment_) transition(State::kNone);
        return LinkFault::kNone;
    }
    if (!last_segment_) {
        ack_queue_.acknowledge(received_);
        return LinkFault::kNone;
    }
    transition(State::kNone);
    reading.buffer.finished(session_);
    if (assembly_.empty()) return deliver_empty();
    assembly_.emit(reading.out);
    ++delivered_;
    ack_queue_.handle_delivered(received_, spooled_);
    return LinkFault::kNone;
}

// An empty transfer needs no disposition.
LinkFault Receiver::deliver_empty() {
    if (!events_.tolerates(ProtocolDeviation::kEmptyTransfer)) return LinkFault::kProtocolError;
    ack_queue_.acknowledge(0);
    return LinkFault::kNone;
}

// Section 5.5: only right before the start of a bundle, which may follow a refused one.
LinkFault Receiver::handle_length(std::uint64_t length) {
    if (state_ != State::kOpen) {
        announced_ = length;
        return LinkFault::kNone;
    }
    if (length < received_ || !events_.tolerates(ProtocolDeviation::kLengthAfterStart))
        return LinkFault::kProtocolError;
    length_ = length;
    return LinkFault::kNone;
}

void Receiver::forget() {
    assembly_.clear();
    if (state_ != State::kNone) transition(State::kNone);
    missing_ = 0;
}

}  // namespace farlink::cla::tcpclv3
