// SPDX-License-Identifier: Apache-2.0
// Why an administrative record could not be read; the names are counters and stay stable.
// Values; any thread.
// A bundle may be valid while its administrative record is not.
#pragma once

#include <cstdint>
#include <string_view>

namespace farlink::bp {

enum class AdminError : std::uint8_t {
    kUnknownType = 0,  ///< a record of a type that this node does not support
    kTruncated,
    kMalformed,
};

[[nodiscard]] constexpr std::string_view to_string(AdminError error) {
    constexpr std::string_view kNames[] = {"unknown_type", "truncated", "malformed"};
    return kNames[static_cast<std::size_t>(error)];
}

}  // namespace farlink::bp
