// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <boost/asio/post.hpp>

#include "cla/session/session_driver.hpp"
#include "common/runtime/clock.hpp"

namespace farlink::cla {
namespace {

using boost::asio::ip::tcp;

/// What waits longer than this for the rest of its bundle leaves the shared slab.
constexpr milliseconds kCompactAfter{10};

}  // namespace

void SessionDriver::run_turn(Cause cause) {
    if (phase_ == Phase::kGone) return;
    in_turn_ = true;
    if (cause == Cause::kTimer) handle_due(monotonic_now());
    if (tls_ == Tls::kHandshake && phase_ == Phase::kOpen) shake_hands();
    const bool tls_may_go_on = cause == Cause::kWritable && stream_.secured();
    if (cause == Cause::kReadable || tls_may_go_on || stream_.has_buffered()) read_available();
    work_off();
    if (phase_ == Phase::kLingering) discard_input();
    in_turn_ = false;
    watch();
}

void SessionDriver::post_turn() {
    if (std::exchange(turn_posted_, true)) return;
    boost::asio::post(resources_.io, [self = shared_from_this()] {
        self->turn_posted_ = false;
        self->run_turn(Cause::kPosted);
    });
}

// Tells and writes until neither leads to anything more.
void SessionDriver::work_off() {
    do {
        hand_over_events();
        if (tls_ == Tls::kDue && phase_ == Phase::kOpen && all_written()) begin_tls();
    } while (write_available() || (phase_ == Phase::kOpen && has_event()));

    if (lost_ && phase_ == Phase::kOpen) {
        // What the peer said before the connection broke still counts.
        read_available();
        hand_over_events();
        if (phase_ == Phase::kOpen) return end_because_of(LinkFault::kIoError);
    }
    if (phase_ == Phase::kEnding && (lost_ || all_written())) finish();
}

void SessionDriver::handle_due(TimePoint now) {
    if (core_ && core_->next_timeout() <= now) core_->handle_timeout(now);
    if (compact_due_ <= now) {
        const bool done = !core_ || core_->compact(resources_.buffer.pool());
        compact_due_ = done ? kNever : now + kCompactAfter;
        resources_.buffer.rest();
    }
    if (idle_due_ <= now) check_idle(now);
    if (stall_due_ <= now) check_stalled(now);
    if (phase_due_ <= now) {
        phase_due_ = kNever;
        lost_ = true;
        if (phase_ == Phase::kLingering) return close();
    }
    if (rate_due_ <= now) {
        bucket_.catch_up(now);
        const bool ready = bucket_.available(now) > 0;
        rate_due_ = ready ? kNever : bucket_.next_available(now);
        if (ready && phase_ == Phase::kOpen && sending_as_ != kNoLink)
            resources_.host.on_writable(sending_as_);
    }
}

void SessionDriver::check_idle(TimePoint now) {
    idle_due_ = kNever;
    if (phase_ != Phase::kOpen) return;
    const bool busy = core_->inside_bundle() || acknowledged_ < next_token_;
    if (busy) last_bundle_ = now;
    if (!may_read()) last_octet_ = now;
    if (const TimePoint due = idle_deadline(); due > now) {
        idle_due_ = due;
        return;
    }
    own_reason_ = LinkFault::kIdleTimeout;
    core_->handle_terminate(own_reason_, now);
}

// A neighbour may have nothing to say; a stranger's place is wanted by others.
TimePoint SessionDriver::idle_deadline() const {
    TimePoint due = kNever;
    if (setup_->idle_limit > Duration::zero()) due = last_bundle_ + setup_->idle_limit;
    const bool stranger = !moved_ && !known() && sending_as_ == kNoLink;
    if (stranger && setup_->stranger_limit > Duration::zero())
        due = std::min(due, last_octet_ + setup_->stranger_limit);
    return due;
}

// A bundle that has begun and does not go on holds memory that others need.
void SessionDriver::check_stalled(TimePoint now) {
    stall_due_ = kNever;
    if (phase_ != Phase::kOpen || !core_->inside_bundle()) return;
    if (!may_read()) last_octet_ = now;
    if (now - last_octet_ < setup_->config.transfer_limit) {
        stall_due_ = last_octet_ + setup_->config.transfer_limit;
        return;
    }
    lost_ = true;
    end_because_of(LinkFault::kTransferStalled);
}

void SessionDriver::watch() {
    if (phase_ == Phase::kGone) return;
    if (phase_ == Phase::kOpen && core_->inside_bundle()) {
        if (stall_due_ == kNever && setup_->config.transfer_limit > Duration::zero())
            stall_due_ = last_octet_ + setup_->config.transfer_limit;
        if (hold_) hold_->set_excused(!may_read(), last_octet_);
    }
    if (phase_ == Phase::kOpen && compact_due_ == kNever && core_->inside_bundle())
        compact_due_ = monotonic_now() + kCompactAfter;
    watch_readable();
    arm_timer();
}

void SessionDriver::watch_readable() {
    const bool wanted = may_read() || write_needs_read_ || phase_ == Phase::kLingering;
    if (!wanted || waiting_readable_) return;
    if (phase_ != Phase::kLingering && stream_.has_buffered()) return post_turn();
    waiting_readable_ = true;
    stream_.socket().async_wait(tcp::socket::wait_read,
                                [self = shared_from_this()](const auto &error) {
                                    self->waiting_readable_ = false;
                                    self->write_needs_read_ = false;
                                    if (!error) self->run_turn(Cause::kReadable);
                                });
}

void SessionDriver::watch_writable() {
    if (std::exchange(waiting_writable_, true)) return;
    stream_.socket().async_wait(tcp::socket::wait_write,
                                [self = shared_from_this()](const auto &error) {
                                    self->waiting_writable_ = false;
                                    if (!error) self->run_turn(Cause::kWritable);
                                });
}

TimePoint SessionDriver::next_due() const {
    const TimePoint core_due = core_ ? core_->next_timeout() : kNever;
    return std::min({core_due, compact_due_, rate_due_, idle_due_, stall_due_, phase_due_});
}

// An alarm that rings too early finds nothing due and is set anew, which is cheaper than to move it
// with each octet that puts it off.
void SessionDriver::arm_timer() {
    const TimePoint due = next_due();
    if (due >= armed_) return;
    armed_ = due;
    // monotonic_now() counts from the same origin as the steady clock.
    timer_.expires_at(due);
    timer_.async_wait([self = shared_from_this()](const auto &error) {
        if (error) return;
        self->armed_ = kNever;
        self->run_turn(Cause::kTimer);
    });
}

}  // namespace farlink::cla
