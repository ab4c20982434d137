// SPDX-License-Identifier: Apache-2.0
// When a session must say that it lives, and when its peer has been silent for too long
// (RFC 9174 section 5.1.1).
// Owned by one session; one thread.
// A silence that this side has caused, because it did not read, is not held against the peer.
#pragma once

#include "common/base/time.hpp"

namespace farlink::cla::tcpclv4 {

class KeepAlive {
public:
    /// `interval` as negotiated; zero: neither sent nor expected.
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
    /// The session does not read, or has not read for some time since it last heard its peer.
    void handle_read_paused() { read_paused_ = true; }

    [[nodiscard]] bool enabled() const { return interval_ > Duration::zero(); }
    [[nodiscard]] TimePoint send_due() const { return enabled() ? sent_ + interval_ : kNever; }
    [[nodiscard]] TimePoint idle_due() const {
        return enabled() ? received_ + 2 * interval_ : kNever;
    }
    /// Whether the peer has been silent for too long. `deaf`: the session does not read now.
    [[nodiscard]] bool peer_is_idle(bool deaf, TimePoint now) {
        if (now < idle_due()) return false;
        if (!deaf && !read_paused_) return true;
        received_ = now;
        read_paused_ = deaf;
        return false;
    }

private:
    Duration interval_{};
    TimePoint sent_{};
    TimePoint received_{};
    bool read_paused_ = false;
};

}  // namespace farlink::cla::tcpclv4
