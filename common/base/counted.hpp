// SPDX-License-Identifier: Apache-2.0
// A number with its noun, for texts that people read.
// A plain function; the result is a value.
// Any thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace farlink {

/// "0 bundles", "1 bundle", "4120 bundles".
[[nodiscard]] inline std::string counted(std::uint64_t number, std::string_view noun) {
    std::string text = std::to_string(number) + ' ';
    text += noun;
    if (number != 1) text += 's';
    return text;
}

}  // namespace farlink
