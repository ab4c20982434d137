// SPDX-License-Identifier: Apache-2.0
// The bundles of a run: in flight, to be retransmitted, acknowledged.
// Owned by the generator; one thread; no link and no clock.
// Bundles are kept as numbers, since a number always renders the same bundle.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "apps/shared/traffic/bundle_group.hpp"
#include "cla/api/link.hpp"
#include "common/base/time.hpp"
#include "common/buffer/ring.hpp"

namespace farlink::traffic {

/// Consecutive bundles of a run that are rendered alike.
struct Stretch {
    std::uint64_t first = 0;  ///< sequence number
    std::uint64_t count = 0;
    std::uint64_t sent_unix_ns = 0;  ///< when they were sent first
    std::uint64_t total = 0;         ///< bundles of the run, as these state it
};

class SendWindow {
public:
    /// A refused bundle is offered again after this time.
    static constexpr Duration kRetryPause = milliseconds(100);

    /// Limit of octets in flight; one bundle is always allowed.
    SendWindow(std::uint64_t max_bytes, std::uint64_t max_bundles)
        : max_bytes_(max_bytes), max_bundles_(max_bundles) {}

    /// The token of the next bundle that is given to the link.
    [[nodiscard]] std::uint64_t next_token() const { return next_token_; }
    /// The link has taken these bundles, `bytes` in total. `memory` is what it refers to.
    void handle_sent(const Stretch &bundles, std::uint64_t bytes, GroupMemoryPtr memory);
    /// As LinkHost::on_transmitted() and on_refused().
    void handle_transmitted(std::uint64_t token);
    void handle_refused(std::uint64_t token, cla::Refusal refusal, TimePoint now);
    /// The session has ended: bundles in flight must be sent again.
    void handle_lost(TimePoint now);

    /// Up to `at_most` bundles that are due for retransmission.
    [[nodiscard]] std::optional<Stretch> poll_resend(std::uint64_t at_most, TimePoint now);
    /// The next time at which poll_resend() returns bundles.
    [[nodiscard]] TimePoint next_resend() const;
    /// Memory to which no link refers any more; null when there is none.
    [[nodiscard]] GroupMemoryPtr poll_memory();

    /// The number of bundles of at most `bundle_bytes` that may be sent now; at least one when
    /// nothing is in flight.
    [[nodiscard]] std::uint64_t room(std::uint64_t bundle_bytes) const {
        return std::max<std::uint64_t>(in_flight_.empty() ? 1 : 0, within(bundle_bytes));
    }
    /// True when no bundle is in flight or to be sent again.
    [[nodiscard]] bool empty() const { return in_flight_.empty() && again_.empty(); }
    [[nodiscard]] std::uint64_t in_flight_bundles() const { return in_flight_bundles_; }
    [[nodiscard]] std::uint64_t acknowledged() const { return acknowledged_; }
    [[nodiscard]] std::uint64_t resent() const { return resent_; }
    /// Number of refusals, and of bundles refused permanently.
    [[nodiscard]] std::uint64_t refused() const { return refused_; }
    [[nodiscard]] std::uint64_t failed() const { return failed_; }

private:
    [[nodiscard]] std::uint64_t within(std::uint64_t bundle_bytes) const {
        if (in_flight_bundles_ >= max_bundles_) return 0;
        const std::uint64_t bytes = max_bytes_ - std::min(in_flight_bytes_, max_bytes_);
        return std::min(max_bundles_ - in_flight_bundles_,
                        (bytes + bundle_bytes - 1) / bundle_bytes);
    }
    struct InFlight {
        Stretch bundles;
        std::uint64_t first_token = 0;
        std::uint64_t bytes = 0;
        GroupMemoryPtr memory;
    };
    struct Again {
        Stretch bundles;
        TimePoint not_before{};
    };

    [[nodiscard]] std::optional<Stretch> find(std::uint64_t token) const;
    void acknowledge(InFlight &sent, std::uint64_t count);
    void send_again(Stretch bundles, TimePoint not_before);
    void forget_front();

    std::uint64_t max_bytes_;
    std::uint64_t max_bundles_;
    std::uint64_t next_token_ = 0;
    Ring<InFlight> in_flight_;  ///< by token
    Ring<Again> again_;
    std::vector<std::uint64_t> refused_tokens_;  ///< of bundles that are still in in_flight_
    std::vector<GroupMemoryPtr> memory_;
    std::uint64_t in_flight_bytes_ = 0;
    std::uint64_t in_flight_bundles_ = 0;
    std::uint64_t acknowledged_ = 0;
    std::uint64_t resent_ = 0;
    std::uint64_t refused_ = 0;
    std::uint64_t failed_ = 0;
};

}  // namespace farlink::traffic
