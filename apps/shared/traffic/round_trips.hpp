// SPDX-License-Identifier: Apache-2.0
// The requests of a ping run: pending, answered with their times, lost.
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
    /// The round-trip time. Empty, and counted as unexpected, for a duplicate, a late reply and a
    /// reply without a request.
    [[nodiscard]] std::optional<Duration> handle_reply(std::uint64_t sequence, TimePoint now);
    /// Gives up requests whose timeout has passed.
    void handle_timeout(TimePoint now);
    /// The number of the next request that was given up, each once.
    [[nodiscard]] std::optional<std::uint64_t> poll_lost() {
        return given_up_.empty() ? std::nullopt : std::optional(given_up_.pop_front());
    }
    /// The next timeout; kNever without pending requests.
    [[nodiscard]] TimePoint next_timeout() const;

    /// True when every request is answered or given up.
    [[nodiscard]] bool acknowledged() const { return open_ == 0; }
    [[nodiscard]] std::uint64_t sent() const { return first_ + requests_.size(); }
    [[nodiscard]] std::uint64_t received() const { return times_.count(); }
    /// Requests sent, pending ones included.
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
