// SPDX-License-Identifier: Apache-2.0
#include "cla/ltp/ltp_outduct.hpp"

#include <algorithm>

#include "cla/ltp/ltp_settings.hpp"
#include "common/base/bit_rate.hpp"
#include "common/config/fields/link_url.hpp"
#include "common/config/review/ltp_advice.hpp"
#include "common/runtime/clock.hpp"
#include "common/runtime/log/suppressed_lines.hpp"

namespace farlink::cla::ltp {
namespace {

using boost::asio::ip::udp;

/// Added to the time for an answer: a neighbour may hold its closing reports for a while.
constexpr Duration kClosingWait = seconds(1);

}  // namespace

LtpOutduct::Line::Line(LtpOutduct &outduct)
    : port(outduct.resources_, outduct.config_, outduct.own_engine(), outduct),
      receiver(outduct.resources_, port, outduct.config_.id, outduct.config_) {}

LtpOutduct::LtpOutduct(LinkResources resources, const config::OutductConfig &config, LtpKeys keys,
                       std::uint64_t seed)
    : resources_(resources),
      config_(config),
      keys_(std::move(keys)),
      resolver_(resources.io),
      timer_(make_owned<LinkTimer>(resources.io, [this] { handle_due(); })),
      reconnection_(config.reconnect_min, config.reconnect_max, seed),
      configured_owlt_(config.ltp.owlt),
      owlt_(config.ltp.owlt) {}

EngineId LtpOutduct::own_engine() const {
    return EngineId{config_.ltp.engine_id};
}

EngineId LtpOutduct::remote_engine() const {
    const std::uint64_t given = config_.ltp.remote_engine_id;
    return EngineId{given != 0 ? given : config_.next_hop.value()};
}

void LtpOutduct::transition(LinkState to, LinkFault fault) {
    state_ = to;
    resources_.host.on_state(config_.id, to, fault);
}

// ---- connecting

void LtpOutduct::open() {
    if (state_ == LinkState::kConnected && std::exchange(suspended_, false)) {
        line_->port.set_contact(line_->peer, true);
        return resources_.host.on_writable(config_.id);
    }
    if (state_ == LinkState::kClosing) finish_closing();
    if (state_ != LinkState::kClosed) return;
    announce_ = true;
    transition(LinkState::kConnecting, LinkFault::kNone);
    const TimePoint now = monotonic_now();
    const TimePoint when = reconnection_.handle_opened(now);
    when <= now ? look_up() : retry_at(when, LinkFault::kNone);
}

void LtpOutduct::wait_until(TimePoint due, Wait wait) {
    wait_ = wait;
    timer_->wait_until(due);
}

void LtpOutduct::handle_due() {
    switch (wait_) {
        case Wait::kRetry:
            if (state_ == LinkState::kConnecting) look_up();
            return;
        case Wait::kAnswer:
            return give_up_waiting();
        case Wait::kClosing:
            if (state_ == LinkState::kClosing) finish_closing();
            return;
        case Wait::kTurnEnd:
            return handle_turn_ended();
    }
}

void LtpOutduct::look_up() {
    resolver_.resolve(config_.url, [this](const auto &found, const auto &error) {
        handle_resolved(found, error);
    });
}

void LtpOutduct::handle_resolved(const NameResolver::Found &found,
                                 const boost::system::error_code &error) {
    std::string unbound;
    const bool usable = std::ranges::any_of(found, [&](const auto &entry) {
        unbound = connect_to(entry.endpoint());
        return unbound.empty();
    });
    if (!usable) {
        resources_.host.on_unreachable(
            config_.id, found.empty() ? unusable_words(found, config_.url, error) : unbound);
        return retry_at(reconnection_.handle_failed(monotonic_now()), LinkFault::kConnectFailed);
    }
    const BitRate rate = slower_of(config_.rate_limit, rate_);
    // Logged once for each open(), not for each attempt.
    if (std::exchange(announce_, false)) {
        warn_of_limits(log_, config_, rate);
        const auto in_seconds = [](Duration time) {
            return std::chrono::duration<double>(time).count();
        };
        log_.info(
            "link {}: LTP engine {} at {}: sessions survive an outage of {} s at a one-way light "
            "time of {} s",
            config_.id.value(), remote_engine().value(), config::authority_of(config_.url),
            in_seconds(config::survivable_outage(config_.ltp)), in_seconds(config_.ltp.owlt));
    }
    static_cast<void>(line_->receiver.open());
    line_->receiver.introduce({config_.peer_node_id, {}, false});
    if (asks_) return wait_for_answer();
    come_up();
}

void LtpOutduct::come_up() {
    connected_at_ = monotonic_now();
    moved_ = false;
    transition(LinkState::kConnected, LinkFault::kNone);
    if (line_) line_->port.pump();  // its timers run
}

// Waits as long as it takes to declare a neighbour silent. The name is resolved anew after that,
// since its address may have changed.
void LtpOutduct::wait_for_answer() {
    line_->port.pump();
    const LinkTiming timing{owlt_, config_.ltp.margin};
    wait_until(monotonic_now() + timing.answer_within() * (config_.ltp.max_retries + 1),
               Wait::kAnswer);
}

void LtpOutduct::give_up_waiting() {
    if (!line_ || state_ != LinkState::kConnecting) return;
    end_line(LinkFault::kNone);
    retry_at(reconnection_.handle_failed(monotonic_now()), LinkFault::kUnresponsive);
}

std::string LtpOutduct::connect_to(const udp::endpoint &peer) {
    boost::system::error_code error;
    udp::endpoint local(peer.protocol(), config_.ltp.sender_bound_port);
    if (!config_.bind_address.empty())
        local.address(boost::asio::ip::make_address(config_.bind_address, error));
    if (error) return "bindAddress " + config_.bind_address + ": " + error.message();
    line_ = std::make_shared<Line>(*this);
    if (const auto refused = line_->port.open(local)) {
        line_.reset();
        std::string why = "cannot bind UDP address " + local.address().to_string() + " port " +
                          std::to_string(local.port()) + ": " + refused.message();
        if (const auto suppressed = unbound_log_.admit(monotonic_now()))
            log_.error("link {}: {}{}", config_.id.value(), why,
                       suppressed_lines_text(*suppressed));
        return why;
    }
    PeerConfig peer_settings = peer_config(config_, remote_engine());
    set_spooling(peer_settings, config_, resources_.buffer);
    peer_settings.timing.owlt = owlt_;
    peer_settings.authenticator = keys_.own();
    peer_settings.presumed_silent = asks_;
    line_->peer = line_->port.add_peer(peer_settings, DatagramAddress(peer));
    line_->sender.emplace(resources_, line_->port, line_->peer, config_.id, config_);
    if (rate_.value() != 0) line_->port.set_rate(line_->peer, rate_);
    return {};
}

void LtpOutduct::retry_at(TimePoint when, LinkFault fault) {
    wait_until(when, Wait::kRetry);
    if (state_ != LinkState::kConnecting) transition(LinkState::kConnecting, fault);
}

// A session has reached its limit of retries (RFC 5326 section 6.7), pings have no answer, or the
// neighbour cancels sessions since its client service does not run (section 3.2.4: UNREACH), as
// while its node starts or stops.
void LtpOutduct::lose_neighbour() {
    lost_ = answered_ = false;
    const bool no_client = std::exchange(no_client_, false);
    const LinkFault fault = no_client ? LinkFault::kNoClient : LinkFault::kUnresponsive;
    if (!line_ || state_ == LinkState::kClosed) return;
    asks_ = !no_client && config_.ltp.ping_interval > Duration::zero();
    if (trial_.on() && !no_client) {
        const auto line = line_;
        line->sender->give_back();
        if (line_ != line) return;
    }
    trial_.begin();
    end_line(fault);
    if (state_ == LinkState::kClosing || std::exchange(suspended_, false)) {
        timer_->cancel();
        return transition(LinkState::kClosed, fault);
    }
    const TimePoint now = monotonic_now();
    // Without an acknowledgement it is not certain that there was a neighbour.
    const SessionOutcome outcome{fault, moved_, moved_, now - connected_at_, {}};
    retry_at(reconnection_.handle_session(outcome, now), fault);
}

void LtpOutduct::end_line(LinkFault fault) {
    line_->receiver.close(fault);
    line_->tally.report_ended(resources_.host, config_.id, {config_.peer_node_id, {}, false},
                              line_->port.engine().counters(line_->peer));
    line_->port.close();
    line_.reset();
}

// ---- the end of a contact, and of the link

// The port stays open: the neighbour may go on sending to it.
void LtpOutduct::suspend() {
    if (state_ == LinkState::kConnecting) return close();
    if (state_ != LinkState::kConnected || suspended_) return;
    line_->sender->flush_block();
    line_->sender->break_off();
    suspended_ = true;
    line_->port.set_contact(line_->peer, false);
}

void LtpOutduct::close() {
    if (state_ == LinkState::kClosed || state_ == LinkState::kClosing) return;
    resolver_.cancel();
    timer_->cancel();
    if (line_ && !suspended_) line_->sender->break_off();
    const bool wait = line_ && !suspended_ && line_->sender->unfinished() > 0;
    if (!wait) return finish_closing();
    transition(LinkState::kClosing, LinkFault::kNone);
    line_->sender->flush_block();
    line_->port.pump();
    wait_until(monotonic_now() + 2 * (owlt_ + config_.ltp.margin) + kClosingWait, Wait::kClosing);
}

void LtpOutduct::finish_closing() {
    timer_->cancel();
    suspended_ = lost_ = no_client_ = answered_ = false;
    if (line_) end_line(LinkFault::kNone);
    transition(LinkState::kClosed, LinkFault::kNone);
}

// ---- bundles

std::uint64_t LtpOutduct::transmit_credit() const {
    if (state_ != LinkState::kConnected || suspended_ || lost_) return 0;
    return trial_.credit(line_->sender->credit(), line_->sender->unfinished());
}

void LtpOutduct::transmit(std::span<const TxBundle> bundles) {
    line_->sender->transmit(bundles);
}

void LtpOutduct::flush() {
    if (line_) line_->port.pump();
}

void LtpOutduct::break_off() {
    if (line_) line_->sender->break_off();
}

void LtpOutduct::acknowledge(UpstreamId upstream, std::uint64_t first, std::uint32_t count,
                             TransferDisposition disposition) {
    if (line_ && line_->receiver.upstream() == upstream)
        line_->receiver.acknowledge(first, count, disposition);
}

void LtpOutduct::flush_acknowledgements() {
    if (line_) line_->port.pump();
}

void LtpOutduct::pause(UpstreamId upstream, bool paused) {
    if (line_ && line_->receiver.upstream() == upstream) line_->port.pause(line_->peer, paused);
}

void LtpOutduct::report_counts() {
    report_strangers(resources_.host, config_.id,
                     dropped_.total() - std::exchange(strangers_published_, dropped_.total()));
    if (line_)
        line_->tally.report(resources_.host, config_.id, {config_.peer_node_id, {}, false},
                            line_->port.engine(), line_->peer);
}

void LtpOutduct::set_rate(BitRate rate) {
    rate_ = rate;
    if (!line_) return;
    warn_of_limits(log_, config_, slower_of(config_.rate_limit, rate));
    line_->port.set_rate(line_->peer, rate);
}

void LtpOutduct::set_owlt(Duration owlt) {
    owlt_ = owlt == Duration{} ? configured_owlt_ : owlt;
    config_.ltp.owlt = owlt_;
    if (line_) line_->port.set_owlt(line_->peer, owlt_);
}

// ---- calls of the port

void LtpOutduct::on_block(const ReceivedBlock &block) {
    const auto line = line_;
    line->receiver.handle(block);
}

// The neighbour may answer from any port of its address, unless the link is strict.
std::optional<PeerId> LtpOutduct::on_foreign_port(const DatagramAddress &from, ByteView) {
    if (config_.strict) return std::nullopt;
    const auto address = line_->port.address_of(line_->peer).endpoint().address();
    if (from.endpoint().address() != address) return std::nullopt;
    line_->port.set_alias(line_->peer, from);
    return line_->peer;
}

std::optional<PeerId> LtpOutduct::on_stranger(const DatagramAddress &from, ByteView) {
    dropped_.count(from, config_.id, monotonic_now());
    return std::nullopt;
}

void LtpOutduct::on_event(const Event &event) {
    switch (event.type) {
        case EventType::kDelivered:
            moved_ = true;
            trial_.handle_answer();
            return handle_end(event);
        case EventType::kCancelled:
            if (event.reason == CancelReason::kRetransmitLimit) lost_ = true;
            return handle_end(event);
        case EventType::kCancelledByPeer:
            if (event.reason == CancelReason::kUnreachable)
                lost_ = no_client_ = true;
            else
                trial_.handle_answer();
            return handle_end(event);
        case EventType::kPeerSilent:
            lost_ = true;
            return;
        case EventType::kPeerResponds:
            asks_ = false;
            answered_ = state_ == LinkState::kConnecting;
            return;
        case EventType::kPartEnded:
            return handle_end(event);
        case EventType::kReceptionCancelled:
        case EventType::kNumbersCut:
            return;
    }
}

void LtpOutduct::handle_end(const Event &event) {
    trial_.handle_end();
    line_->sender->handle(event);
}

void LtpOutduct::on_turn_end() {
    const auto line = line_;
    line->sender->report();
    if (trial_.take_more() && transmit_credit() > 0) resources_.host.on_writable(config_.id);
    if (line_ != line) return;
    const bool done = state_ == LinkState::kClosing && line->sender->unfinished() == 0;
    if (!lost_ && !answered_ && !done) return;
    // Not at once: the port is still at work on this turn.
    wait_until(monotonic_now(), Wait::kTurnEnd);
}

void LtpOutduct::handle_turn_ended() {
    if (!line_) return;
    if (lost_) return lose_neighbour();
    if (std::exchange(answered_, false) && state_ == LinkState::kConnecting) return come_up();
    if (state_ == LinkState::kClosing && line_->sender->unfinished() == 0) finish_closing();
}

}  // namespace farlink::cla::ltp
