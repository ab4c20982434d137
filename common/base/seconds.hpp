// SPDX-License-Identifier: Apache-2.0
// Durations that are given in seconds, as options of programs are.
// A plain function; the result is a value.
// Any thread.
#pragma once

#include "common/base/time.hpp"

namespace farlink {

[[nodiscard]] constexpr Duration from_seconds(double amount) {
    return std::chrono::duration_cast<Duration>(std::chrono::duration<double>(amount));
}

}  // namespace farlink
