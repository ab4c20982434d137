// SPDX-License-Identifier: Apache-2.0
// The account of one ping run: which requests are out, which came back, how long they took.
// Owned by the pinger; one thread; no link and no clock.
// A request is lost when its reply has not come within the time-out.
#pragma once

#include <cstdint>
#include <optional>

#include "common/base/time.hpp"
#include "common/buffer/ring.hpp"
#include "common/telemetry/latency_histogram.hpp"

namespace farlink::traffic {

class RoundTrips {
public:
    explicit RoundTrips(Duration timeout) : timeout_(timeout) {}

    /// Begins a round trip; returns its sequence number.
    std::uint64_t handle_sent(TimePoint now);
    /// The time that it took. Empty, and counted as unexpected, when this reply has come before,
    /// comes too late or answers what was never asked.
    [[nodiscard]] std::optional<Duration> handle_reply(std::uint64_t sequence, TimePoint now);
    /// Gives up what has taken too long.
    void handle_timeout(TimePoint now);
    /// The number of the next request that was given up, each once.
    [[nodiscard]] std::optional<std::uint64_t> poll_lost() {
        return given_up_.empty() ? std::nullopt : std::optional(given_up_.pop_front());
    }
    /// When the next request times out; kNever when none is out.
    [[nodiscard]] TimePoint next_timeout() const;

    /// Every request has come back or is given up.
    [[nodiscard]] bool acknowledged() const { return open_ == 0; }
    [[nodiscard]] std::uint64_t sent() const { return first_ + requests_.size(); }
    [[nodiscard]] std::uint64_t received() const { return times_.count(); }
    /// Of those that were sent; what is still out counts as well.
    [[nodiscard]] std::uint64_t lost() const { return sent() - received(); }
    [[nodiscard]] std::uint64_t unexpected() const { return unexpected_; }
    [[nodiscard]] const telemetry::LatencyHistogram &times() const { return times_; }

private:
    struct Request {
        TimePoint sent{};
        bool answered = false;
    };
    void forget_front();

    Duration timeout_;
    Ring<Request> requests_;        ///< from number first_ on; the first one is still out
    Ring<std::uint64_t> given_up_;  ///< not polled yet
    std::uint64_t first_ = 0;
    std::uint64_t open_ = 0;  ///< requests that are out
    std::uint64_t unexpected_ = 0;
    telemetry::LatencyHistogram times_;
};

}  // namespace farlink::traffic
