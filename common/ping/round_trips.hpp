// SPDX-License-Identifier: Apache-2.0
// A run of echo requests: their sequence numbers, those under way, replies with their times,
// losses. Owned by the part that reports the run; one thread; no link and no clock. A request is
// lost when its reply has not come within the timeout.
#pragma once

#include <cstdint>
#include <optional>
#include <variant>

#include "common/base/time.hpp"
#include "common/buffer/ring.hpp"
#include "common/ping/outstanding.hpp"
#include "common/telemetry/latency_record.hpp"

namespace farlink::ping {

class RoundTrips {
public:
    explicit RoundTrips(Duration timeout) : timeout_(timeout) {}

    /// Begins a round trip; returns its sequence number.
    std::uint64_t handle_sent(TimePoint now);
    /// The round-trip time. Empty, and counted as unexpected, for a duplicate, a late reply and a
    /// reply without a request.
    [[nodiscard]] std::optional<Duration> handle_reply(std::uint64_t sequence, TimePoint now);
    /// Adds a round trip that another program has measured, or given up if `taken` is empty;
    /// returns its sequence number.
    std::uint64_t add_measured(std::optional<Duration> taken);
    /// Gives up requests whose timeout has passed.
    void handle_timeout(TimePoint now);
    /// The number of the next request that was given up, each once.
    [[nodiscard]] std::optional<std::uint64_t> poll_lost() {
        return given_up_.empty() ? std::nullopt : std::optional(given_up_.pop_front());
    }
    /// The next timeout; kNever without pending requests.
    [[nodiscard]] TimePoint next_timeout() const { return requests_.next_timeout(); }

    /// True when every request is answered or given up.
    [[nodiscard]] bool acknowledged() const { return requests_.empty(); }
    [[nodiscard]] std::uint64_t sent() const { return sent_; }
    [[nodiscard]] std::uint64_t received() const { return times_.count(); }
    /// Requests sent, pending ones included.
    [[nodiscard]] std::uint64_t lost() const { return sent_ - received(); }
    /// 0 if none was sent.
    [[nodiscard]] double lost_percent() const;
    [[nodiscard]] std::uint64_t unexpected() const { return unexpected_; }
    [[nodiscard]] const telemetry::LatencyRecord &times() const { return times_; }

private:
    void add_time(Duration taken) { times_.add(static_cast<std::uint64_t>(taken.count())); }

    Duration timeout_;
    Outstanding<std::monostate> requests_;
    Ring<std::uint64_t> given_up_;  ///< not polled yet
    std::uint64_t sent_ = 0;
    std::uint64_t unexpected_ = 0;
    telemetry::LatencyRecord times_;
};

}  // namespace farlink::ping
