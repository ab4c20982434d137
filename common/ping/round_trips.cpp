// SPDX-License-Identifier: Apache-2.0
#include "common/ping/round_trips.hpp"

namespace farlink::ping {

std::uint64_t RoundTrips::handle_sent(TimePoint now) {
    requests_.add(sent_, {}, now, now + timeout_);
    return sent_++;
}

std::optional<Duration> RoundTrips::handle_reply(std::uint64_t sequence, TimePoint now) {
    handle_timeout(now);
    const auto request = requests_.take(sequence);
    if (!request) {
        ++unexpected_;
        return std::nullopt;
    }
    const Duration taken = now - request->sent;
    add_time(taken);
    return taken;
}

std::uint64_t RoundTrips::add_measured(std::optional<Duration> taken) {
    if (taken) add_time(*taken);
    return sent_++;
}

void RoundTrips::handle_timeout(TimePoint now) {
    while (const auto number = requests_.overdue(now)) {
        (void)requests_.take(*number);
        given_up_.push_back(*number);
    }
}

double RoundTrips::lost_percent() const {
    constexpr double kPercent = 100;
    if (sent_ == 0) return 0;
    return kPercent * static_cast<double>(lost()) / static_cast<double>(sent_);
}

}  // namespace farlink::ping
