// SPDX-License-Identifier: Apache-2.0
#include "cla/tcpcl/v3/core/sender.hpp"

#include <algorithm>
#include <array>

namespace farlink::cla::tcpclv3 {
namespace {

constexpr std::size_t kUnlimited = ~std::size_t{0};

Refusal refusal_of(RefusalCode code) {
    switch (code) {
        case RefusalCode::kCompleted:
            return Refusal::kCompleted;
        case RefusalCode::kNoResources:
            return Refusal::kNoResources;
        case RefusalCode::kRetransmit:
            return Refusal::kRetransmit;
        case RefusalCode::kUnknown:
            break;
    }
    return Refusal::kUnknown;
}

}  // namespace

Sender::Sender(const SessionConfig &config, TxQueue &queue, Events &events)
    : max_segment_(config.max_segment > 0 ? config.max_segment : ~std::uint64_t{0}),
      max_unsent_(config.max_unsent),
      max_transfers_(config.max_transfers > 0 ? config.max_transfers : kUnlimited),
      queue_(queue),
      events_(events) {}

void Sender::handle_send(std::span<const TxBundle> bundles) {
    if (finishing_) return;
    for (const TxBundle &bundle : bundles) {
        const bool small = bundle.size <= std::min<std::uint64_t>(kCopyBytes, max_segment_);
        if (small && bundle.rest.empty() && backlog_.empty() && may_begin()) {
            frame_small(bundle);
        } else {
            backlog_.push(bundle);
            fill();
        }
    }
}

bool Sender::may_begin() const {
    return !clearing_ && transfers_.size() < max_transfers_ && queue_.pending() < max_unsent_;
}

bool Sender::may_continue() const {
    return transfers_[transfers_.size() - 1].end <= queue_.written_offset();
}

void Sender::fill() {
    while (!backlog_.empty() && (front_begun_ ? may_continue() : may_begin())) {
        const TxBundle bundle = backlog_.front();
        if (!front_begun_) transfers_.push_back({.token = bundle.token, .size = bundle.size});
        Transfer &transfer = transfers_.back();
        frame_run(bundle, transfer);
        front_begun_ = transfer.framed < transfer.size;
        if (!front_begun_) backlog_.pop();
    }
}

void Sender::frame_small(const TxBundle &bundle) {
    const std::uint64_t begin = queue_.queued_offset();
    std::uint8_t *const head = queue_.reserve(kMaxHeadBytes + bundle.size).data();
    std::uint8_t *out =
        head + encode_head(MessageType::kDataSegment, kSegmentFlags, bundle.size, head);
    // std::ranges::copy would go octet by octet here.
    out = std::copy(bundle.head.begin(), bundle.head.end(), out);
    out = std::copy(bundle.body.begin(), bundle.body.end(), out);
    queue_.commit(static_cast<std::size_t>(out - head));
    transfers_.push_back({.token = bundle.token,
                          .size = bundle.size,
                          .framed = bundle.size,
                          .begin = begin,
                          .end = queue_.queued_offset()});
}

// As many segments as the queue has room for, at least one. What is left waits, so that answers to
// the peer never stand behind more than the queue's limit.
void Sender::frame_run(const TxBundle &bundle, Transfer &transfer) {
    transfer.run_from = transfer.framed;
    transfer.begin = queue_.queued_offset();
    std::array<std::uint8_t, kMaxHeadBytes> head;
    if (announces_length(transfer)) {
        const auto size = encode_head(MessageType::kLength, 0, bundle.size, head.data());
        queue_.copy(ByteView(head).first(size));
    }
    do {
        const std::uint64_t octets = segment_at(transfer, transfer.framed);
        std::uint8_t flags = transfer.framed == 0 ? kStartFlag : 0;
        if (transfer.framed + octets == transfer.size) flags |= kEndFlag;
        const auto size = encode_head(MessageType::kDataSegment, flags, octets, head.data());
        queue_.copy(ByteView(head).first(size));
        queue_octets(bundle, transfer.framed, octets);
        transfer.framed += octets;
    } while (transfer.framed < transfer.size && queue_.pending() < max_unsent_);
    transfer.end = queue_.queued_offset();
}

void Sender::queue_octets(const TxBundle &bundle, std::uint64_t from, std::uint64_t size) {
    const auto part_of = [&](ByteView piece) {
        const auto skipped = std::min<std::uint64_t>(from, piece.size());
        const auto taken = std::min<std::uint64_t>(size, piece.size() - skipped);
        from -= skipped;
        size -= taken;
        return piece.subspan(skipped, taken);
    };
    queue_.copy(part_of(bundle.head));
    queue_.reference(part_of(bundle.body));
    for (const ByteView piece : bundle.rest) {
        if (size == 0) break;
        queue_.reference(part_of(piece));
    }
}

std::uint64_t Sender::segment_at(const Transfer &transfer, std::uint64_t from) const {
    return std::min(max_segment_, transfer.size - from);
}

std::uint64_t Sender::segments(std::uint64_t octets) const {
    return octets / max_segment_ + (octets % max_segment_ > 0 ? 1 : 0);
}

/// Section 5.5: a single segment has the length of the bundle itself.
bool Sender::announces_length(const Transfer &transfer) const {
    return terms_.length && transfer.run_from == 0 && transfer.size > max_segment_;
}

Sender::Boundary Sender::boundary(const Transfer &transfer) const {
    const std::uint64_t written = queue_.written_offset();
    if (transfer.end <= written) return {transfer.end, transfer.framed};
    Boundary at{transfer.begin, transfer.run_from};
    if (at.offset < written && announces_length(transfer))
        at.offset += 1 + codec::sdnv_size(transfer.size);
    while (at.offset < written && at.octets < transfer.framed) {
        const std::uint64_t octets = segment_at(transfer, at.octets);
        at.offset += 1 + codec::sdnv_size(octets) + octets;
        at.octets += octets;
    }
    return at;
}

void Sender::handle_written() {
    drop_written();
    fill();
}

// Without acknowledgements a bundle is done when its last octet is written: the peer's kernel may
// have it, the peer may not. A refused one is done when nothing of it is left to be written.
void Sender::drop_written() {
    const std::uint64_t written = queue_.written_offset();
    while (!transfers_.empty()) {
        const Transfer &front = transfers_.front();
        const bool answered = front.refused || !terms_.acknowledgements;
        if (!answered || front.end > written || (front.framed < front.size && !front.refused))
            return;
        complete_front();
    }
}

void Sender::complete_front() {
    done_ = transfers_.pop_front().token + 1;
    if (transfers_.empty()) clearing_ = false;
}

// Section 5.3: "cumulative length in bytes of the received segment(s) of the current bundle", which
// is the oldest one that is not answered to its end.
LinkFault Sender::handle_acknowledgement(std::uint64_t length) {
    if (!terms_.acknowledgements)
        return events_.tolerates(ProtocolDeviation::kAckBeyondSent) ? LinkFault::kNone
                                                                    : LinkFault::kProtocolError;
    if (transfers_.empty()) return LinkFault::kProtocolError;
    Transfer &front = transfers_.front();
    if (length > front.size) {
        if (!events_.tolerates(ProtocolDeviation::kAckBeyondSent)) return LinkFault::kProtocolError;
        length = front.size;
    }
    // What is not written cannot have been received, and is still needed.
    if (front.refused || length <= front.acknowledged || length > boundary(front).octets ||
        (length == front.size && front.end > queue_.written_offset()))
        return LinkFault::kProtocolError;
    front.acknowledged = length;
    crossed_ = 0;
    ++answers_read_;
    if (length < front.size) return LinkFault::kNone;
    if (front.token < doubtful_) events_.refused(front.token, Refusal::kRetransmit);
    complete_front();
    return LinkFault::kNone;
}

// Section 5.4: a refusal names no bundle. Its place among the answers does: "The receiver MUST, for
// each bundle preceding the one to be refused, have either acknowledged all DATA_SEGMENTs or
// refused the bundle", so it is for the oldest bundle that is not answered to its end, however many
// are behind it on the wire.
//
// Segments of that bundle that had left before the refusal came "SHOULD also be refused": one more
// answer for each, which is what farlink and the peers that count segments send. A peer that sends
// one refusal for a bundle and no more would, with the next refusal, mean the next bundle. The two
// cannot be told apart while other bundles are on the way. Nothing may be lost by that: bundles
// that were on the way then are sent again even if they seem to be acknowledged, and no other one
// begins until all are answered. With the first kind of peer that is soon; with the second the
// count does not come out, and the acknowledgement limit ends the session.
LinkFault Sender::handle_refusal(std::uint8_t code) {
    if (!terms_.refusal) return LinkFault::kProtocolError;
    if (crossed_ > 0) {
        --crossed_;
        ++answers_read_;
        if (!transfers_.empty() && !transfers_.back().refused) {
            doubtful_ = transfers_.back().token + 1;
            clearing_ = true;
        }
        return LinkFault::kNone;
    }
    if (transfers_.empty() || transfers_.front().refused || !begun(transfers_.front()))
        return LinkFault::kProtocolError;
    if (code > static_cast<std::uint8_t>(RefusalCode::kRetransmit)) {
        if (!events_.tolerates(ProtocolDeviation::kUnknownRefusalReason))
            return LinkFault::kProtocolError;
        code = static_cast<std::uint8_t>(RefusalCode::kUnknown);
    }
    Transfer &front = transfers_.front();
    const Boundary begun = boundary(front);
    // "The sender MUST complete the transmission of any partially sent DATA_SEGMENT message" and
    // "MUST NOT commence transmission of any further segments".
    const std::uint64_t answered = segments(front.acknowledged);
    const std::uint64_t sent = segments(begun.octets);
    crossed_ = sent > answered ? sent - answered - 1 : 0;
    front.refused = true;
    cut(0, begun.offset);
    ++answers_read_;
    events_.refused(front.token, refusal_of(static_cast<RefusalCode>(code)));
    drop_written();
    return LinkFault::kNone;
}

/// Takes what is queued of a transfer from stream offset `begin` on out of the queue, and what is
/// not queued out of the backlog.
void Sender::cut(std::size_t index, std::uint64_t begin) {
    Transfer &transfer = transfers_[index];
    if (begin < transfer.end) {
        const std::uint64_t shift = transfer.end - begin;
        queue_.erase(begin, transfer.end);
        transfer.end = begin;
        for (std::size_t i = index + 1; i < transfers_.size(); ++i) {
            transfers_[i].begin -= shift;
            transfers_[i].end -= shift;
        }
    }
    if (front_begun_ && index + 1 == transfers_.size()) {
        backlog_.pop();
        front_begun_ = false;
    }
}

void Sender::handle_answers_read() {
    fill();
    report();
}

void Sender::report() {
    if (done_ <= reported_) return;
    reported_ = done_;
    events_.transmitted(done_);
}

bool Sender::begun(const Transfer &transfer) const {
    return transfer.run_from > 0 || transfer.begin < queue_.written_offset();
}

void Sender::finish() {
    finishing_ = true;
    while (!transfers_.empty() && !begun(transfers_.back())) {
        cut(transfers_.size() - 1, transfers_.back().begin);
        transfers_.pop_back();
    }
    while (backlog_.size() > (front_begun_ ? 1U : 0U)) backlog_.pop_back();
    if (transfers_.empty()) clearing_ = false;
}

bool Sender::withdraw() {
    finishing_ = true;
    bool at_boundary = true;
    const std::uint64_t written = queue_.written_offset();
    for (std::size_t i = transfers_.size(); i-- > 0 && transfers_[i].end > written;) {
        const Transfer &transfer = transfers_[i];
        at_boundary = transfer.begin >= written || boundary(transfer).offset == written;
        cut(i, std::max(transfer.begin, written));
    }
    transfers_.clear();
    backlog_.clear();
    front_begun_ = false;
    return at_boundary;
}

std::uint64_t Sender::credit() const {
    if (finishing_ || clearing_ || transfers_.size() + backlog_.size() >= max_transfers_) return 0;
    const std::uint64_t used = queue_.pending() + backlog_.bytes();
    return used < max_unsent_ ? max_unsent_ - used : 0;
}

std::uint64_t Sender::progress() const {
    // What is written counts only as long as the oldest bundle is not written to its end.
    std::uint64_t written = 0;
    if (!transfers_.empty()) {
        const Transfer &front = transfers_.front();
        written = front.framed < front.size ? queue_.written_offset()
                                            : std::min(queue_.written_offset(), front.end);
    }
    return answers_read_ + written;
}

}  // namespace farlink::cla::tcpclv3
