// SPDX-License-Identifier: Apache-2.0
#include "cla/tcpcl/v3/core/sender.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "common/base/invariant.hpp"

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
    for (const TxBundle &bundle : bundles) {
        if (finishing_ && (!bundle.is_further_piece || left_ == 0)) return;
        if (left_ > 0 || bundle.left > 0) [[unlikely]]
            if (!take_piece(bundle)) continue;
        const bool small = bundle.size <= std::min<std::uint64_t>(kCopyBytes, max_segment_);
        if (small && bundle.rest.empty() && backlog_.empty() && may_begin() && bundle.left == 0 &&
            !bundle.is_further_piece) {
            frame_small(bundle);
        } else {
            backlog_.push(bundle);
            fill();
        }
    }
}

/// False: it is of a bundle that the peer has refused, and needs no place in the backlog.
bool Sender::take_piece(const TxBundle &piece) {
    if (!piece.is_further_piece) {
        begin_bundle(piece);
        return true;
    }
    FARLINK_INVARIANT(piece.size + piece.left == left_);
    left_ = piece.left;
    if (skips_) {
        if (unreported_) events_.refused(piece.token, *std::exchange(unreported_, std::nullopt));
        skip(piece.token);
        return false;
    }
    const Piece &before = last_piece_;
    last_piece_ = {before.bundle, piece.token, before.end, before.end + piece.size,
                   before.segments_before + segments(before.end - before.begin)};
    pieces_.push_back(last_piece_);
    return true;
}

void Sender::begin_bundle(const TxBundle &first) {
    FARLINK_INVARIANT(!inside_bundle());
    unreported_.reset();
    skips_ = false;
    left_ = first.left;
    if (left_ == 0) return;
    last_piece_ = {first.token, first.token, 0, first.size, 0};
    pieces_.push_back(last_piece_);
}

/// It is done when the bundle that it is of is, of which nothing more is sent.
void Sender::skip(std::uint64_t token) {
    if (transfers_.empty())
        done_ = token + 1;
    else
        pieces_.push_back({.bundle = transfers_.back().token, .token = token});
}

bool Sender::may_begin() const {
    return !clearing_ && transfers_.size() < max_transfers_ && queue_.pending() < max_unsent_;
}

bool Sender::may_continue() const {
    return transfers_[transfers_.size() - 1].end <= queue_.written_offset();
}

void Sender::fill() {
    while (!backlog_.empty()) {
        const bool goes_on = front_begun_ || backlog_.goes_on();
        if (!(goes_on ? may_continue() : may_begin())) return;
        const TxBundle bundle = backlog_.front();
        if (!goes_on) begin_transfer(bundle);
        Transfer &transfer = transfers_.back();
        if (goes_on && !front_begun_) transfer.here += bundle.size;
        frame_run(bundle, transfer);
        front_begun_ = transfer.framed < transfer.here;
        if (!front_begun_) backlog_.pop();
    }
}

void Sender::begin_transfer(const TxBundle &bundle) {
    transfers_.push_back({.token = bundle.token,
                          .size = bundle.size + bundle.left,
                          .here = bundle.size,
                          .in_pieces = bundle.left > 0});
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
                          .here = bundle.size,
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
        const auto size = encode_head(MessageType::kLength, 0, transfer.size, head.data());
        queue_.copy(ByteView(head).first(size));
    }
    do {
        const std::uint64_t octets = segment_at(transfer, transfer.framed);
        std::uint8_t flags = transfer.framed == 0 ? kStartFlag : 0;
        if (transfer.framed + octets == transfer.size) flags |= kEndFlag;
        const auto size = encode_head(MessageType::kDataSegment, flags, octets, head.data());
        queue_.copy(ByteView(head).first(size));
        queue_octets(bundle, transfer.framed - (transfer.here - bundle.size), octets);
        transfer.framed += octets;
    } while (transfer.framed < transfer.here && queue_.pending() < max_unsent_);
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
    return std::min(max_segment_, transfer.here - from);
}

std::uint64_t Sender::segments(std::uint64_t octets) const {
    return octets / max_segment_ + (octets % max_segment_ > 0 ? 1 : 0);
}

std::uint64_t Sender::segments(const Transfer &transfer, std::uint64_t octets) const {
    if (!transfer.in_pieces) return segments(octets);
    for (std::size_t i = 0; i < pieces_.size(); ++i) {
        const Piece &piece = pieces_[i];
        if (piece.bundle == transfer.token && octets <= piece.end)
            return piece.segments_before + segments(octets - piece.begin);
    }
    return last_piece_.segments_before + segments(last_piece_.end - last_piece_.begin);
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

/// Octets of the bundle that nothing in the queue refers to.
std::uint64_t Sender::written_of(const Transfer &transfer) const {
    return transfer.end <= queue_.written_offset() ? transfer.framed : transfer.run_from;
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
            break;
        complete_front();
    }
    advance_pieces();
}

void Sender::complete_front() {
    const Transfer front = transfers_.pop_front();
    done_ = front.token + 1;
    for (; !pieces_.empty() && pieces_.front().bundle == front.token; pieces_.pop_front())
        done_ = pieces_.front().token + 1;
    if (transfers_.empty()) clearing_ = false;
}

// The pieces of the oldest bundle that the peer has, or the socket where it does not acknowledge.
void Sender::advance_pieces() {
    if (pieces_.empty() || transfers_.empty()) return;
    const Transfer &front = transfers_.front();
    const std::uint64_t written = written_of(front);
    const std::uint64_t safe =
        terms_.acknowledgements ? std::min(front.acknowledged, written) : written;
    if (front.refused) return;
    while (!pieces_.empty() && pieces_.front().bundle == front.token && pieces_.front().end <= safe)
        done_ = pieces_.pop_front().token + 1;
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
    // What is not written cannot have been received, and is still needed. Unlike in TCPCLv4 an
    // acknowledgement names no transfer: a peer that is ahead of the stream counts other bundles,
    // and its next acknowledgements would release bundles that it does not have.
    if (front.refused || length <= front.acknowledged || length > boundary(front).octets ||
        (length == front.size && front.end > queue_.written_offset()))
        return LinkFault::kProtocolError;
    front.acknowledged = length;
    crossed_ = 0;
    ++answers_read_;
    if (length < front.size) {
        advance_pieces();
        return LinkFault::kNone;
    }
    if (front.token < doubtful_) report_refused(front, Refusal::kRetransmit);
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
    const std::uint64_t answered = segments(front, front.acknowledged);
    const std::uint64_t sent = segments(front, begun.octets);
    crossed_ = sent > answered ? sent - answered - 1 : 0;
    front.refused = true;
    skips_ = skips_ || (front.in_pieces && front.token == last_piece_.bundle);
    cut(0, begun.offset);
    ++answers_read_;
    report_refused(front, refusal_of(static_cast<RefusalCode>(code)));
    drop_written();
    return LinkFault::kNone;
}

/// Of a bundle in pieces it names the oldest one that is not done.
void Sender::report_refused(const Transfer &transfer, Refusal reason) {
    if (!transfer.in_pieces) return events_.refused(transfer.token, reason);
    if (!pieces_.empty() && pieces_.front().bundle == transfer.token)
        return events_.refused(pieces_.front().token, reason);
    unreported_ = reason;
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
    if (index + 1 == transfers_.size()) forget_backlog_of_last();
}

void Sender::forget_backlog_of_last() {
    if (std::exchange(front_begun_, false)) backlog_.pop();
    while (backlog_.goes_on()) backlog_.pop();
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
    std::size_t begun = front_begun_ ? 1 : 0;
    while (backlog_.is_further_piece(begun)) ++begun;
    while (backlog_.size() > begun) backlog_.pop_back();
    const bool goes_on = !transfers_.empty() && transfers_.back().token == last_piece_.bundle;
    if (!goes_on) left_ = 0;
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
    pieces_.clear();
    left_ = 0;
    front_begun_ = false;
    return at_boundary;
}

std::uint64_t Sender::credit() const {
    const bool may_begin =
        !finishing_ && !clearing_ && transfers_.size() + backlog_.size() < max_transfers_;
    if (!may_begin && !inside_bundle()) return 0;
    const std::uint64_t used = queue_.pending() + backlog_.bytes();
    return used < max_unsent_ ? max_unsent_ - used : 0;
}

bool Sender::may_stall() const {
    if (transfers_.size() != 1 || !inside_bundle() || !backlog_.empty()) return awaits_answers();
    const Transfer &last = transfers_.front();
    const std::uint64_t safe = terms_.acknowledgements ? last.acknowledged : written_of(last);
    return safe < last.framed;
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
