// SPDX-License-Identifier: Apache-2.0
#include "apps/shared/emulation/outage_plan.hpp"

namespace farlink::emulation {

TimePoint OutagePlan::end_of_outage(TimePoint at) const {
    // One outage may end where, or within which, another begins.
    for (std::size_t found = 0; found <= outages_.size(); ++found) {
        const Duration since = at - start_;
        const Duration phase = period_ > Duration::zero() ? since % period_ : since;
        bool out = false;
        for (const Outage &outage : outages_) {
            if (phase < outage.begin || phase >= outage.begin + outage.length) continue;
            at += outage.begin + outage.length - phase;
            out = true;
            break;
        }
        if (!out) break;
    }
    return at;
}

}  // namespace farlink::emulation
