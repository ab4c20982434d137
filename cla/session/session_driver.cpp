// SPDX-License-Identifier: Apache-2.0
#include "cla/session/session_driver.hpp"

#include <algorithm>
#include <boost/asio/post.hpp>

#include "cla/io/tcp_address.hpp"
#include "common/base/bit_rate.hpp"
#include "common/runtime/clock.hpp"

namespace farlink::cla {
namespace {

/// So many refusals without any bundle taken, and the neighbour is left alone.
constexpr std::uint32_t kRefusalsInARow = 16;
/// For what is still to be written when a session has ended, and then for the peer's end.
constexpr seconds kEndingLimit{2};
constexpr seconds kLingeringLimit{1};

}  // namespace

SessionDriver::SessionDriver(boost::asio::ip::tcp::socket socket, LinkResources resources,
                             SessionSetup &setup, SessionOwner &owner, LinkId link, UpstreamId id)
    : stream_(std::move(socket)),
      resources_(resources),
      setup_(&setup),
      owner_(&owner),
      link_(link),
      id_(id),
      core_(setup.make_core(setup.config, id)),
      timer_(resources.io),
      bucket_(setup.rate_limit) {
    peer_.address = address_of_peer(stream_.socket());
}

void SessionDriver::transition(Phase to) {
    const bool allowed = (to == Phase::kEnding && phase_ == Phase::kOpen) ||
                         (to == Phase::kLingering && phase_ < Phase::kLingering) ||
                         (to == Phase::kGone && phase_ != Phase::kGone);
    FARLINK_INVARIANT(allowed);
    phase_ = to;
}

void SessionDriver::start() {
    const auto give_up = [weak = weak_from_this(), &io = resources_.io] {
        boost::asio::post(io, [weak] {
            if (const auto self = weak.lock()) self->fail(LinkFault::kNoRoom);
        });
    };
    hold_.emplace(resources_.buffer.shares(), link_, peer_.address,
                  resources_.host.knows(link_, peer_), give_up);
    core_->handle_connected(monotonic_now());
    run_turn(Cause::kCommand);
}

void SessionDriver::terminate() {
    if (phase_ != Phase::kOpen) return;
    core_->handle_terminate(LinkFault::kNone, monotonic_now());
    flush();
}

void SessionDriver::fail(LinkFault fault) {
    if (phase_ >= Phase::kLingering) return;
    lost_ = true;
    end_because_of(fault);
}

void SessionDriver::abandon() {
    owner_ = nullptr;
    if (phase_ != Phase::kGone) close();
}

void SessionDriver::pause(bool paused) {
    if (phase_ != Phase::kOpen) return;
    core_->handle_pause(paused);
    flush();
}

void SessionDriver::acknowledge(std::uint64_t first, std::uint32_t count,
                                TransferDisposition disposition) {
    if (phase_ == Phase::kOpen)
        core_->handle_disposition(first, count, disposition, monotonic_now());
}

void SessionDriver::transmit(std::span<const TxBundle> bundles) {
    if (phase_ != Phase::kOpen || bundles.empty()) return;
    const TimePoint now = monotonic_now();
    if (!std::exchange(sent_before_, true)) acknowledged_ = bundles.front().token;
    next_token_ = bundles.back().token + 1;
    if (bucket_.rate().value() > 0) {
        for (const TxBundle &bundle : bundles) bucket_.take(bundle.size, now);
        if (bucket_.available(now) == 0) rate_due_ = bucket_.next_available(now);
    }
    core_->handle_send(bundles, now);
}

// Inside a turn everything is written at its end: acknowledgements and bundles in one piece.
void SessionDriver::flush() {
    if (in_turn_ || phase_ != Phase::kOpen) return;
    (void)write_available();
    if (lost_ || has_event()) return post_turn();
    watch();
}

std::uint64_t SessionDriver::transmit_credit() const {
    if (phase_ != Phase::kOpen || !established()) return 0;
    const std::uint64_t credit = core_->transmit_credit();
    if (credit == 0 || bucket_.rate().value() == 0) return credit;
    return std::min(credit, bucket_.available(monotonic_now()));
}

std::uint64_t SessionDriver::max_bundle_bytes() const {
    return core_ && established() ? core_->max_bundle_bytes() : ~std::uint64_t{0};
}

void SessionDriver::set_rate(BitRate rate) {
    const TimePoint now = monotonic_now();
    bucket_.set_rate(slower_of(setup_->rate_limit, rate), now);
    rate_due_ = bucket_.available(now) == 0 ? bucket_.next_available(now) : kNever;
    if (phase_ == Phase::kOpen && !in_turn_) arm_timer();
}

bool SessionDriver::has_event() {
    if (!next_event_ && core_) next_event_ = core_->poll_event();
    return next_event_.has_value();
}

void SessionDriver::hand_over_events() {
    while (phase_ == Phase::kOpen && has_event()) {
        const SessionEvent event = *std::exchange(next_event_, std::nullopt);
        handle(event);
    }
}

void SessionDriver::handle(const SessionEvent &event) {
    switch (event.kind) {
        case SessionEvent::Kind::kStartTls:
            tls_ = Tls::kDue;
            return;
        case SessionEvent::Kind::kPeerAnnounced:
            return check_peer();
        case SessionEvent::Kind::kEstablished:
            return publish_established();
        case SessionEvent::Kind::kTransmitted:
            return publish_transmitted(event.token);
        case SessionEvent::Kind::kRefused:
            return publish_refused(event);
        case SessionEvent::Kind::kWritable:
            if (sending_as_ != kNoLink) resources_.host.on_writable(sending_as_);
            return;
        case SessionEvent::Kind::kDeparture:
            return resources_.host.on_deviation(link_, peer_, event.deviation);
        case SessionEvent::Kind::kEnded:
            end_ = event;
            phase_due_ = monotonic_now() + kEndingLimit;
            return transition(Phase::kEnding);
    }
}

void SessionDriver::check_peer() {
    const PeerVerdict verdict =
        setup_->policy.judge({core_->peer_node_id(), peer_.address, stream_.peer_names()});
    peer_.node_id = core_->peer_node_id();
    peer_.proved = verdict.proved;
    if (hold_ && resources_.host.knows(link_, peer_)) hold_->make_known();
    const TimePoint now = monotonic_now();
    core_->handle_identity(verdict.accepted, now);
    if (!verdict.accepted) {
        detail_ = verdict.reason;
        if (const auto held_back = setup_->refusals.admit(now))
            setup_->log.warn("link {}: {} at {} is not let in: {} ({} more not shown)",
                             link_.value(), peer_.node_id, peer_.address, verdict.reason,
                             *held_back);
    }
    if (verdict.deviation) resources_.host.on_deviation(link_, peer_, *verdict.deviation);
}

void SessionDriver::publish_established() {
    const TimePoint now = monotonic_now();
    established_at_ = last_bundle_ = now;
    idle_due_ = idle_deadline();
    const bool acknowledges = core_->acknowledges();
    owner_->handle_established(*this);
    if (owner_ != nullptr) resources_.host.on_upstream_opened(link_, id_, acknowledges);
    if (owner_ != nullptr) resources_.host.on_peer(link_, id_, peer_);
}

void SessionDriver::publish_transmitted(std::uint64_t token) {
    moved_ = refusals_.handle_transmitted(acknowledged_, token) || moved_;
    acknowledged_ = token;
    last_bundle_ = monotonic_now();
    if (sending_as_ != kNoLink) resources_.host.on_transmitted(sending_as_, token);
}

void SessionDriver::publish_refused(const SessionEvent &event) {
    refusals_.handle_refused(event.token, event.refusal);
    if (refusals_.length() >= kRefusalsInARow && own_reason_ == LinkFault::kNone) {
        own_reason_ = LinkFault::kPeerRefusesBundles;
        core_->handle_terminate(own_reason_, monotonic_now());
    }
    if (sending_as_ != kNoLink) resources_.host.on_refused(sending_as_, event.token, event.refusal);
}

// Without asking the protocol: the connection itself is of no more use.
void SessionDriver::end_because_of(LinkFault fault) {
    end_.fault = fault;
    finish();
}

void SessionDriver::finish() {
    transition(Phase::kLingering);
    const TimePoint now = monotonic_now();
    SessionOutcome outcome;
    const bool faultless =
        end_.fault == LinkFault::kNone || end_.fault == LinkFault::kPeerTerminated;
    outcome.fault = faultless && own_reason_ != LinkFault::kNone ? own_reason_ : end_.fault;
    outcome.established = established();
    outcome.moved = moved_;
    outcome.lived = established() ? now - *established_at_ : Duration::zero();
    outcome.reconnection_delay = end_.reconnection_delay;

    core_.reset();
    hold_.reset();
    resources_.buffer.finished(id_);
    resources_.buffer.rest();
    if (outcome.fault != LinkFault::kNone) resources_.host.on_ending(link_, peer_, detail_);
    owner_->handle_ended(*this, outcome);
    if (phase_ == Phase::kGone) return;
    // Closed at once, what the peer still sends would reset the connection, and with it what it has
    // not read yet: why the session ended.
    if (!lost_) stream_.shut_down_writing();
    if (lost_ || reading_ended_) return close();
    phase_due_ = now + kLingeringLimit;
}

void SessionDriver::close() {
    transition(Phase::kGone);
    core_.reset();
    hold_.reset();
    timer_.cancel();
    stream_.close();
    resources_.buffer.finished(id_);
    resources_.buffer.rest();
    if (owner_ != nullptr) owner_->handle_gone(*this);
}

}  // namespace farlink::cla
