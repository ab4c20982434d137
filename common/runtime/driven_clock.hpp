// SPDX-License-Identifier: Apache-2.0
// For tests: `monotonic_now` returns the test's time, and timers of links follow it.
// Owned by the test, one at a time; its destructor restores the machine's clock.
// One thread; no other thread of the process may read the clock.
#pragma once

#include "common/base/time.hpp"

namespace farlink {

class DrivenClock {
public:
    DrivenClock();
    ~DrivenClock();
    DrivenClock(const DrivenClock &) = delete;
    DrivenClock &operator=(const DrivenClock &) = delete;

    void advance(Duration by) { now_ += by; }
    [[nodiscard]] TimePoint now() const { return now_; }

private:
    TimePoint now_;
};

}  // namespace farlink
