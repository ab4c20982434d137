// SPDX-License-Identifier: Apache-2.0
// A timer for the next datagram that is due at the end of a wire.
// Owned by one end of a relay; its loop's thread only.
// Setting it for an earlier time replaces the later one.
#pragma once

#include <algorithm>
#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/steady_timer.hpp>
#include <functional>

#include "common/runtime/clock.hpp"

namespace farlink::linkemu {

/// Due times are rounded up to this, so that many datagrams leave with one system call.
inline constexpr Duration kTick = microseconds(200);

class WireAlarm {
public:
    WireAlarm(const boost::asio::any_io_executor &executor, std::function<void()> ring)
        : timer_(executor), ring_(std::move(ring)) {}

    /// kNever: leave it as it is.
    void set(TimePoint due) {
        if (due == kNever || due == due_) return;
        due_ = due;
        const TimePoint at = std::max(due, monotonic_now() + kTick);
        timer_.expires_at(std::chrono::steady_clock::time_point(at.time_since_epoch()));
        timer_.async_wait([this](const boost::system::error_code &error) {
            if (error) return;
            due_ = kNever;
            ring_();
        });
    }

private:
    boost::asio::steady_timer timer_;
    std::function<void()> ring_;
    TimePoint due_ = kNever;
};

}  // namespace farlink::linkemu
