// SPDX-License-Identifier: Apache-2.0
#include "cla/io/reconnection.hpp"

#include <algorithm>

namespace farlink::cla {

Reconnection::Reconnection(Duration min, Duration max, std::uint64_t seed)
    : back_off_(std::max<Duration>(min, milliseconds(1)), max, seed) {}

TimePoint Reconnection::handle_opened(TimePoint now) {
    back_off_.reset();
    return std::max(now, barred_until_);
}

TimePoint Reconnection::handle_failed(TimePoint now) {
    return std::max(now + back_off_.grow(), barred_until_);
}

TimePoint Reconnection::handle_session(const SessionOutcome &outcome, TimePoint now) {
    const bool lasting = outcome.established && outcome.lived >= kLasting;
    if (outcome.moved && lasting) back_off_.reset();
    if (outcome.moved) breaker_ = kBreakerMin;
    if (outcome.fault == LinkFault::kPeerRefusesBundles) {
        bar(now + back_off_.jittered(breaker_));
        breaker_ = std::min(breaker_ * 2, kBreakerMax);
    }
    if (outcome.reconnection_delay > Duration::zero())
        bar(now + std::min(outcome.reconnection_delay, kLongestDelay));
    const bool failure = !outcome.moved && !lasting;
    return std::max(now + (failure ? back_off_.grow() : back_off_.wait()), barred_until_);
}

}  // namespace farlink::cla
