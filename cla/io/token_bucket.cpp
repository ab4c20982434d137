// SPDX-License-Identifier: Apache-2.0
#include "cla/io/token_bucket.hpp"

#include <algorithm>
#include <limits>

namespace farlink::cla {
namespace {

constexpr std::int64_t kByte = 8'000'000'000;  ///< one byte in the bucket's unit
constexpr Duration kDepth = milliseconds(1);
constexpr Duration kMostLate = milliseconds(10);
/// Longer than any bucket takes to fill; keeps the product of time and rate in range.
constexpr Duration kAges = seconds(3'000'000'000);

}  // namespace

TokenBucket::TokenBucket(BitRate rate) : rate_(rate.value()), level_(depth(TimePoint{})) {}

TokenBucket::Wide TokenBucket::depth(TimePoint now) const {
    return std::max<Wide>(gain(now < deep_until_ ? kMostLate : kDepth), kByte);
}

TokenBucket::Wide TokenBucket::level_at(TimePoint now) const {
    const Duration elapsed = std::clamp(now - filled_, Duration::zero(), kAges);
    return std::min(level_ + gain(elapsed), depth(now));
}

void TokenBucket::catch_up(TimePoint now) {
    deep_until_ = now + kMostLate;
    level_ = level_at(now);
    filled_ = std::max(filled_, now);
}

void TokenBucket::set_rate(BitRate rate, TimePoint now) {
    const bool was_unlimited = rate_ == 0;
    level_ = level_at(now);
    filled_ = std::max(filled_, now);
    rate_ = rate.value();
    deep_until_ = {};
    level_ = was_unlimited ? depth(now) : std::min(level_, depth(now));
}

std::uint64_t TokenBucket::available(TimePoint now) const {
    if (rate_ == 0) return std::numeric_limits<std::uint64_t>::max();
    return static_cast<std::uint64_t>(std::max<Wide>(level_at(now), 0) / kByte);
}

void TokenBucket::take(std::uint64_t bytes, TimePoint now) {
    if (rate_ == 0) return;
    level_ = level_at(now) - static_cast<Wide>(bytes) * kByte;
    filled_ = std::max(filled_, now);
}

TimePoint TokenBucket::next_available(TimePoint now) const {
    if (rate_ == 0) return now;
    const Wide level = level_at(now);
    if (level >= kByte) return now;
    const Wide missing = std::max<Wide>(gain(kDepth) / 2, kByte) - level;
    const Wide wait = (missing + rate_ - 1) / rate_;
    const Wide longest = (kNever - now).count();
    return wait < longest ? now + Duration(static_cast<Duration::rep>(wait)) : kNever;
}

}  // namespace farlink::cla
