// SPDX-License-Identifier: Apache-2.0
#include "common/telemetry/latency_histogram.hpp"

#include <cmath>

namespace farlink::telemetry {

std::uint64_t nearest_rank(double percent, std::uint64_t count) {
    const double share = std::clamp(percent, 0.0, 100.0) / 100.0;
    const double rank = std::ceil(share * static_cast<double>(count));
    return std::max<std::uint64_t>(1, static_cast<std::uint64_t>(rank));
}

void LatencyHistogram::merge(const LatencyHistogram &other) {
    for (std::size_t bucket = 0; bucket < buckets_.size(); ++bucket)
        buckets_[bucket] += other.buckets_[bucket];
    count_ += other.count_;
    sum_ += other.sum_;
    smallest_ = std::min(smallest_, other.smallest_);
    largest_ = std::max(largest_, other.largest_);
}

LatencyHistogram LatencyHistogram::since(const LatencyHistogram &before) const {
    LatencyHistogram added = *this;
    for (std::size_t bucket = 0; bucket < buckets_.size(); ++bucket)
        added.buckets_[bucket] -= before.buckets_[bucket];
    added.count_ -= before.count_;
    added.sum_ -= before.sum_;
    return added;
}

std::uint64_t LatencyHistogram::percentile(double percent) const {
    if (count_ == 0) return 0;
    const std::uint64_t wanted = nearest_rank(percent, count_);
    std::uint64_t seen = 0;
    for (std::size_t bucket = 0; bucket < buckets_.size(); ++bucket) {
        seen += buckets_[bucket];
        if (seen >= wanted) return std::min(upper_end(bucket), largest_);
    }
    return largest_;
}

}  // namespace farlink::telemetry
