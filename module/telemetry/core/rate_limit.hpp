// SPDX-License-Identifier: Apache-2.0
// How often somebody may do something: a bucket of turns for each, which fills again with time.
// Owned by whoever asks; one thread.
// Whoever has not come for long is forgotten, so that strangers do not fill the memory.
#pragma once

#include <algorithm>
#include <string>
#include <unordered_map>

#include "common/base/time.hpp"

namespace farlink::telemetry {

class RateLimit {
public:
    /// A turn comes back each `interval`; at most `burst` wait to be used.
    RateLimit(Duration interval, std::int64_t burst) : interval_(interval), burst_(burst) {}

    /// Takes a turn. How long to wait, when there is none; zero: it was there.
    [[nodiscard]] Duration take(const std::string &who, TimePoint now) {
        const Duration wait = missing(who, now);
        if (wait > Duration::zero()) return wait;
        forget(now);
        TimePoint &empty_at = empty_at_[who];
        empty_at = std::max(empty_at, now) + interval_;
        return Duration::zero();
    }
    /// How long to wait for a turn, without taking it.
    [[nodiscard]] Duration missing(const std::string &who, TimePoint now) const {
        const auto known = empty_at_.find(who);
        if (known == empty_at_.end()) return Duration::zero();
        return std::max(Duration::zero(), known->second - now - interval_ * (burst_ - 1));
    }
    [[nodiscard]] std::size_t known() const { return empty_at_.size(); }

    static constexpr std::size_t kMostKnown = 4096;

private:
    void forget(TimePoint now) {
        if (empty_at_.size() < kMostKnown) return;
        std::erase_if(empty_at_, [now](const auto &entry) { return entry.second <= now; });
        // A crowd that does not wait: all begin anew.
        if (empty_at_.size() >= kMostKnown) empty_at_.clear();
    }

    Duration interval_;
    std::int64_t burst_;
    std::unordered_map<std::string, TimePoint> empty_at_;  ///< when their bucket would be full
};

}  // namespace farlink::telemetry
