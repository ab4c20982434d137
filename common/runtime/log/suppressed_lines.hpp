// SPDX-License-Identifier: Apache-2.0
// The suffix of a rate-limited log line: the number of lines that were not logged before it.
// A plain function without state; the caller owns what it returns.
// Any thread.
#pragma once

#include <cstdint>
#include <string>

namespace farlink {

/// " (3 more not shown)"; empty if no line was held back.
[[nodiscard]] inline std::string suppressed_lines_text(std::uint64_t lines) {
    return lines == 0 ? std::string() : " (" + std::to_string(lines) + " more not shown)";
}

}  // namespace farlink
