// SPDX-License-Identifier: Apache-2.0
// When a link that has lost its neighbour, or does not find it, may try again.
// Owned by a Connector; one thread. It reads no clock and opens nothing.
// Attempts are spaced by a back-off with jitter, which only a session of use resets, so that a
// neighbour that accepts connections and ends them at once is not stormed.
#pragma once

#include "cla/api/link_fault.hpp"
#include "cla/io/back_off.hpp"
#include "common/base/time.hpp"

namespace farlink::cla {

/// What became of a connection, as far as it matters to the next one.
struct SessionOutcome {
    LinkFault fault = LinkFault::kNone;
    bool established = false;       ///< bundles could have gone
    bool moved = false;             ///< a bundle arrived, or one of ours was accepted
    Duration lived{};               ///< since it was established
    Duration reconnection_delay{};  ///< how long the peer is to be left alone
};

/// Of use is a session that moved a bundle; it counts as lasting from kLasting on.
///
/// |                        | short                  | lasting         |
/// |------------------------|------------------------|-----------------|
/// | of use                 | the back-off stays     | it starts anew  |
/// | of no use              | it doubles             | it stays        |
///
/// A neighbour that refuses one bundle after the other (kPeerRefusesBundles) opens the breaker: for
/// a second where the session has moved a bundle before, else twice as long as the last time, at
/// most a minute.
class Reconnection {
public:
    static constexpr Duration kLasting = seconds(1);
    static constexpr Duration kBreakerMin = seconds(1);
    static constexpr Duration kBreakerMax = seconds(60);
    /// A peer cannot keep a link away for longer.
    static constexpr Duration kLongestDelay = std::chrono::minutes(10);

    /// `min` and `max` bound the back-off; `seed` draws the jitter.
    Reconnection(Duration min, Duration max, std::uint64_t seed);

    /// The link is opened; when it may connect: at once, unless the breaker is open or the peer
    /// has announced a delay.
    [[nodiscard]] TimePoint handle_opened(TimePoint now);
    /// No connection came about; when to try again.
    [[nodiscard]] TimePoint handle_failed(TimePoint now);
    /// A connection has ended; when to try again.
    [[nodiscard]] TimePoint handle_session(const SessionOutcome &outcome, TimePoint now);

private:
    void bar(TimePoint until) { barred_until_ = std::max(barred_until_, until); }

    BackOff back_off_;
    Duration breaker_ = kBreakerMin;
    TimePoint barred_until_{};
};

}  // namespace farlink::cla
