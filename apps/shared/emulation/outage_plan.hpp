// SPDX-License-Identifier: Apache-2.0
// The outages of an emulated link: a list that may repeat.
// Owned by a Wire; a value that never changes.
// Any thread.
#pragma once

#include <vector>

#include "apps/shared/emulation/wire_profile.hpp"

namespace farlink::emulation {

class OutagePlan {
public:
    OutagePlan(std::vector<Outage> outages, Duration period, TimePoint start)
        : outages_(std::move(outages)), period_(period), start_(start) {}

    /// The end of the outage at this time; the time itself when there is none.
    [[nodiscard]] TimePoint end_of_outage(TimePoint at) const;

private:
    std::vector<Outage> outages_;
    Duration period_;
    TimePoint start_;
};

}  // namespace farlink::emulation
