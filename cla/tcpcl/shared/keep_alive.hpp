// SPDX-License-Identifier: Apache-2.0
// When a session has to send a KEEPALIVE, and when its peer has been silent for too long
// (RFC 9174 section 5.1.1; RFC 7242 section 5.6).
// Owned by one session's core; one thread.
// A silence does not count against the peer where this side did not read.
#pragma once

#include "common/base/time.hpp"

namespace farlink::cla::tcpcl {

class KeepAlive {
public:
    /// `interval` as negotiated; zero: none are sent or expected.
    void start(Duration interval, TimePoint now) {
        interval_ = interval;
        sent_ = now;
        handle_received(now);
    }
    void handle_sent(TimePoint now) { sent_ = now; }
    void handle_received(TimePoint now) {
        received_ = now;
        read_paused_ = false;
    }
    /// The session does not read, or did not for some time since the last octet came.
    void handle_read_paused() { read_paused_ = true; }

    [[nodiscard]] bool enabled() const { return interval_ > Duration::zero(); }
    /// When nothing has been sent for the interval.
    [[nodiscard]] TimePoint send_due() const { return enabled() ? sent_ + interval_ : kNever; }
    /// When nothing has come for twice the interval.
    [[nodiscard]] TimePoint idle_due() const {
        return enabled() ? received_ + 2 * interval_ : kNever;
    }
    /// Whether the peer has been silent for too long. `reads`: the session reads now; `pauses`: it
    /// may not read from now on, so that the silence to come does not count either.
    [[nodiscard]] bool peer_is_idle(bool reads, bool pauses, TimePoint now) {
        if (now < idle_due()) return false;
        if (reads && !read_paused_) return true;
        received_ = now;
        read_paused_ = pauses;
        return false;
    }

private:
    Duration interval_{};
    TimePoint sent_{};
    TimePoint received_{};
    bool read_paused_ = false;
};

}  // namespace farlink::cla::tcpcl
