// SPDX-License-Identifier: Apache-2.0
#include "cla/tcpcl/v4/core/ack_queue.hpp"

#include <algorithm>

#include "common/base/invariant.hpp"

namespace farlink::cla::tcpclv4 {
namespace {

/// Answers that are written in one piece.
constexpr std::uint64_t kRun = 1024;
static_assert(kRun * kAckBytes <= TxQueue::kBlockBytes);

}  // namespace

void AckQueue::handle_empty(std::uint64_t id, std::uint8_t ack_flags) {
    put_aside(id, false, ack_flags);
}

void AckQueue::handle_refused(std::uint64_t id, Refusal reason) {
    last_refused_ = {static_cast<std::uint8_t>(reason), id};
    put_aside(id, true, last_refused_.reason);
}

// A refusal that still waits will be sent behind this segment and so covers it.
void AckQueue::handle_refused_again() {
    if (asides_.empty()) out_.send(last_refused_);
}

void AckQueue::put_aside(std::uint64_t id, bool refused, std::uint8_t code) {
    const std::uint64_t before = next_number();
    ++aside_transfers_;
    if (!asides_.empty()) {
        Aside &last = asides_.back();
        if (last.before == before && last.first_id + last.count == id && last.refused == refused &&
            last.code == code) {
            ++last.count;
            return;
        }
    }
    asides_.push_back({before, id, 1, refused, code});
    answer();
}

void AckQueue::handle_disposition(std::uint64_t first, std::uint32_t count,
                                  TransferDisposition disposition) {
    FARLINK_INVARIANT(first >= first_number_ && first + count <= next_number());
    const auto state = disposition == TransferDisposition::kSafe          ? State::kSafe
                       : disposition == TransferDisposition::kNoResources ? State::kNoResources
                                                                          : State::kNotAcceptable;
    const std::size_t begin = first - first_number_;
    for (std::size_t i = begin; i < begin + count; ++i) {
        Delivered &bundle = delivered_[i];
        FARLINK_INVARIANT(bundle.state == State::kWaiting);
        bundle.state = state;
        unacknowledged_.remove(bundle.in_pieces ? 0 : bundle.bytes);
    }
    answer();
}

void AckQueue::answer() {
    for (;;) {
        while (!asides_.empty() && asides_.front().before == first_number_)
            answer_aside(asides_.pop_front());
        const std::uint64_t limit = asides_.empty() ? next_number() : asides_.front().before;
        answer_delivered(limit);
        if (asides_.empty() || first_number_ < limit) return;
    }
}

void AckQueue::answer_delivered(std::uint64_t limit) {
    while (first_number_ < limit && delivered_.front().state != State::kWaiting) {
        const std::uint64_t most = std::min(kRun, limit - first_number_);
        std::size_t run = 1;
        while (run < most && delivered_[run].state != State::kWaiting) ++run;
        std::uint8_t *const begin = out_.reserve(run * kAckBytes);
        std::uint8_t *end = begin;
        for (std::size_t i = 0; i < run; ++i) {
            const Delivered bundle = delivered_.pop_front();
            if (bundle.state == State::kSafe)
                end = encode(end, Ack{bundle.ack_flags, bundle.id, bundle.bytes});
            else
                end =
                    encode(end, Refuse{static_cast<std::uint8_t>(bundle.state == State::kNoResources
                                                                     ? Refusal::kNoResources
                                                                     : Refusal::kNotAcceptable),
                                       bundle.id});
        }
        out_.commit(static_cast<std::size_t>(end - begin));
        first_number_ += run;
    }
}

void AckQueue::answer_aside(const Aside &aside) {
    aside_transfers_ -= aside.count;
    for (std::uint64_t i = 0; i < aside.count; ++i) {
        if (aside.refused)
            out_.send(Refuse{aside.code, aside.first_id + i});
        else
            out_.send(Ack{aside.code, aside.first_id + i, 0});
    }
}

}  // namespace farlink::cla::tcpclv4
