// SPDX-License-Identifier: Apache-2.0
#include "common/telemetry/latency_window.hpp"

namespace farlink::telemetry {

LatencyHistogram LatencyWindow::recent(const LatencyHistogram &all, TimePoint now) {
    if (turned_ == TimePoint{}) turned_ = now;
    if (now - turned_ >= kHalf) {
        before_[1] = before_[0];
        before_[0] = all;
        turned_ = now;
    }
    return all.since(before_[1]);
}

}  // namespace farlink::telemetry
