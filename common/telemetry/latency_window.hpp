// SPDX-License-Identifier: Apache-2.0
// The recent values of a histogram that only grows: those of the last 30 to 60 seconds.
// Owned by the module that measures; two copies of the histogram (19 kB).
// One thread.
#pragma once

#include <array>

#include "common/base/time.hpp"
#include "common/telemetry/latency_histogram.hpp"

namespace farlink::telemetry {

class LatencyWindow {
public:
    /// The values that `all` has got within the window; called at least once a second.
    [[nodiscard]] LatencyHistogram recent(const LatencyHistogram &all, TimePoint now);

    static constexpr seconds kHalf{30};

private:
    std::array<LatencyHistogram, 2> before_{};  ///< as it was one and two turns ago, newest first
    TimePoint turned_{};
};

}  // namespace farlink::telemetry
