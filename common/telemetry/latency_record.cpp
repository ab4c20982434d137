// SPDX-License-Identifier: Apache-2.0
#include "common/telemetry/latency_record.hpp"

#include <algorithm>

namespace farlink::telemetry {

std::uint64_t LatencyRecord::percentile(double percent) const {
    if (first_.empty() || count() > first_.size()) return histogram_.percentile(percent);
    std::vector<std::uint64_t> sorted = first_;
    const auto rank = static_cast<std::ptrdiff_t>(nearest_rank(percent, sorted.size()));
    const auto place = sorted.begin() + (rank - 1);
    std::ranges::nth_element(sorted, place);
    return *place;
}

}  // namespace farlink::telemetry
