// SPDX-License-Identifier: Apache-2.0
#include "cla/tcpcl/v4/core/transfer_sender.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "common/base/invariant.hpp"

namespace farlink::cla::tcpclv4 {
namespace {

constexpr std::uint64_t kLargestSegment = std::numeric_limits<std::uint32_t>::max();

}  // namespace

void TransferSender::start(std::uint64_t segment_bytes, std::uint64_t transfer_mtu) {
    writer_.start(std::min(segment_bytes, kLargestSegment));
    transfer_mtu_ = transfer_mtu;
}

void TransferSender::handle_send(std::span<const TxBundle> bundles) {
    for (const TxBundle &bundle : bundles) {
        if (left_ > 0 || bundle.left > 0) [[unlikely]]
            send_in_pieces(bundle);
        else
            send(bundle);
    }
    writer_.end_run();
}

// The peer may have announced that it takes none of this size (RFC 9174 section 4.7): none is sent.
void TransferSender::send(const TxBundle &bundle) {
    const std::uint64_t bytes = bundle.size + bundle.left;
    if (bytes > transfer_mtu_) {
        publish_refused(bundle.token, Refusal::kTooLarge);
        skips_ = true;
        return skip(bundle.token);
    }
    writer_.write(bundle, first_id_ + transfers_.size());
    const auto segment = static_cast<std::uint32_t>(std::min(bundle.size, writer_.segment_bytes()));
    transfers_.push_back({bundle.token, bundle.token + 1, bytes, segment, false, bundle.left > 0});
}

void TransferSender::send_in_pieces(const TxBundle &piece) {
    if (piece.is_further_piece) return send_further_piece(piece);
    FARLINK_INVARIANT(!inside_bundle());
    unreported_.reset();
    skips_ = false;
    left_ = piece.left;
    const std::uint64_t id = first_id_ + transfers_.size();
    send(piece);
    if (left_ > 0 && !skips_) pieces_.push_back({id, piece.size, piece.token, false});
}

void TransferSender::send_further_piece(const TxBundle &piece) {
    FARLINK_INVARIANT(piece.size + piece.left == left_);
    left_ = piece.left;
    if (skips_) {
        if (unreported_) publish_refused(piece.token, *std::exchange(unreported_, std::nullopt));
        return skip(piece.token);
    }
    writer_.write_piece(piece);
    Transfer &transfer = transfers_.back();
    transfer.done_below = piece.token + 1;
    const std::uint64_t id = first_id_ + transfers_.size() - 1;
    pieces_.push_back({id, transfer.bytes - piece.left, piece.token, false});
}

/// The bundle or piece is not sent: it is done when those before it are.
void TransferSender::skip(std::uint64_t token) {
    (transfers_.empty() ? done_below_ : transfers_.back().done_below) = token + 1;
}

Parsed TransferSender::handle_acks(ByteView &fresh) {
    constexpr auto kType = static_cast<std::uint8_t>(MessageType::kXferAck);
    auto parsed = Parsed::kDone;
    while (!fresh.empty() && fresh[0] == kType && parsed == Parsed::kDone) {
        const auto ack = decode_ack(fresh);
        if (!ack)
            parsed = Parsed::kIncomplete;
        else if (!handle_ack(*ack))
            parsed = Parsed::kFault;
        else
            fresh = fresh.subspan(kAckBytes);
    }
    advance();
    return parsed;
}

bool TransferSender::handle_ack(const Ack &ack) {
    const std::uint64_t index = ack.id - first_id_;
    if (index >= transfers_.size() || transfers_[index].done) {  // RFC 9174 section 5.1.2
        out_.reject(RejectReason::kUnexpected, MessageType::kXferAck);
        return true;
    }
    Transfer &transfer = transfers_[index];
    ++progress_;
    std::uint64_t length = ack.length;
    if (length != transfer.bytes) {
        const std::uint64_t queued = writer_.queued_of(ack.id, transfer.bytes);
        if (length > queued && !deviations_.allow(ProtocolDeviation::kAckBeyondSent))
            return refuse_ack();
        length = std::min(length, queued);
    }
    if (ack.flags != flags_at(length, transfer) &&
        !deviations_.allow(ProtocolDeviation::kAckFlagsDiffer))
        return refuse_ack();
    transfer.done = length == transfer.bytes;
    if (transfer.in_pieces) acknowledge_pieces(ack.id, length);
    return true;
}

void TransferSender::acknowledge_pieces(std::uint64_t id, std::uint64_t length) {
    for (std::size_t i = 0; i < pieces_.size(); ++i) {
        Piece &piece = pieces_[i];
        if (piece.id == id && piece.end <= length) piece.acknowledged = true;
    }
}

bool TransferSender::refuse_ack() {
    out_.reject(RejectReason::kUnsupported, MessageType::kXferAck);
    return false;
}

/// Of the segment that ends at `length` (RFC 9174 section 5.2.3).
std::uint8_t TransferSender::flags_at(std::uint64_t length, const Transfer &transfer) {
    return (length <= transfer.first_segment ? kSegmentStart : 0) |
           (length == transfer.bytes ? kSegmentEnd : 0);
}

/// RFC 9174 section 5.2.4. Segments on their way may each be refused, long after the first.
Parsed TransferSender::handle_refuse(ByteView &fresh) {
    const auto refuse = decode_refuse(fresh);
    if (!refuse) return Parsed::kIncomplete;
    fresh = fresh.subspan(kRefuseBytes);
    end_refused(*refuse);
    return Parsed::kDone;
}

void TransferSender::end_refused(const Refuse &refuse) {
    const std::uint64_t index = refuse.id - first_id_;
    if (index >= transfers_.size()) {
        const bool known = refuse.id < first_id_;
        if (!known) out_.reject(RejectReason::kUnexpected, MessageType::kXferRefuse);
        return;
    }
    Transfer &transfer = transfers_[index];
    ++progress_;
    if (transfer.done) return;
    transfer.done = true;
    writer_.withdraw(refuse.id);
    skips_ = skips_ || index + 1 == transfers_.size();
    auto reason = static_cast<Refusal>(refuse.reason);
    if (reason > Refusal::kSessionTerminating) {
        deviations_.note(ProtocolDeviation::kUnknownRefusalReason);
        reason = Refusal::kUnknown;
    }
    if (reason != Refusal::kCompleted) report_refused(transfer, refuse.id, reason);
    advance();
}

/// Of a bundle in pieces it names the oldest one that is not reported as done.
void TransferSender::report_refused(const Transfer &transfer, std::uint64_t id, Refusal reason) {
    if (!transfer.in_pieces) return publish_refused(transfer.token, reason);
    for (std::size_t i = 0; i < pieces_.size(); ++i)
        if (pieces_[i].id == id) return publish_refused(pieces_[i].token, reason);
    unreported_ = reason;
}

void TransferSender::handle_written() {
    if (writer_.handle_written()) ++progress_;
    advance();
}

void TransferSender::publish_refused(std::uint64_t token, Refusal reason) {
    SessionEvent event;
    event.kind = SessionEvent::Kind::kRefused;
    event.token = token;
    event.refusal = reason;
    events_.push_back(event);
}

void TransferSender::advance() {
    while (!transfers_.empty() && transfers_.front().done && !writer_.refers_to(first_id_)) {
        done_below_ = transfers_.pop_front().done_below;
        ++first_id_;
    }
    if (!pieces_.empty()) [[unlikely]]
        advance_pieces();
}

void TransferSender::advance_pieces() {
    while (!pieces_.empty()) {
        const Piece &piece = pieces_.front();
        const bool gone = piece.id < first_id_;
        const bool done =
            piece.id == first_id_ && piece.acknowledged && !writer_.refers_to(piece.id, piece.end);
        if (!gone && !done) return;
        if (done) done_below_ = piece.token + 1;
        pieces_.pop_front();
    }
}

}  // namespace farlink::cla::tcpclv4
