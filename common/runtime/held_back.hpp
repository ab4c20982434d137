// SPDX-License-Identifier: Apache-2.0
// The end of a line of the log that a LogLimiter has let through: how many it held back before.
// A plain function without state; the caller owns what it returns.
// Any thread.
#pragma once

#include <cstdint>
#include <string>

namespace farlink {

/// " (3 more not shown)", or nothing when none was held back before it.
[[nodiscard]] inline std::string held_back_words(std::uint64_t lines) {
    return lines == 0 ? std::string() : " (" + std::to_string(lines) + " more not shown)";
}

}  // namespace farlink
