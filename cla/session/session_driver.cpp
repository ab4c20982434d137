// SPDX-License-Identifier: Apache-2.0
#include "cla/session/session_driver.hpp"

#include <algorithm>
#include <boost/asio/post.hpp>
#include <utility>

#include "common/runtime/clock.hpp"

namespace farlink::cla {
namespace {

using boost::asio::ip::tcp;
using Tls = SessionConnection::Tls;

/// For what is still to be written when a session has ended, and then for the peer's end.
constexpr seconds kEndingLimit{2};
constexpr seconds kLingeringLimit{1};

SessionLimits::Limits limits_of(const SessionSetup &setup) {
    return {setup.idle_limit, setup.stranger_limit, setup.config.transfer_limit};
}

}  // namespace

SessionDriver::SessionDriver(tcp::socket socket, LinkResources resources, SessionSetup &setup,
                             SessionOwner &owner, LinkId link, UpstreamId id)
    : resources_(resources),
      owner_(&owner),
      link_(link),
      id_(id),
      connection_(std::move(socket), setup.make_core(setup.config, id)),
      reader_(connection_, resources.buffer),
      writer_(connection_, setup.rate_limit),
      handshake_(connection_, setup, link),
      limits_(limits_of(setup)),
      peer_(connection_, setup, limits_, resources.host, link),
      timer_(resources.io) {}

void SessionDriver::transition(Phase to) {
    const bool allowed = (to == Phase::kEnding && phase_ == Phase::kOpen) ||
                         (to == Phase::kLingering && phase_ < Phase::kLingering) ||
                         (to == Phase::kGone && phase_ != Phase::kGone);
    FARLINK_INVARIANT(allowed);
    phase_ = to;
}

// ---- commands

void SessionDriver::start() {
    const auto give_up = [this] {
        boost::asio::post(resources_.io, while_open(*this, [](SessionDriver &self) {
                              self.fail(LinkFault::kNoRoom);
                          }));
    };
    const PeerIdentity &peer = peer_.identity();
    connection_.hold.emplace(resources_.buffer.shares(), link_, peer.address,
                             resources_.host.knows(link_, peer), give_up);
    if (peer_.known()) limits_.handle_trusted();
    connection_.core->handle_connected(monotonic_now());
    run_turn(Cause::kCommand);
}

void SessionDriver::terminate(bool unfinished) {
    if (phase_ != Phase::kOpen || (unfinished && !writer_.awaits_pieces())) return;
    connection_.core->handle_terminate(LinkFault::kNone, monotonic_now());
    flush();
}

void SessionDriver::fail(LinkFault fault) {
    if (phase_ >= Phase::kLingering) return;
    connection_.lost = true;
    end_.fault = fault;
    finish();
}

void SessionDriver::abandon() {
    owner_ = nullptr;
    if (phase_ != Phase::kGone) close();
}

void SessionDriver::pause(bool paused) {
    if (phase_ != Phase::kOpen) return;
    connection_.core->handle_pause(paused);
    flush();
}

void SessionDriver::acknowledge(std::uint64_t first, std::uint32_t count,
                                TransferDisposition disposition) {
    if (phase_ == Phase::kOpen)
        connection_.core->handle_disposition(first, count, disposition, monotonic_now());
}

void SessionDriver::transmit(std::span<const TxBundle> bundles) {
    if (phase_ == Phase::kOpen && !bundles.empty()) writer_.transmit(bundles, monotonic_now());
}

// Inside a turn everything is written at its end: acknowledgements and bundles in one piece.
void SessionDriver::flush() {
    if (in_turn_ || phase_ != Phase::kOpen) return;
    (void)write_available();
    if (connection_.lost || connection_.has_event()) return post_turn();
    watch();
}

std::uint64_t SessionDriver::transmit_credit() const {
    return phase_ == Phase::kOpen && established() ? writer_.credit() : 0;
}

std::uint64_t SessionDriver::max_bundle_bytes() const {
    return connection_.core && established() ? connection_.core->max_bundle_bytes()
                                             : ~std::uint64_t{0};
}

void SessionDriver::set_rate(BitRate rate) {
    writer_.set_contact_rate(rate, monotonic_now());
    if (phase_ == Phase::kOpen && !in_turn_) arm_timer();
}

void SessionDriver::send_as(LinkId link) {
    sending_as_ = link;
    limits_.handle_trusted();
}

// ---- turns

void SessionDriver::run_turn(Cause cause) {
    if (phase_ == Phase::kGone) return;
    in_turn_ = true;
    if (cause == Cause::kTimer) handle_due(monotonic_now());
    if (connection_.tls == Tls::kHandshake && phase_ == Phase::kOpen) shake_hands();
    const bool tls_may_go_on = cause == Cause::kWritable && connection_.stream.secured();
    if (cause == Cause::kReadable || tls_may_go_on || connection_.stream.has_buffered())
        read_available();
    work_off();
    if (phase_ == Phase::kLingering && reader_.discard_input()) close();
    in_turn_ = false;
    watch();
}

void SessionDriver::post_turn() {
    if (std::exchange(turn_posted_, true)) return;
    boost::asio::post(resources_.io, while_open(*this, [](SessionDriver &self) {
                          self.turn_posted_ = false;
                          self.run_turn(Cause::kPosted);
                      }));
}

// Reports and writes until neither leads to anything more.
void SessionDriver::work_off() {
    do {
        publish_events();
        if (connection_.tls == Tls::kDue && phase_ == Phase::kOpen && writer_.all_written()) {
            handshake_.begin(monotonic_now());
            shake_hands();
        }
    } while (write_available() || (phase_ == Phase::kOpen && connection_.has_event()));

    if (connection_.lost && phase_ == Phase::kOpen) {
        // What the peer sent before the connection broke still counts.
        read_available();
        publish_events();
        if (phase_ != Phase::kOpen) return;
        const bool refused = connection_.stream.refused_by_peer() && !established();
        if (refused) detail_ = connection_.stream.reason();
        return fail(refused ? LinkFault::kTlsFailed : LinkFault::kIoError);
    }
    if (phase_ == Phase::kEnding && (connection_.lost || writer_.all_written())) finish();
}

void SessionDriver::handle_due(TimePoint now) {
    SessionCore *const core = connection_.core.get();
    if (core != nullptr && core->next_timeout() <= now) core->handle_timeout(now);
    if (limits_.compact_due() <= now) {
        const bool done = core == nullptr || core->compact(resources_.buffer.pool());
        limits_.handle_compacted(done, now);
        resources_.buffer.rest();
    }
    check_silence(now);
    if (phase_due_ <= now) {
        phase_due_ = kNever;
        connection_.lost = true;
        if (phase_ == Phase::kLingering) return close();
    }
    if (writer_.rate_due() <= now && writer_.handle_rate_due(now) && phase_ == Phase::kOpen &&
        sending_as_ != kNoLink)
        resources_.host.on_writable(sending_as_);
}

void SessionDriver::check_silence(TimePoint now) {
    const bool open = phase_ == Phase::kOpen;
    if (limits_.idle_due() <= now) {
        limits_.clear_idle();
        if (open && !may_read()) reader_.excuse_silence(now);
        const bool busy = open && (connection_.core->inside_bundle() ||
                                   writer_.awaits_acknowledgement() || writer_.awaits_pieces());
        if (open && limits_.idle_passed(busy, reader_.last_octet(), now)) {
            own_reason_ = LinkFault::kIdleTimeout;
            connection_.core->handle_terminate(own_reason_, now);
        }
    }
    if (limits_.stall_due() <= now) {
        limits_.clear_stall();
        if (!open || !connection_.core->inside_bundle()) return;
        if (!may_read()) reader_.excuse_silence(now);
        if (limits_.transfer_stalled(reader_.last_octet(), now)) fail(LinkFault::kTransferStalled);
    }
}

void SessionDriver::read_available() {
    reader_.begin_turn(monotonic_now());
    while (may_read() && reader_.turn_goes_on()) {
        const StreamResult got = reader_.read_some();
        if (got.bytes > 0) publish_bundles();
        if (got.status == StreamStatus::kOk) continue;
        if (phase_ != Phase::kOpen) break;
        if (got.status == StreamStatus::kWaitWritable) watch_writable();
        reader_.handle_status(got.status, monotonic_now());
        break;
    }
    reader_.end_turn(phase_ == Phase::kOpen);
}

// True when octets were written.
bool SessionDriver::write_available() {
    if (phase_ > Phase::kEnding || connection_.lost || waiting_writable_ ||
        connection_.tls == Tls::kHandshake)
        return false;
    const StreamResult done = writer_.write();
    if (done.status == StreamStatus::kWaitWritable) watch_writable();
    return done.bytes > 0;
}

void SessionDriver::shake_hands() {
    switch (handshake_.proceed()) {
        case StreamStatus::kOk:
            return connection_.core->handle_secured(monotonic_now());
        case StreamStatus::kWaitReadable:
            return;
        case StreamStatus::kWaitWritable:
            return watch_writable();
        case StreamStatus::kEnded:
        case StreamStatus::kFailed:
            break;
    }
    detail_ = connection_.stream.reason();
    handshake_.log_failure(peer_.identity().address, monotonic_now());
    end_.fault = LinkFault::kTlsFailed;
    finish();
}

void SessionDriver::watch() {
    if (phase_ == Phase::kGone) return;
    if (phase_ == Phase::kOpen && connection_.core->inside_bundle()) {
        limits_.handle_unfinished(reader_.last_octet(), monotonic_now());
        if (connection_.hold) connection_.hold->set_excused(!may_read(), reader_.last_octet());
    }
    watch_readable();
    arm_timer();
}

void SessionDriver::watch_readable() {
    const bool wanted = may_read() || writer_.needs_read() || phase_ == Phase::kLingering;
    if (!wanted || waiting_readable_) return;
    if (phase_ != Phase::kLingering && connection_.stream.has_buffered()) return post_turn();
    waiting_readable_ = true;
    connection_.stream.socket().async_wait(
        tcp::socket::wait_read, while_open(*this, [](SessionDriver &self, const auto &error) {
            self.waiting_readable_ = false;
            self.writer_.handle_readable();
            if (!error) self.run_turn(Cause::kReadable);
        }));
}

void SessionDriver::watch_writable() {
    if (std::exchange(waiting_writable_, true)) return;
    connection_.stream.socket().async_wait(
        tcp::socket::wait_write, while_open(*this, [](SessionDriver &self, const auto &error) {
            self.waiting_writable_ = false;
            if (!error) self.run_turn(Cause::kWritable);
        }));
}

// A timer that runs out too early finds nothing due and is set anew, which is cheaper than to move
// it with each octet that puts it off.
void SessionDriver::arm_timer() {
    const TimePoint core_due = connection_.core ? connection_.core->next_timeout() : kNever;
    const TimePoint due = std::min({core_due, limits_.next(), writer_.rate_due(), phase_due_});
    if (due >= armed_) return;
    armed_ = due;
    // monotonic_now() counts from the same origin as the steady clock.
    timer_.expires_at(due);
    timer_.async_wait(while_open(*this, [](SessionDriver &self, const auto &error) {
        if (error) return;
        self.armed_ = kNever;
        self.run_turn(Cause::kTimer);
    }));
}

// ---- events

void SessionDriver::publish_events() {
    while (phase_ == Phase::kOpen && connection_.has_event()) {
        const SessionEvent event = connection_.take_event();
        handle(event);
    }
}

void SessionDriver::handle(const SessionEvent &event) {
    switch (event.kind) {
        case SessionEvent::Kind::kStartTls:
            connection_.tls = Tls::kDue;
            return;
        case SessionEvent::Kind::kPeerAnnounced:
            detail_ = peer_.judge(monotonic_now());
            return;
        case SessionEvent::Kind::kEstablished:
            return publish_established();
        case SessionEvent::Kind::kTransmitted:
            return publish_transmitted(event.token);
        case SessionEvent::Kind::kRefused:
            return publish_refused(event);
        case SessionEvent::Kind::kBundlesRefused:
            refused_arrivals_ += event.token;
            return;
        case SessionEvent::Kind::kWritable:
            if (sending_as_ != kNoLink) resources_.host.on_writable(sending_as_);
            return;
        case SessionEvent::Kind::kDeparture:
            return resources_.host.on_deviation(link_, peer_.identity(), event.deviation);
        case SessionEvent::Kind::kEnded:
            end_ = event;
            phase_due_ = monotonic_now() + kEndingLimit;
            return transition(Phase::kEnding);
    }
}

// The host gets the identity of the peer before its bundles, and the end after them.
void SessionDriver::publish_bundles() {
    publish_events();
    if (!reader_.received().empty() && owner_ != nullptr) {
        moved_ = true;
        limits_.handle_trusted();
        limits_.handle_bundle(monotonic_now());
        resources_.host.on_bundles(link_, id_, reader_.received());
    }
    reader_.received().clear();
    const std::uint64_t refused = std::exchange(refused_arrivals_, 0);
    if (refused > 0 && owner_ != nullptr && phase_ < Phase::kLingering)
        resources_.host.on_bundles_refused(link_, id_, refused, true);
}

void SessionDriver::publish_established() {
    const TimePoint now = monotonic_now();
    established_at_ = now;
    limits_.handle_established(reader_.last_octet(), now);
    const bool acknowledges = connection_.core->acknowledges();
    owner_->handle_established(*this);
    if (owner_ != nullptr) resources_.host.on_upstream_opened(link_, id_, acknowledges);
    if (owner_ != nullptr) resources_.host.on_peer(link_, id_, peer_.identity());
}

void SessionDriver::publish_transmitted(std::uint64_t token) {
    if (writer_.handle_acknowledged(token)) {
        moved_ = true;
        limits_.handle_trusted();
    }
    limits_.handle_bundle(monotonic_now());
    if (sending_as_ != kNoLink) resources_.host.on_transmitted(sending_as_, token);
}

void SessionDriver::publish_refused(const SessionEvent &event) {
    const bool of_no_use = writer_.handle_refused(event.token, event.refusal);
    if (of_no_use && own_reason_ == LinkFault::kNone) {
        own_reason_ = LinkFault::kPeerRefusesBundles;
        connection_.core->handle_terminate(own_reason_, monotonic_now());
    }
    if (sending_as_ != kNoLink) resources_.host.on_refused(sending_as_, event.token, event.refusal);
}

// ---- the end

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

    connection_.end_protocol();
    resources_.buffer.finished(id_);
    resources_.buffer.rest();
    if (outcome.fault != LinkFault::kNone)
        resources_.host.on_ending(link_, peer_.identity(), detail_);
    owner_->handle_ended(*this, outcome);
    if (phase_ == Phase::kGone) return;
    // Closed at once, what the peer still sends would reset the connection, and with it what the
    // peer has not read yet: the reason of the end.
    if (!connection_.lost) connection_.stream.shut_down_writing();
    if (connection_.lost || reader_.ended()) return close();
    phase_due_ = now + kLingeringLimit;
}

void SessionDriver::close() {
    transition(Phase::kGone);
    mark_closed();
    connection_.end_protocol();
    timer_.cancel();
    connection_.stream.close();
    resources_.buffer.finished(id_);
    resources_.buffer.rest();
    if (owner_ != nullptr) owner_->handle_gone(*this);
}

}  // namespace farlink::cla
