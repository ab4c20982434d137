// SPDX-License-Identifier: Apache-2.0
#include "cla/ltp/ltp_receiver.hpp"

#include "common/runtime/clock.hpp"

namespace farlink::cla::ltp {

LtpReceiver::LtpReceiver(LinkResources resources, LtpPort &port, LinkId link,
                         const config::LinkOptions &options)
    : resources_(resources),
      port_(port),
      link_(link),
      options_(options),
      inbox_(options.max_bundle_size_bytes) {}

UpstreamId LtpReceiver::open() {
    upstream_ = UpstreamId{resources_.next_upstream++};
    return upstream_;
}

void LtpReceiver::introduce(const PeerIdentity &peer) {
    resources_.host.on_upstream_opened(link_, upstream_, true);
    resources_.host.on_peer(link_, upstream_, peer);
}

void LtpReceiver::close(LinkFault fault) {
    if (upstream_ == kNoUpstream) return;
    inbox_.reset();
    timer_.reset();
    armed_ = kNever;
    resources_.host.on_upstream_closed(link_, std::exchange(upstream_, kNoUpstream), fault);
}

void LtpReceiver::handle(const ReceivedBlock &block) {
    if (block.in_parts()) return handle_part(block);
    // One block may always come, however large.
    const bool full =
        inbox_.unacknowledged_bytes() > 0 &&
        inbox_.unacknowledged_bytes() + block.size > options_.max_unacknowledged_bytes;
    if (full) ++refused_blocks_;
    // The number of bundles in the block is not known: it counts as one.
    if (full && upstream_ != kNoUpstream)
        resources_.host.on_bundles_refused(link_, upstream_, 1, false);
    if (full || upstream_ == kNoUpstream || inbox_.take(block, received_) == 0)
        return port_.engine().block_refused(block.session, monotonic_now());
    resources_.host.on_bundles(link_, upstream_, received_);
    received_.clear();
}

void LtpReceiver::handle_part(const ReceivedBlock &part) {
    const bool taken = upstream_ != kNoUpstream && inbox_.take_part(part, received_);
    if (!taken) port_.engine().block_refused(part.session, monotonic_now());
    if (received_.empty()) return;
    resources_.host.on_bundles(link_, upstream_, received_);
    received_.clear();
}

void LtpReceiver::acknowledge(std::uint64_t first, std::uint32_t count,
                              TransferDisposition disposition) {
    const TimePoint now = monotonic_now();
    inbox_.acknowledge(first, count, disposition, now, [&](SessionHandle session, bool safe) {
        if (safe)
            port_.engine().block_safe(session, now);
        else
            port_.engine().block_refused(session, now);
    });
    arm();
}

void LtpReceiver::arm() {
    const TimePoint due = inbox_.next_offer();
    if (due >= armed_) return;
    armed_ = due;
    if (!timer_) timer_ = make_owned<LinkTimer>(resources_.io, [this] { handle_due(); });
    timer_->wait_until(due);
}

// Not within acknowledge(), which the host may call while it takes bundles; and the host must not
// get further blocks meanwhile.
void LtpReceiver::handle_due() {
    port_.pump_after([this] { offer_again(); });
}

void LtpReceiver::offer_again() {
    const TimePoint now = monotonic_now();
    const auto is_open = [this](SessionHandle session) { return port_.engine().is_open(session); };
    armed_ = now;  // the timer waits until all that is due was offered
    while (inbox_.offer_again(now, received_, is_open)) {
        resources_.host.on_bundles(link_, upstream_, received_);
        received_.clear();
    }
    armed_ = kNever;
    arm();
}

}  // namespace farlink::cla::ltp
