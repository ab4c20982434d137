// SPDX-License-Identifier: Apache-2.0
#include "cla/io/rate_limit.hpp"

#include <algorithm>

#include "common/base/bit_rate.hpp"
#include "common/runtime/clock.hpp"

namespace farlink::cla {

std::uint64_t RateLimit::Body::credit(std::uint64_t room) const {
    if (bucket_.rate() == BitRate{}) return room;
    return std::min(room, bucket_.available(monotonic_now()));
}

// The credit can become 0 only when something is taken, so only then a wait begins.
void RateLimit::Body::take(std::uint64_t bytes) {
    if (bucket_.rate() == BitRate{}) return;
    const TimePoint now = monotonic_now();
    bucket_.take(bytes, now);
    if (!armed_ && bucket_.available(now) == 0) wake_at(bucket_.next_available(now));
}

void RateLimit::Body::set_contact_rate(BitRate rate) {
    const TimePoint now = monotonic_now();
    bucket_.set_rate(slower_of(configured_, rate), now);
    // The host may be waiting for what the old rate would have allowed.
    if (armed_) wake_at(bucket_.next_available(now));
}

void RateLimit::Body::wake_at(TimePoint when) {
    armed_ = true;
    // monotonic_now() counts from the same origin as the steady clock.
    timer_.expires_at(when);
    timer_.async_wait(while_open(*this, [](Body &self, const auto &error) {
        if (!error) self.handle_timer();
    }));
}

void RateLimit::Body::handle_timer() {
    const TimePoint now = monotonic_now();
    bucket_.catch_up(now);
    if (bucket_.available(now) == 0) return wake_at(bucket_.next_available(now));
    armed_ = false;
    on_available_();
}

void RateLimit::Body::abandon() {
    mark_closed();
    timer_.cancel();
}

}  // namespace farlink::cla
