// SPDX-License-Identifier: Apache-2.0
// The clocks of the process; no other file reads a clock.
// No owner; agents and links read the clocks and pass the time to their cores as an argument.
// Any thread.
#pragma once

#include <cstdint>

#include "common/base/time.hpp"

namespace farlink {

/// The monotonic clock; it never jumps.
[[nodiscard]] TimePoint monotonic_now();

/// Both clocks at one moment. A wall clock that shows a year before 2000 reads as DTN time 0.
[[nodiscard]] WallClock read_wall_clock();

/// Nanoseconds since 1970-01-01T00:00:00Z by the wall clock; 0 when it shows an earlier time.
[[nodiscard]] std::uint64_t unix_nanoseconds();

}  // namespace farlink
