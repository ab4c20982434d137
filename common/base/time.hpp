// SPDX-License-Identifier: Apache-2.0
// The time of farlink's cores: a monotonic time point as an argument, and the DTN time from it.
// Values; no owner, any thread. Nothing here reads a clock: common/runtime/clock.cpp does.
// DTN time counts milliseconds since 2000-01-01T00:00:00Z without leap seconds (RFC 9171 4.2.6).
#pragma once

#include <chrono>
#include <cstdint>
#include <limits>

namespace farlink {

/// The monotonic time of one process (or of one simulation). It has no now() on purpose.
struct MonotonicTimeline {
    using duration = std::chrono::nanoseconds;
    using rep = duration::rep;
    using period = duration::period;
    using time_point = std::chrono::time_point<MonotonicTimeline>;
    static constexpr bool is_steady = true;
};

using Duration = MonotonicTimeline::duration;
using TimePoint = MonotonicTimeline::time_point;
inline constexpr TimePoint kNever = TimePoint::max();

using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::nanoseconds;
using std::chrono::seconds;

/// Milliseconds since the DTN epoch; 0 means "the source has no clock" in a creation timestamp.
using DtnTime = std::uint64_t;
/// Seconds between the Unix and the DTN epoch.
inline constexpr std::uint64_t kDtnEpochUnixSeconds = 946684800;
/// An expiry that never comes.
inline constexpr DtnTime kDtnNever = std::numeric_limits<DtnTime>::max();

/// One reading of both clocks, from which DTN time at another monotonic point follows.
struct WallClock {
    TimePoint at{};
    DtnTime dtn_ms = 0;

    [[nodiscard]] DtnTime dtn_at(TimePoint now) const {
        const auto shift = std::chrono::duration_cast<milliseconds>(now - at).count();
        return dtn_ms + static_cast<DtnTime>(shift);
    }
    /// The monotonic point at which the DTN clock will show `when`.
    [[nodiscard]] TimePoint point_of(DtnTime when) const {
        const auto ahead = static_cast<std::int64_t>(when - dtn_ms);
        return at + milliseconds(ahead);
    }
};

/// Creation time + lifetime, saturating (RFC 9171 section 4.2.1: a huge lifetime is legal).
[[nodiscard]] constexpr DtnTime saturating_add(DtnTime time, std::uint64_t more) {
    return time > kDtnNever - more ? kDtnNever : time + more;
}

}  // namespace farlink
