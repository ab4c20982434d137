// SPDX-License-Identifier: Apache-2.0
#include "cla/ltp/remote_engine.hpp"

#include <utility>

#include "cla/ltp/ltp_settings.hpp"
#include "common/base/bit_rate.hpp"
#include "common/base/invariant.hpp"
#include "common/runtime/clock.hpp"

namespace farlink::cla::ltp {
namespace {

/// The first back-off is the time for an answer; it doubles up to this.
constexpr Duration kLongestBackOff = seconds(60);

}  // namespace

RemoteEngine::RemoteEngine(LinkResources resources, LtpPort &port,
                           const config::InductConfig &config, PeerId peer, EngineId engine,
                           PeerIdentity identity, Standing standing)
    : resources_(resources),
      port_(port),
      config_(config),
      peer_(peer),
      id_(engine),
      identity_(std::move(identity)),
      standing_(standing),
      receiver_(resources, port, config.id, config),
      owlt_(config.ltp.owlt),
      back_off_(LinkTiming{config.ltp.owlt, config.ltp.margin}.answer_within(), kLongestBackOff,
                engine.value()) {}

void RemoteEngine::transition(State to) {
    const bool allowed = (to == State::kEnding && state_ == State::kUp) ||
                         (to == State::kDown && state_ == State::kEnding) ||
                         (to == State::kUp && state_ == State::kDown);
    FARLINK_INVARIANT(allowed);
    state_ = to;
}

// ---- the outduct

void RemoteEngine::attach(LinkId link) {
    link_ = link;
    sender_.emplace(resources_, port_, peer_, link, config_);
    up_since_ = monotonic_now();
}

void RemoteEngine::suspend() {
    if (sender_) sender_->break_off();
    port_.set_contact(peer_, false);
}

void RemoteEngine::set_rate(BitRate rate) {
    config::LinkOptions link = config_;
    link.ltp.owlt = owlt_;
    warn_of_limits(log_, link, slower_of(config_.rate_limit, rate));
    port_.set_rate(peer_, rate);
}

void RemoteEngine::set_owlt(Duration owlt) {
    owlt_ = owlt == Duration{} ? config_.ltp.owlt : owlt;
    port_.set_owlt(peer_, owlt_);
}

// ---- an engine that does not answer

void RemoteEngine::give_up() {
    if (!is_up()) return;
    transition(State::kEnding);
    sender_->flush_block();
    port_.engine().cancel_blocks(peer_, CancelReason::kRetransmitLimit, monotonic_now());
    port_.pump();
}

void RemoteEngine::go_down(TimePoint now) {
    transition(State::kDown);
    const LinkFault fault =
        std::exchange(no_client_, false) ? LinkFault::kNoClient : LinkFault::kUnresponsive;
    // Without an acknowledgement it is not certain that there was an engine.
    const SessionOutcome outcome{fault, moved_, moved_, now - up_since_, {}};
    trial_.begin();
    retry_at_ = back_off_.handle_session(outcome, now);
    resources_.host.on_state(link_, LinkState::kConnecting, fault);
}

void RemoteEngine::come_up(TimePoint now) {
    transition(State::kUp);
    up_since_ = now;
    moved_ = false;
    resources_.host.on_state(link_, LinkState::kConnected, LinkFault::kNone);
}

// ---- events of the port

void RemoteEngine::report() {
    sender_->report();
    if (trial_.take_more() && transmit_credit() > 0) resources_.host.on_writable(link_);
}

void RemoteEngine::handle_block(const ReceivedBlock &block, TimePoint now) {
    last_received_ = now;
    has_sent_block_ = true;
    receiver_.handle(block);
}

void RemoteEngine::introduce() {
    tally_.end_levels(resources_.host, config_.id, counted_as_);
    counted_as_ = identity_;
    introduced_ = true;
    receiver_.introduce(identity_);
}

void RemoteEngine::publish_counts() {
    tally_.report(resources_.host, config_.id, counted_as_, port_.engine(), peer_);
}

void RemoteEngine::publish_last_counts(const Counters &counters) {
    tally_.report_ended(resources_.host, config_.id, counted_as_, counters);
}

}  // namespace farlink::cla::ltp
