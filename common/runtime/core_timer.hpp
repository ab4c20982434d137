// SPDX-License-Identifier: Apache-2.0
// The timer of a core on its loop, armed at the core's next_timeout().
// Owned by an agent.
// Its thread only.
#pragma once

#include <boost/asio/steady_timer.hpp>
#include <functional>

#include "common/base/time.hpp"

namespace farlink {

class CoreTimer {
public:
    CoreTimer(boost::asio::io_context &io, std::function<void()> on_due)
        : timer_(io), on_due_(std::move(on_due)) {}

    /// Fires once at `due`; an earlier arming is replaced, kNever disarms.
    void arm(TimePoint due) {
        if (due == armed_) return;
        armed_ = due;
        if (due == kNever) {
            timer_.cancel();
            return;
        }
        // monotonic_now() counts from the same origin as the steady clock.
        timer_.expires_at(std::chrono::steady_clock::time_point(due.time_since_epoch()));
        timer_.async_wait([this](const boost::system::error_code &error) {
            if (error) return;
            armed_ = kNever;
            on_due_();
        });
    }

private:
    boost::asio::steady_timer timer_;
    std::function<void()> on_due_;
    TimePoint armed_ = kNever;
};

}  // namespace farlink
