// SPDX-License-Identifier: Apache-2.0
// Spaces attempts: each wait is twice the one before, between two bounds, with jitter.
// Owned by whatever makes the attempts; one thread.
// It reads no clock and sets no timer.
#pragma once

#include <algorithm>
#include <cstdint>

#include "common/base/random.hpp"
#include "common/base/time.hpp"

namespace farlink::cla {

class BackOff {
public:
    /// `min` and `max` bound the wait before the jitter; `seed` draws the jitter.
    BackOff(Duration min, Duration max, std::uint64_t seed)
        : min_(min), max_(std::max(min, max)), random_(seed), wait_(min) {}

    /// The next wait is the shortest again.
    void reset() { wait_ = min_; }
    /// The wait before the next attempt, which stays what it is.
    [[nodiscard]] Duration wait() { return jittered(wait_); }
    /// The same, and the one after it is twice as long.
    [[nodiscard]] Duration grow() {
        const Duration wait = jittered(wait_);
        wait_ = std::min(wait_ * 2, max_);
        return wait;
    }
    /// Up to a quarter more, so that peers do not come in step.
    [[nodiscard]] Duration jittered(Duration wait) {
        const auto quarter = static_cast<std::uint64_t>(wait.count() / 4 + 1);
        return wait + nanoseconds(static_cast<std::int64_t>(random_.below(quarter)));
    }

private:
    Duration min_;
    Duration max_;
    Random random_;
    Duration wait_;
};

}  // namespace farlink::cla
