// SPDX-License-Identifier: Apache-2.0
// Durations of a run of a tool: percentiles are exact while there are few, else a histogram's.
// Owned by the part that measures; one thread.
// Memory for kMostExact durations at most.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "common/telemetry/latency_histogram.hpp"

namespace farlink::telemetry {

class LatencyRecord {
public:
    static constexpr std::size_t kMostExact = 8192;

    void add(std::uint64_t nanoseconds) {
        histogram_.add(nanoseconds);
        if (first_.size() < kMostExact) first_.push_back(nanoseconds);
    }

    /// The smallest of the durations that `percent` (0 to 100) of all do not exceed (nearest
    /// rank); of more than kMostExact durations as the histogram has it. 0 without durations.
    [[nodiscard]] std::uint64_t percentile(double percent) const;
    [[nodiscard]] std::uint64_t count() const { return histogram_.count(); }
    [[nodiscard]] std::uint64_t sum() const { return histogram_.sum(); }
    [[nodiscard]] std::uint64_t smallest() const { return histogram_.smallest(); }
    [[nodiscard]] std::uint64_t largest() const { return histogram_.largest(); }
    [[nodiscard]] std::uint64_t mean() const { return histogram_.mean(); }

private:
    LatencyHistogram histogram_;
    std::vector<std::uint64_t> first_;
};

}  // namespace farlink::telemetry
