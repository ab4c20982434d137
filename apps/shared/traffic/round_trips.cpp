// SPDX-License-Identifier: Apache-2.0
#include "apps/shared/traffic/round_trips.hpp"

namespace farlink::traffic {

std::uint64_t RoundTrips::handle_sent(TimePoint now) {
    requests_.push_back({now, false});
    ++open_;
    return sent() - 1;
}

std::optional<Duration> RoundTrips::handle_reply(std::uint64_t sequence, TimePoint now) {
    handle_timeout(now);
    if (sequence < first_ || sequence >= sent() || requests_[sequence - first_].answered) {
        ++unexpected_;
        return std::nullopt;
    }
    Request &request = requests_[sequence - first_];
    const Duration taken = now - request.sent;
    request.answered = true;
    --open_;
    times_.add(static_cast<std::uint64_t>(taken.count()));
    while (!requests_.empty() && requests_.front().answered) forget_front();
    return taken;
}

void RoundTrips::handle_timeout(TimePoint now) {
    while (!requests_.empty() &&
           (requests_.front().answered || now - requests_.front().sent >= timeout_)) {
        if (!requests_.front().answered) {
            --open_;
            given_up_.push_back(first_);
        }
        forget_front();
    }
}

TimePoint RoundTrips::next_timeout() const {
    return requests_.empty() ? kNever : requests_.front().sent + timeout_;
}

void RoundTrips::forget_front() {
    requests_.pop_front();
    ++first_;
}

}  // namespace farlink::traffic
