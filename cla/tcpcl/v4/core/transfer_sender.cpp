// SPDX-License-Identifier: Apache-2.0
#include "cla/tcpcl/v4/core/transfer_sender.hpp"

#include <algorithm>

namespace farlink::cla::tcpclv4 {

void TransferSender::start(std::uint64_t segment_bytes, std::uint64_t transfer_mtu) {
    writer_.start(segment_bytes);
    transfer_mtu_ = transfer_mtu;
}

void TransferSender::handle_send(std::span<const TxBundle> bundles) {
    for (const TxBundle &bundle : bundles) {
        if (bundle.size > transfer_mtu_) {
            refuse_too_large(bundle);
            continue;
        }
        writer_.write(bundle, first_id_ + transfers_.size());
        transfers_.push_back({bundle.token, bundle.token + 1, bundle.size, false});
    }
    writer_.end_run();
}

// The peer has announced that it takes none of this size (RFC 9174 section 4.7): none is sent.
void TransferSender::refuse_too_large(const TxBundle &bundle) {
    publish_refused(bundle.token, Refusal::kTooLarge);
    (transfers_.empty() ? done_below_ : transfers_.back().done_below) = bundle.token + 1;
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
    if (ack.flags != flags_at(length, transfer.bytes) &&
        !deviations_.allow(ProtocolDeviation::kAckFlagsDiffer))
        return refuse_ack();
    transfer.done = length == transfer.bytes;
    return true;
}

bool TransferSender::refuse_ack() {
    out_.reject(RejectReason::kUnsupported, MessageType::kXferAck);
    return false;
}

/// Of the segment that ends at `length` (RFC 9174 section 5.2.3).
std::uint8_t TransferSender::flags_at(std::uint64_t length, std::uint64_t bytes) const {
    return (length <= writer_.segment_bytes() ? kSegmentStart : 0) |
           (length == bytes ? kSegmentEnd : 0);
}

/// RFC 9174 section 5.2.4. Segments on their way may each be refused, long after the first.
void TransferSender::handle_refuse(const Refuse &refuse) {
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
    auto reason = static_cast<Refusal>(refuse.reason);
    if (reason > Refusal::kSessionTerminating) {
        deviations_.note(ProtocolDeviation::kUnknownRefusalReason);
        reason = Refusal::kUnknown;
    }
    if (reason != Refusal::kCompleted) publish_refused(transfer.token, reason);
    advance();
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
}

}  // namespace farlink::cla::tcpclv4
