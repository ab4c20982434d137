// SPDX-License-Identifier: Apache-2.0
// Metrics that were renamed: they are written under the old name, too, for one minor version.
// A constant table; any thread.
// CHANGELOG lists them, too.
#pragma once

#include <span>
#include <string_view>

namespace farlink::telemetry {

struct RenamedMetric {
    std::string_view old_name;
    std::string_view new_name;
    std::string_view until;  ///< the version that writes the old one last: "0.2"
};

/// The renamed metrics of this version.
[[nodiscard]] constexpr std::span<const RenamedMetric> renamed_metrics() {
    return {};  // 0.1.0 is the first version
}

}  // namespace farlink::telemetry
