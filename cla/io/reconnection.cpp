// SPDX-License-Identifier: Apache-2.0
#include "cla/io/reconnection.hpp"

#include <algorithm>

namespace farlink::cla {

Reconnection::Reconnection(Duration min, Duration max, std::uint64_t seed)
    : min_(std::max<Duration>(min, milliseconds(1))),
      max_(std::max(min_, max)),
      random_(seed),
      back_off_(min_) {}

TimePoint Reconnection::handle_opened(TimePoint now) {
    back_off_ = min_;
    return std::max(now, barred_until_);
}

TimePoint Reconnection::handle_failed(TimePoint now) {
    return std::max(now + next_back_off(true), barred_until_);
}

TimePoint Reconnection::handle_session(const SessionOutcome &outcome, TimePoint now) {
    const bool lasting = outcome.established && outcome.lived >= kLasting;
    if (outcome.moved && lasting) back_off_ = min_;
    if (outcome.moved) breaker_ = kBreakerMin;
    if (outcome.fault == LinkFault::kPeerRefusesBundles) {
        bar(now + jittered(breaker_));
        breaker_ = std::min(breaker_ * 2, kBreakerMax);
    }
    if (outcome.reconnection_delay > Duration::zero())
        bar(now + std::min(outcome.reconnection_delay, kLongestDelay));
    const bool failure = !outcome.moved && !lasting;
    return std::max(now + next_back_off(failure), barred_until_);
}

// Up to a quarter more, so that peers do not come in step.
Duration Reconnection::jittered(Duration wait) {
    const auto quarter = static_cast<std::uint64_t>(wait.count() / 4 + 1);
    return wait + nanoseconds(static_cast<std::int64_t>(random_.below(quarter)));
}

Duration Reconnection::next_back_off(bool failure) {
    const Duration wait = jittered(back_off_);
    if (failure) back_off_ = std::min(back_off_ * 2, max_);
    return wait;
}

}  // namespace farlink::cla
