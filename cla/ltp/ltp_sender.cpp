// SPDX-License-Identifier: Apache-2.0
#include "cla/ltp/ltp_sender.hpp"

#include "common/runtime/clock.hpp"

namespace farlink::cla::ltp {
namespace {

OutboxConfig outbox_config(const config::LtpConfig &ltp) {
    OutboxConfig outbox;
    outbox.aggregate_bytes = ltp.aggregation_bytes;
    outbox.aggregate_delay = ltp.aggregation_time;
    outbox.service_data_aggregation = ltp.client_service_id == kAggregationService;
    return outbox;
}

// RFC 5326 section 3.2.4. `by_peer`: the peer has cancelled the session.
Refusal refusal_of(CancelReason reason, bool by_peer) {
    if (!by_peer && reason == CancelReason::kRetransmitLimit) return Refusal::kUnacknowledged;
    switch (reason) {
        case CancelReason::kSystemCancelled:
            return Refusal::kNoResources;
        // The neighbour's client service does not run: the link goes down.
        case CancelReason::kUnreachable:
            return Refusal::kSessionTerminating;
        case CancelReason::kUserCancelled:
        case CancelReason::kRetransmitLimit:
        case CancelReason::kMiscoloured:
        case CancelReason::kCycleLimit:
            break;
    }
    return Refusal::kRetransmit;
}

}  // namespace

LtpSender::LtpSender(LinkResources resources, LtpPort &port, PeerId peer, LinkId link,
                     const config::LinkOptions &options)
    : resources_(resources),
      port_(port),
      link_(link),
      max_bundles_(options.max_in_flight_bundles),
      outbox_(port.engine(), peer, outbox_config(options.ltp)),
      block_timer_(make_owned<LinkTimer>(resources.io, [this] { handle_due(); })) {}

std::uint64_t LtpSender::credit() const {
    return unfinished() < max_bundles_ ? outbox_.credit() : 0;
}

void LtpSender::transmit(std::span<const TxBundle> bundles) {
    if (bundles.empty()) return;
    if (!std::exchange(begun_, true)) reported_ = bundles.front().token;
    next_token_ = bundles.back().token + 1;
    outbox_.handle_send(bundles, monotonic_now());
    wait_for_more();
    full_ = credit() == 0;
}

void LtpSender::wait_for_more() {
    if (const TimePoint due = outbox_.next_timeout(); due != kNever) block_timer_->wait_until(due);
}

void LtpSender::handle_due() {
    outbox_.handle_timeout(monotonic_now());
    wait_for_more();
    port_.pump();
}

void LtpSender::flush_block() {
    outbox_.flush(monotonic_now());
}

void LtpSender::break_off() {
    outbox_.break_off(monotonic_now());
    port_.pump();
}

void LtpSender::handle(const Event &event) {
    outbox_.handle_event(event);
}

void LtpSender::report() {
    if (!begun_) return;
    while (const auto refused = outbox_.poll_refusal())
        for (std::uint32_t i = 0; i < refused->count; ++i)
            resources_.host.on_refused(link_, refused->token + i,
                                       refused->broken_off
                                           ? Refusal::kNotSent
                                           : refusal_of(refused->reason, refused->by_peer));
    if (const std::uint64_t done = outbox_.done_below(); done > reported_) {
        reported_ = done;
        resources_.host.on_transmitted(link_, done);
    }
    if (!full_ || credit() == 0) return;
    full_ = false;
    resources_.host.on_writable(link_);
}

void LtpSender::give_back() {
    if (!begun_) return;
    for (std::uint64_t token = reported_; token < next_token_; ++token)
        resources_.host.on_refused(link_, token, Refusal::kUnacknowledged);
    reported_ = next_token_;
}

}  // namespace farlink::cla::ltp
