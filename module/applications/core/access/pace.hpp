// SPDX-License-Identifier: Apache-2.0
// How much an application may send in a second: what it sends beyond is waited for.
// Owned by a session.
// One thread.
#pragma once

#include <algorithm>
#include <cstdint>

#include "common/base/time.hpp"

namespace farlink::applications {

class Pace {
public:
    /// In a second; 0: no limit.
    explicit Pace(std::uint64_t per_second) : per_second_(per_second) {}

    /// So much has been sent: more may begin at due().
    void take(std::uint64_t amount, TimePoint now) {
        if (per_second_ == 0) return;
        // A second in hand at most.
        due_ = std::max(due_, now - std::chrono::seconds(1));
        constexpr double kNanoseconds = 1e9;
        const double cost =
            static_cast<double>(amount) / static_cast<double>(per_second_) * kNanoseconds;
        constexpr double kLongest = 3600 * kNanoseconds;
        due_ += Duration(static_cast<std::int64_t>(std::min(cost, kLongest)));
    }
    [[nodiscard]] TimePoint due() const { return due_; }

private:
    std::uint64_t per_second_;
    TimePoint due_{};
};

}  // namespace farlink::applications
