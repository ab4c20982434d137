// SPDX-License-Identifier: Apache-2.0
// Turns the first SIGINT or SIGTERM into a wish to stop; a second one ends the tool at once.
// Process-wide, as signals are; installed by main() and read by its thread.
// A signal interrupts a wait, but one may slip in just before it: waits stay below kLongestWait.
#pragma once

#include "common/base/time.hpp"

namespace farlink::traffic {

inline constexpr Duration kLongestWait = milliseconds(100);

void install_stop_signal();
[[nodiscard]] bool stop_requested();
/// Sleeps for at most `duration` (and kLongestWait), less when a signal comes.
void nap(Duration duration);

}  // namespace farlink::traffic
