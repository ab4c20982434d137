// SPDX-License-Identifier: Apache-2.0
// The number of bundles that are due at a given rate: a token bucket.
// Owned by the generator; one thread.
// Bundles that a blocked connection delayed are made up for, at most kBurst at once.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "common/base/time.hpp"

namespace farlink::traffic {

class Pacer {
public:
    /// The depth of the bucket.
    static constexpr Duration kBurst = milliseconds(100);

    /// `rate` > 0 is in bundles a second; the first bundle is due at `start`.
    Pacer(double rate, TimePoint start) : rate_(rate), base_(start) {}

    /// Bundles that may be sent now.
    [[nodiscard]] std::uint64_t due(TimePoint now) {
        if (now < base_) return 0;
        if (now - next_due() > kBurst) restart(now - kBurst);
        const double elapsed_s = std::chrono::duration<double>(now - base_).count();
        // Half a nanosecond of slack: next_due() itself counts as due.
        const auto allowed = static_cast<std::uint64_t>((elapsed_s + 0.5e-9) * rate_) + 1;
        return allowed > sent_ ? allowed - sent_ : 0;
    }
    void spend(std::uint64_t bundles) { sent_ += bundles; }
    /// When the next bundle is due.
    [[nodiscard]] TimePoint next_due() const {
        const double ahead_ns = std::ceil(static_cast<double>(sent_) / rate_ * 1e9);
        return base_ + nanoseconds(static_cast<std::int64_t>(std::min(ahead_ns, 9e17)));
    }

private:
    void restart(TimePoint base) {
        base_ = base;
        sent_ = 0;
    }

    double rate_;
    TimePoint base_;          ///< when bundle 0 of this stretch was due
    std::uint64_t sent_ = 0;  ///< since base_
};

}  // namespace farlink::traffic
