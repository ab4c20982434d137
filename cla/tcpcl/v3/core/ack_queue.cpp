// SPDX-License-Identifier: Apache-2.0
#include "cla/tcpcl/v3/core/ack_queue.hpp"

#include <utility>

namespace farlink::cla::tcpclv3 {

void AckQueue::acknowledge(std::uint64_t length) {
    if (terms_.acknowledgements) line_up({.length = length});
}

void AckQueue::handle_refused(RefusalCode code) {
    FARLINK_INVARIANT(terms_.refusal);
    line_up({.verdict = Verdict::kRefuse, .code = code});
}

void AckQueue::line_up(const Ready &answer) {
    if (held_.empty()) return write(answer);
    ready_.push_back(answer);
    ++ready_last_;
}

void AckQueue::handle_delivered(std::uint64_t length, bool in_pieces) {
    if (!terms_.acknowledgements) return;
    held_.push_back(
        {.length = length, .ready_before = std::exchange(ready_last_, 0), .in_pieces = in_pieces});
    unacknowledged_.add(in_pieces ? 0 : length);
}

bool AckQueue::handle_disposition(std::uint64_t first, std::uint32_t count,
                                  TransferDisposition disposition) {
    if (!terms_.acknowledgements) return true;
    // Without refusals an unacceptable bundle is acknowledged: it has arrived whole, and after the
    // end of the session the peer would send it again, before everything else.
    if (disposition == TransferDisposition::kNotAcceptable && !terms_.refusal)
        disposition = TransferDisposition::kSafe;
    if (disposition != TransferDisposition::kSafe && !terms_.refusal) return false;
    const std::uint64_t index = first - first_held_;
    FARLINK_INVARIANT(first >= first_held_ && index + count <= held_.size());
    for (std::uint32_t i = 0; i < count; ++i) {
        Held &held = held_[index + i];
        FARLINK_INVARIANT(held.verdict == Verdict::kNone);
        held.verdict =
            disposition == TransferDisposition::kSafe ? Verdict::kAcknowledge : Verdict::kRefuse;
        // An unacceptable bundle has no code of its own; after kRetransmit it would come again.
        if (disposition == TransferDisposition::kNoResources) held.code = RefusalCode::kNoResources;
        unacknowledged_.remove(held.in_pieces ? 0 : held.length);
    }
    if (index == 0) write_acknowledged();
    return true;
}

void AckQueue::write_acknowledged() {
    while (!held_.empty() && held_.front().verdict != Verdict::kNone) {
        const Held held = held_.pop_front();
        ++first_held_;
        write({held.length, held.verdict, held.code});
        write_ready(std::exchange(held_.empty() ? ready_last_ : held_.front().ready_before, 0));
    }
}

void AckQueue::write_ready(std::uint32_t count) {
    for (; count > 0; --count) write(ready_.pop_front());
}

void AckQueue::write(const Ready &answer) {
    std::uint8_t *const out = queue_.reserve(kMaxHeadBytes).data();
    if (answer.verdict == Verdict::kAcknowledge)
        return queue_.commit(encode_head(MessageType::kAckSegment, 0, answer.length, out));
    *out = one_octet(MessageType::kRefuseBundle, static_cast<std::uint8_t>(answer.code));
    queue_.commit(1);
}

}  // namespace farlink::cla::tcpclv3
