// SPDX-License-Identifier: Apache-2.0
// When a session speaks only to be heard, and when a silent peer is given up (RFC 7242 section
// 5.6). Owned by one session's core; one thread.
// It is told what was heard and spoken, and answers with points in time.
#pragma once

#include <algorithm>

#include "common/base/time.hpp"

namespace farlink::cla::tcpclv3 {

class Liveness {
public:
    /// The session is established. `interval` 0: no keep-alives, and silence is endured.
    void begin(Duration interval, TimePoint now) {
        interval_ = interval;
        received_at_ = spoken_ = now;
    }
    void handle_received(TimePoint now) { received_at_ = now; }
    void handle_spoken(TimePoint now) { spoken_ = now; }

    [[nodiscard]] bool keeps_alive() const { return interval_ > Duration{}; }
    /// When nothing has been sent for the interval.
    [[nodiscard]] TimePoint keep_alive_due() const { return after(spoken_, interval_); }
    /// When nothing has come for twice the interval.
    [[nodiscard]] TimePoint silence_due() const { return after(received_at_, 2 * interval_); }
    [[nodiscard]] TimePoint next() const { return std::min(keep_alive_due(), silence_due()); }

private:
    [[nodiscard]] static TimePoint after(TimePoint from, Duration limit) {
        return limit > Duration{} ? from + limit : kNever;
    }

    Duration interval_{};
    TimePoint received_at_{};
    TimePoint spoken_{};
};

}  // namespace farlink::cla::tcpclv3
