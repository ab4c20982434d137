// SPDX-License-Identifier: Apache-2.0
// Of tests: `monotonic_now` shows what the test says, and timers of links follow.
// Owned by the test, one at a time; the machine's clock is back when it goes.
// One thread, and nothing else in the process may read the clock on another.
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
