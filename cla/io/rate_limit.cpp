// SPDX-License-Identifier: Apache-2.0
#include "cla/io/rate_limit.hpp"

#include <algorithm>

#include "common/base/bit_rate.hpp"
#include "common/runtime/clock.hpp"

namespace farlink::cla {

std::uint64_t RateLimit::credit(std::uint64_t room) const {
    if (bucket_.rate() == BitRate{}) return room;
    return std::min(room, bucket_.available(monotonic_now()));
}

// Only when something is taken can the credit become 0, so only then does anybody begin to wait.
void RateLimit::take(std::uint64_t bytes) {
    if (bucket_.rate() == BitRate{}) return;
    const TimePoint now = monotonic_now();
    bucket_.take(bytes, now);
    if (!armed_ && bucket_.available(now) == 0) wake_at(bucket_.next_available(now));
}

void RateLimit::set_contact_rate(BitRate rate) {
    const TimePoint now = monotonic_now();
    bucket_.set_rate(slower_of(configured_, rate), now);
    // Somebody may be waiting for what the old rate would have allowed.
    if (armed_) wake_at(bucket_.next_available(now));
}

void RateLimit::wake_at(TimePoint when) {
    armed_ = true;
    // monotonic_now() counts from the same origin as the steady clock.
    timer_.expires_at(when);
    timer_.async_wait([this, alive = std::weak_ptr(alive_)](const auto &error) {
        if (error || alive.expired()) return;
        const TimePoint now = monotonic_now();
        bucket_.catch_up(now);
        if (bucket_.available(now) == 0) return wake_at(bucket_.next_available(now));
        armed_ = false;
        on_available_();
    });
}

}  // namespace farlink::cla
