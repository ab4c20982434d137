// SPDX-License-Identifier: Apache-2.0
// A rate limit by key: a token bucket for each.
// Owned by its user; one thread.
// Full buckets are removed, so that memory stays bounded.
#pragma once

#include <algorithm>
#include <string>
#include <unordered_map>

#include "common/base/time.hpp"

namespace farlink::telemetry {

class RateLimit {
public:
    /// A bucket gains a turn each `interval` and holds at most `burst`.
    RateLimit(Duration interval, std::int64_t burst) : interval_(interval), burst_(burst) {}

    /// Takes a turn; returns zero, or the time to wait when the bucket is empty.
    [[nodiscard]] Duration take(const std::string &who, TimePoint now) {
        const Duration wait = missing(who, now);
        if (wait > Duration::zero()) return wait;
        forget(now);
        TimePoint &empty_at = empty_at_[who];
        empty_at = std::max(empty_at, now) + interval_;
        return Duration::zero();
    }
    /// The time to wait for a turn, without taking it.
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
        // Too many keys within one interval: all buckets are reset.
        if (empty_at_.size() >= kMostKnown) empty_at_.clear();
    }

    Duration interval_;
    std::int64_t burst_;
    std::unordered_map<std::string, TimePoint> empty_at_;  ///< when the bucket is full again
};

}  // namespace farlink::telemetry
