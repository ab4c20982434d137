// SPDX-License-Identifier: Apache-2.0
// A number with its noun, for texts that people read.
// Plain functions; the results are values.
// Any thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace farlink {

/// "bundle" for 1, otherwise "bundles".
[[nodiscard]] inline std::string noun_for(std::uint64_t number, std::string_view noun) {
    std::string text(noun);
    if (number != 1) text += 's';
    return text;
}
/// "0 bundles", "1 bundle", "4120 bundles".
[[nodiscard]] inline std::string counted(std::uint64_t number, std::string_view noun) {
    return std::to_string(number) + ' ' + noun_for(number, noun);
}

}  // namespace farlink
