// SPDX-License-Identifier: Apache-2.0
#include "cla/ltp/ltp_sender.hpp"

#include <algorithm>

#include "common/runtime/clock.hpp"

namespace farlink::cla::ltp {
namespace {

/// CCSDS 734.1-B-1: in a block of service 2, each bundle stands behind its own client service.
constexpr std::uint8_t kBundleServiceOctet = kBundleService;

Refusal refusal_of(const Event &event) {
    // RFC 5326 section 3.2.4.
    switch (event.reason) {
        case CancelReason::kSystemCancelled:
            return Refusal::kNoResources;
        case CancelReason::kUnreachable:
            return Refusal::kNotAcceptable;
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
      peer_(peer),
      link_(link),
      options_(options),
      block_timer_(resources.io) {}

std::uint64_t LtpSender::credit() const {
    if (open_ >= options_.max_in_flight_bundles) return 0;
    const std::uint64_t room = port_.send_credit(peer_);
    return room > block_bytes_ ? room - block_bytes_ : 0;
}

void LtpSender::transmit(std::span<const TxBundle> bundles) {
    for (const TxBundle &bundle : bundles) {
        if (fates_.empty()) first_token_ = bundle.token;
        fates_.push_back(Fate::kOpen);
        ++open_;
        if (aggregates()) {
            add_to_block(bundle);
            continue;
        }
        pieces_.clear();
        if (options_.ltp.client_service_id == kAggregationService)
            add_piece({&kBundleServiceOctet, 1}, false);
        add_piece(bundle.head, true);
        add_piece(bundle.body, false);
        for (const ByteView &piece : bundle.rest) add_piece(piece, false);
        send_block(bundle.token, 1);
    }
    full_ = credit() == 0;
}

void LtpSender::add_piece(ByteView octets, bool transient) {
    if (!octets.empty()) pieces_.push_back({octets, transient});
}

void LtpSender::add_to_block(const TxBundle &bundle) {
    if (block_count_ == 0) {
        pieces_.clear();
        block_token_ = bundle.token;
        wait_for_more();
    }
    if (options_.ltp.client_service_id == kAggregationService)
        add_piece({&kBundleServiceOctet, 1}, false);
    heads_.push_back(Bytes(bundle.head.begin(), bundle.head.end()));
    add_piece(heads_.back(), true);
    add_piece(bundle.body, false);
    for (const ByteView &piece : bundle.rest) add_piece(piece, false);
    ++block_count_;
    block_bytes_ += bundle.size;
    if (block_bytes_ >= options_.ltp.aggregation_bytes) flush_block();
}

void LtpSender::wait_for_more() {
    block_timer_.expires_after(options_.ltp.aggregation_time);
    block_timer_.async_wait([this](const boost::system::error_code &error) {
        if (error) return;
        flush_block();
        port_.pump();
    });
}

void LtpSender::flush_block() {
    if (block_count_ == 0) return;
    block_timer_.cancel();
    const std::uint32_t count = std::exchange(block_count_, 0);
    block_bytes_ = 0;
    send_block(block_token_, count);
    heads_.clear();
}

void LtpSender::send_block(std::uint64_t token, std::uint32_t count) {
    BlockRequest request;
    request.pieces = pieces_;
    request.service = options_.ltp.client_service_id;
    request.token = token;
    request.token_count = count;
    if (port_.engine().send_block(peer_, request, monotonic_now())) return;
    // Beyond the credit: the host hears of it as of a peer without room.
    for (std::uint64_t refused = token; refused < token + count; ++refused)
        resources_.host.on_refused(link_, refused, Refusal::kNoResources);
    finish(token, count);
}

void LtpSender::handle(const Event &event) {
    if (event.type != EventType::kDelivered)
        for (std::uint64_t token = event.token; token < event.token + event.token_count; ++token)
            resources_.host.on_refused(link_, token, refusal_of(event));
    finish(event.token, event.token_count);
}

void LtpSender::finish(std::uint64_t token, std::uint32_t count) {
    for (std::uint64_t done = token; done < token + count; ++done) {
        if (done < first_token_ || done - first_token_ >= fates_.size()) continue;
        Fate &fate = fates_[done - first_token_];
        if (fate == Fate::kOpen) --open_;
        fate = Fate::kDone;
    }
    something_ended_ = true;
}

void LtpSender::report() {
    if (!std::exchange(something_ended_, false)) return;
    const std::uint64_t before = first_token_;
    while (!fates_.empty() && fates_.front() == Fate::kDone) {
        (void)fates_.pop_front();
        ++first_token_;
    }
    if (first_token_ > before) resources_.host.on_transmitted(link_, first_token_);
    wake_host();
}

void LtpSender::wake_host() {
    if (!full_ || credit() == 0) return;
    full_ = false;
    resources_.host.on_writable(link_);
}

}  // namespace farlink::cla::ltp
